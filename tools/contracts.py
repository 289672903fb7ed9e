"""A contract for import-linter that its own kinds cannot say: files with an underscore belong to their room."""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

__all__ = ["PrivateFiles"]


class PrivateFiles(Contract):
    """No room imports another room's private file; `shared` rooms are private to the package, not to themselves."""

    type_name = "private_files"
    package = fields.StringField()
    shared = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import between two rooms."""
        broken = [
            (importer, imported)
            for importer in sorted(graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if self._room(importer) != self._room(imported) and self._is_private(imported)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """List the imports that break it."""
        for importer, imported in check.metadata["broken"]:
            output.print_error(f"{importer} imports {imported}, which is private to its room", bold=False)

    def _inside(self, module: str) -> list[str]:
        return module.removeprefix(str(self.package)).lstrip(".").split(".")

    def _room(self, module: str) -> str:
        return self._inside(module)[0]

    def _is_private(self, module: str) -> bool:
        parts = [part for part in self._inside(module) if part not in self.shared]  # type: ignore[operator]  # a set by now
        return any(part.startswith("_") for part in parts)
