
// The page: follows its controls, fills its table.

const ROWS_AT_ONCE = 100;

class View {
  constructor(data) {
    Object.assign(this, { data, state: data.states - 1, component: 0, axis: "density", rowLimit: ROWS_AT_ONCE });
    Object.assign(this, { across: 0, up: Math.min(1, data.p - 1), mostBars: 20, barsHeight: 0 });
    this.arrows = !data.shape; // names of pixels say little
    this.sort = { column: "size", descending: true };
    this.preferred = matchMedia("(prefers-color-scheme: dark)");
    this.themeName = this.preferred.matches ? "dark" : "light";
  }

  // What the samples have of a component: their data, centred as in the fit, times its loadings.
  products(component, state) {
    const { samples, p, starts, places, values } = this.data, found = new Float64Array(samples.count);
    if (!samples.features) { // the columns are these products, of one state after the other
      const from = (state * p + component) * samples.count;
      return Float64Array.from(samples.columns.subarray(from, from + samples.count));
    }
    for (let at = state * p + component, e = starts[at]; e < starts[at + 1]; e++) {
      const from = samples.columnOf.get(places[e]) * samples.count, value = values[e];
      for (let i = 0; i < samples.count; i++) found[i] += value * samples.columns[from + i];
    }
    return found;
  }

  scores(component, state = this.state) {
    const { samples: { unmix, count }, p } = this.data;
    if (!unmix) return this.products(component, state);
    const found = new Float64Array(count); // least squares, as the components are not orthogonal
    for (let t = 0; t < p; t++) {
      this.products(t, state).forEach((value, i) => (found[i] += unmix[t * p + component] * value));
    }
    return found;
  }

  // Wide enough for both ends and the middle of the path, so that the axes rest while the slider moves.
  scoreRange(component) {
    const last = this.data.states - 1;
    let [low, high] = [Infinity, -Infinity];
    for (const state of new Set([0, last >> 1, last, this.state])) {
      for (const score of this.scores(component, state)) [low, high] = [Math.min(low, score), Math.max(high, score)];
    }
    const edge = 0.06 * (high - low) || 1;
    return [low - edge, high + edge];
  }

  entries(component) {
    const at = this.state * this.data.p + component, found = [];
    for (let e = this.data.starts[at]; e < this.data.starts[at + 1]; e++) {
      found.push({ feature: this.data.places[e], component, value: this.data.values[e] });
    }
    return found;
  }

  namePixel(row, column) {
    const { names, shape } = this.data;
    // Names are listed by place, which is the pixel's own number while all of them are listed.
    return names && names.length === shape[0] * shape[1] ? names[row * shape[1] + column] : `row ${row}, column ${column}`;
  }

  name(feature) {
    const { names, features, shape, words } = this.data;
    if (names) return names[feature];
    if (shape) return this.namePixel(Math.floor(features[feature] / shape[1]), features[feature] % shape[1]);
    return `${words.feature} ${features[feature]}`;
  }

  explainedText(component) {
    const value = this.data.explained[this.state][component];
    return this.data.measure.whole ? percent(value) : number(value);
  }
}

function draw(id, figure) {
  const { traces, layout } = figure;
  return Plotly.react(id, traces, layout, CONFIG);
}

function drawAll(view) {
  const { data } = view;
  const width = (id) => element(id).clientWidth || 600;
  if (data.path) draw("curve", makeCurve(view));
  draw("variance", makeVariance(view, width("variance")));
  if (data.samples) draw("samples", makeSamples(view, width("samples")));
  const overview = (data.map ? makeMap : data.shape ? makeImages : makeSheet)(view, width("overview"));
  draw("overview", overview);
  // Beside a tall neighbour there is room for more bars; a single column has no neighbour.
  const beside = element("barscard").offsetTop === element("overviewcard").offsetTop;
  view.barsHeight = beside ? overview.layout.height : 0;
  view.mostBars = Math.max(20, Math.floor((view.barsHeight - BARS_EDGE) / BAR));
  draw("bars", makeBars(view, width("bars")));
  describe(view);
  fillTable(view);
}

