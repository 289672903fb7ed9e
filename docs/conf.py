"""How the documentation is built: `sphinx-build -W --keep-going -n docs build/docs`."""

import importlib
import os
import runpy
import sys

# Small matrices, many of them: threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import jacobeig

# The names that users write, such as je.metrics, are attributes of the package; for Sphinx they have to be modules.
for _name, _home in {**jacobeig._MODULES, "baselines.deflation": "comparison.baselines.deflation"}.items():
    sys.modules[f"jacobeig.{_name}"] = importlib.import_module(f"jacobeig.{_home}")

project = "jacobeig"
author = "The jacobeig developers"
copyright = author
version = release = jacobeig.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "matplotlib.sphinxext.plot_directive",
]
exclude_patterns = ["examples", "pictures"]
templates_path = ["_templates"]

# Names in single backticks become links where they are names of ours.
default_role = "autolink"
nitpicky = True
# Other projects' names: their inventories are on the network, which a build must not need.
nitpick_ignore_regex = [
    (r"py:.*", r"(numpy|scipy|sklearn|matplotlib|pandas|networkx|dask)\b.*"),
    (r"py:class", r"inspect\._empty"),
    # Arguments that share their name with a module, and tables, which have no page of their own.
    (r"py:obj", r"result|rotations|(.*\.)?(METHODS|DEFLATIONS|OURS|FIGURES)"),
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_validation_checks = {"GL03", "GL06", "GL07", "PR02", "PR03", "PR07", "SS03"}

plot_formats = [("svg", 100)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"savefig.bbox": "tight", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
plot_apply_rcparams = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "doc_module": ("jacobeig",),
    "reference_url": {"jacobeig": None},
    "backreferences_dir": "generated/backreferences",
    "image_srcset": ["2x"],
    "matplotlib_animations": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "capture_repr": (),
    "abort_on_example_error": False,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "jacobeig"
html_static_path = ["_static"]
html_css_files = ["jacobeig.css"]
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "jacobeig", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"changelog": [], "contributing": [], "citing": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def write_explorers(app, exception):
    """Write the live pages of the explorer beside the page that shows them."""
    if exception is None and app.builder.name == "html":
        pictures = runpy.run_path(str(app.srcdir / "pictures" / "explorers.py"))
        pictures["write_explorers"](app.outdir / "explorers")


def setup(app):
    """Let Sphinx know about them."""
    app.connect("build-finished", write_explorers)