// What the sum stands beside, where it is no share of anything.
const nameMap = (data) => (data.words.feature === "node" ? "graph" : "map");
const tellExact = (data) => (data.exact === null ? "" : `exact ${data.words.component}s: ${number(data.exact)}`);

function describe(view) {
  const { data, state } = view;
  const { words, measure } = data;
  const captured = measure.whole ? percent(data.captured[state]) : number(data.captured[state]);
  const tiles = [];
  if (data.path && data.rotations) {
    tiles.push([capitalise(`${words.rotation}s`), data.rotations[state].toLocaleString("en"), `of ${data.rotations.at(-1).toLocaleString("en")}`]);
  }
  tiles.push(["Density", data.densities[state], `${data.nonzeros[state].toLocaleString("en")} nonzeros`]);
  if (measure.addsUp) {
    tiles.push(measure.total !== null ? [capitalise(measure.name), number(measure.total), ""]
      : [measure.whole ? capitalise(measure.name) : `Sum of ${measure.plural}`, captured, measure.whole ? `of ${measure.whole}` : tellExact(data)]);
  }
  if (data.accuracy) {
    tiles.push([data.pca ? "Share of full PCA" : "Accuracy", percent(data.accuracy[state]),
      data.pca ? "of what full PCA explains" : "of exact eigenvectors"]);
  }
  element("tiles").replaceChildren(...tiles.map(([label, value, rest]) => {
    const tile = document.createElement("div"), small = make("small", ` ${rest}`), shown = make("dd", value);
    shown.append(small);
    tile.append(make("dt", label), shown);
    return tile;
  }));
  element("slider").setAttribute("aria-valuetext", tiles.map(([label, value]) => `${label} ${value}`).join(", "));
  element("knee").disabled = state === data.knee;
  const used = view.entries(view.component).length;
  const chosen = `${words.component} ${view.component + 1}`, kind = data.complex ? "magnitudes" : "loadings";
  const first = used > view.mostBars ? `the ${view.mostBars} largest of ${used.toLocaleString("en")} ${kind}`
    : used === 1 ? `a single ${words.feature}` : `all ${used} ${kind}, largest first`;
  element("barshint").textContent = `${capitalise(chosen)}: ${first}. All other ${words.feature}s are exactly zero.`;
  if (!data.map && !data.shape) {
    const shown = countOnSheet(), all = data.nonzeros[state], each = sheetEach(data);
    const which = each === 1 ? "those of the largest" : `those of the ${each} largest`;
    element("overviewhint").textContent = (shown === all ? `All ${all.toLocaleString("en")} ${kind}. `
      : `${shown.toLocaleString("en")} of ${all.toLocaleString("en")} ${kind}: ${which} ${words.feature}${each === 1 ? "" : "s"} of each ${words.component}. `) +
      `Each by its own scale; the background colour is exactly zero.${data.complex ? "" : " Orange is positive, blue negative."}`;
  }
  if (data.map) element("overviewtitle").textContent = `${capitalise(chosen)} on the ${nameMap(data)}`;
}

const countOnSheet = () => element("overview").data[0].z.flat().filter((value) => value !== 0).length;

function make(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text }, properties);
}

// The table.

const COLUMNS = [
  { key: "name", label: (data) => capitalise(data.words.feature), numeric: false },
  { key: "component", label: (data) => capitalise(data.words.component), numeric: true },
  { key: "value", label: (data) => (data.complex ? "Magnitude" : "Loading"), numeric: true },
  { key: "size", label: () => "Share", numeric: true },
  { key: "chosen", label: () => "Chosen again", numeric: true },
];
const columnsOf = (data) => COLUMNS.filter(({ key }) => key !== "chosen" || data.stability);

// The share of refits on parts of the samples that choose a feature too.
const chosenAgain = ({ stability, features }, component, feature) =>
  stability ? stability.values[component * features.length + feature] : null;

function listRows(view) {
  const wanted = element("rowsof").value, text = element("find").value.trim().toLowerCase();
  const components = wanted === "all" ? [...Array(view.data.p).keys()] : [view.component];
  const rows = components.flatMap((t) => view.entries(t)).map((entry) =>
    ({ ...entry, name: view.name(entry.feature), size: entry.value * entry.value,
      chosen: chosenAgain(view.data, entry.component, entry.feature) }));
  const { column, descending } = view.sort, sign = descending ? -1 : 1;
  const collator = new Intl.Collator("en", { numeric: true });
  const compare = column === "name" ? (a, b) => collator.compare(a.name, b.name) : (a, b) => a[column] - b[column];
  return rows.filter((row) => !text || row.name.toLowerCase().includes(text))
    .sort((a, b) => sign * compare(a, b) || a.component - b.component || b.size - a.size);
}

function fillTable(view) {
  const rows = listRows(view), shown = rows.slice(0, view.rowLimit), one = element("rowsof").value === "one";
  element("rows").replaceChildren(...shown.map((row) => {
    const line = document.createElement("tr");
    line.append(make("td", row.name), ...(one ? [] : [make("td", String(row.component + 1), { className: "number" })]),
      make("td", loading(row.value), { className: "number" }), make("td", portion(row.size), { className: "number" }));
    if (view.data.stability) line.append(make("td", percent(row.chosen), { className: "number" }));
    return line;
  }));
  for (const head of element("columns").children) {
    const chosen = head.dataset.key === view.sort.column;
    head.hidden = one && head.dataset.key === "component";
    head.setAttribute("aria-sort", chosen ? (view.sort.descending ? "descending" : "ascending") : "none");
  }
  const count = rows.length.toLocaleString("en");
  const counted = rows.length > shown.length ? `The first ${shown.length} of ${count} rows.` : `${count} ${rows.length === 1 ? "row" : "rows"}.`;
  element("tablehint").textContent =
    `${counted} Zeros are not listed. Shares are of a ${view.data.words.component}'s squared length.${tellStability(view.data)} The csv has all ${view.data.words.component}s at this point.`;
  element("more").hidden = rows.length <= shown.length;
}

function tellStability({ stability, words }) {
  if (!stability) return "";
  return ` "Chosen again" is the share of ${stability.refits.toLocaleString("en")} fits on ${percent(stability.share)} of the samples each that choose the ${words.feature} too.`;
}

function writeCell(value) {
  // A spreadsheet would run what begins like this as a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

function writeCsv(view) {
  const kind = view.data.complex ? "magnitude" : "loading";
  const { stability } = view.data;
  const lines = [[view.data.words.feature, view.data.words.component, kind, ...(stability ? ["chosen again"] : [])].join(",")];
  for (let t = 0; t < view.data.p; t++) {
    for (const { feature, value } of view.entries(t).sort((a, b) => Math.abs(b.value) - Math.abs(a.value))) {
      const chosen = stability ? [Number(chosenAgain(view.data, t, feature).toPrecision(6))] : [];
      lines.push([writeCell(view.name(feature)), t + 1, Number(value.toPrecision(8)), ...chosen].join(","));
    }
  }
  return lines.join("\r\n") + "\r\n";
}

function download(view) {
  const link = document.createElement("a"), { data } = view;
  link.href = URL.createObjectURL(new Blob(["\ufeff", writeCsv(view)], { type: "text/csv" }));
  link.download = !data.path ? "loadings.csv"
    : data.rotations ? `loadings-${data.rotations[view.state]}-${data.words.rotation}s.csv` : `loadings-${data.nonzeros[view.state]}-nonzeros.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The words and the controls.

function fillWords(view) {
  const { data } = view, { words, measure } = data, component = words.component;
  element("lead").textContent = data.path && !data.rotations
    ? `Each ${component} uses only a few ${words.feature}s. Move the slider from sparse to dense: fewer nonzeros, or more ` +
      `${measure.whole ? measure.name : "accuracy"}. At every density the ${component}s are refined for it.`
    : data.path ? `Each ${component} uses only a few ${words.feature}s. Move the slider along the ${words.rotation}s that built them: fewer nonzeros, or more ` +
      `${measure.whole ? measure.name : "accuracy"}. Every picture is the exact state after that many ${words.rotation}s.`
    : `Each ${component} uses only a few ${words.feature}s; the others are exactly zero.`;
  element("notes").replaceChildren(...data.notes.map((note) => make("li", note)));
  element("notes").hidden = data.notes.length === 0;
  element("facts").replaceChildren(...data.facts.flatMap(([label, value]) => [make("dt", label), make("dd", value)]));
  element("sliderlabel").textContent = data.rotations ? `Position along the ${words.rotation}s` : "Position along the densities";
  element("curvetitle").textContent = capitalise(data.curveName);
  const what = data.accuracy && data.pca ? `explained variance, over what ${data.p} ${component}s of full PCA explain`
    : data.accuracy ? "what is captured, over what as many exact eigenvectors capture"
    : measure.whole ? `share of ${measure.whole}`
    : `of the ${data.p} ${component}s together${data.exact === null ? "" : `; the dashed line at ${number(data.exact)} is that of exact ones`}`;
  const above = data.bounds ? " Nobody can be above the dashed line: what is left to gain is shaded." : "";
  const bend = data.knee === null ? "" : " Beyond the knee, more nonzeros bring less.";
  element("curvehint").textContent = `${capitalise(what)}.${above}${bend} Choose a point to go there.`;
  element("axis").options[1].textContent = `${words.rotation}s`;
  element("variancetitle").textContent = `${capitalise(measure.name)} of each ${component}`;
  element("variancehint").textContent = (measure.whole ? `Shares of ${measure.whole}. ` : "") +
    (data.cumulated ? "Bars one by one; above them the sum of the first ones." : measure.addsUp ? `Of the ${data.p} ${component}s one by one.` : "Bars one by one; they overlap, so they are not cumulated.") +
    (data.exactEach ? ` Grey is ${data.pca ? "full PCA" : "exact"}.` : "");
  const kind = data.complex ? "magnitudes" : "loadings";
  element("barstitle").textContent = `Largest ${kind}`;
  element("tabletitle").textContent = `All ${kind}`;
  const overview = data.map ? [`on the ${nameMap(data)}`, `Large circles are its ${words.feature}s; small ones are exactly zero.`]
    : data.shape ? ["as images", `Each by its own scale; the background colour is exactly zero. Choose one to see its ${words.feature}s.`]
      : ["side by side", `The largest ${kind} of every ${component}, each by its own scale; the background colour is exactly zero.`];
  element("overviewtitle").textContent = `${capitalise(component)}s ${overview[0]}`;
  element("overviewhint").textContent = overview[1] + (data.complex ? "" : " Orange is positive, blue negative.");
  if (data.samples) {
    const { count, of, labels } = data.samples;
    element("sampleshint").textContent = (count < of ? `${count.toLocaleString("en")} of ${of.toLocaleString("en")} samples, evenly spaced in the data` : `All ${of.toLocaleString("en")} samples`) +
      ` by their scores on two ${component}s${data.samples.exact ? `, exact${data.path ? " at this point of the slider" : ""}` : ""}.${labels && !labels.values ? " Choose a group in the legend to hide it." : ""}`;
  }
  element("componentlabel").textContent = capitalise(component);
  element("find").placeholder = element("findlabel").textContent = `Find a ${words.feature}`;
}

function fillControls(view) {
  const { data } = view, word = capitalise(data.words.component);
  for (let t = 0; t < data.p; t++) element("component").append(make("option", `${word} ${t + 1}`, { value: String(t) }));
  element("rowsof").append(make("option", `This ${data.words.component}`, { value: "one" }), make("option", `All ${data.words.component}s`, { value: "all" }));
  for (const column of columnsOf(data)) {
    const head = make("th", "", { scope: "col", className: column.numeric ? "number" : "" });
    head.dataset.key = column.key;
    const button = make("button", column.label(data), { type: "button" });
    button.addEventListener("click", () => {
      const again = view.sort.column === column.key;
      view.sort = { column: column.key, descending: again ? !view.sort.descending : column.numeric && column.key !== "component" };
      fillTable(view);
    });
    head.append(button);
    element("columns").append(head);
  }
  for (const id of ["across", "up"]) {
    for (let t = 0; t < data.p; t++) element(id).append(make("option", `${data.words.component} ${t + 1}`, { value: String(t) }));
    element(id).value = String(view[id]);
    element(id).addEventListener("change", (event) => {
      view[id] = Number(event.target.value);
      draw("samples", makeSamples(view, element("samples").clientWidth));
    });
  }
  element("samplescard").hidden = !data.samples;
  element("arrows").checked = view.arrows;
  Object.assign(element("slider"), { max: String(data.states - 1), value: String(view.state) });
  element("slide").hidden = element("curvecard").hidden = !data.path;
  element("knee").hidden = data.knee === null;
  element("axis").parentElement.hidden = !data.rotations;
  if (!data.path) element("variance").closest(".card").classList.add("wide");
}

function follow(view, redraw) {
  const slider = element("slider");
  const go = (state) => { view.state = state; slider.value = String(state); redraw(); };
  const choose = (component) => {
    view.component = (component + view.data.p) % view.data.p;
    element("component").value = String(view.component);
    if (view.component !== view.across) { // the samples follow: it goes across, and what was there goes up
      if (view.component === view.up) view.up = view.across;
      view.across = view.component;
      for (const id of ["across", "up"]) element(id).value = String(view[id]);
    }
    view.rowLimit = ROWS_AT_ONCE;
    redraw();
  };
  slider.addEventListener("input", () => { stopPlaying(); go(Number(slider.value)); });
  element("knee").addEventListener("click", () => { stopPlaying(); go(view.data.knee); });
  element("arrows").addEventListener("change", (event) => { view.arrows = event.target.checked; redraw(); });
  element("axis").addEventListener("change", (event) => { view.axis = event.target.value; redraw(); });
  element("component").addEventListener("change", (event) => choose(Number(event.target.value)));
  element("previous").addEventListener("click", () => choose(view.component - 1));
  element("next").addEventListener("click", () => choose(view.component + 1));
  element("rowsof").addEventListener("change", () => { view.rowLimit = ROWS_AT_ONCE; fillTable(view); });
  element("find").addEventListener("input", () => fillTable(view));
  element("more").addEventListener("click", () => { view.rowLimit += ROWS_AT_ONCE; fillTable(view); });
  element("download").addEventListener("click", () => download(view));
  if (view.data.path) element("curve").on("plotly_click", ({ points }) => { if (points[0].curveNumber === 0) go(points[0].pointNumber); });
  element("variance").on("plotly_click", ({ points }) => choose(points[0].pointNumber));
  element("overview").on("plotly_click", ({ points }) => { if (points[0].customdata !== undefined) choose(points[0].customdata); });

  let timer = null;
  const play = element("play");
  const stopPlaying = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  play.addEventListener("click", () => {
    if (timer !== null) return stopPlaying();
    const last = view.data.states - 1;
    go(view.state === last ? 0 : view.state);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => { if (view.state < last) go(view.state + 1); if (view.state === last) stopPlaying(); }, 160);
  });
}

function followTheme(view, redraw) {
  const apply = () => {
    const dark = view.themeName === "dark", button = element("theme");
    document.documentElement.dataset.theme = view.themeName;
    view.theme = readTheme();
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", `Use ${dark ? "light" : "dark"} colours`);
    button.setAttribute("aria-pressed", String(dark));
  };
  const set = (name) => { view.themeName = name; apply(); redraw(); };
  element("theme").addEventListener("click", () => set(view.themeName === "dark" ? "light" : "dark"));
  view.preferred.addEventListener("change", (event) => set(event.matches ? "dark" : "light"));
  apply();
}

async function start() {
  const [data] = await Promise.all([loadData(), loadLibrary()]);
  const view = new View(data);
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawAll(view); });
  };
  followTheme(view, redraw);
  fillWords(view);
  fillControls(view);
  element("controls").hidden = element("main").hidden = false;
  drawAll(view);
  follow(view, redraw);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  element("failure").textContent = `The page could not be drawn (${error.message}). It needs a browser of 2023 or later.`;
  element("failure").hidden = false;
});
