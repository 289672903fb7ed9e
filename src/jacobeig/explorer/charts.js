"use strict";

// The figures: each function takes what is to be seen and returns traces and a layout for Plotly.

// The colours of the charts, from the style sheet: those of the theme that the page has now.
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim(), readAll = (name) => read(name).split(/\s+/);
  const names = ["ink", "muted", "line", "card", "accent", "warm", "shade", "veil"];
  return {
    ...Object.fromEntries(names.map((name) => [name, read(name)])),
    groups: readAll("groups"),
    scale: readAll("scale").map((colour, at, all) => [at / (all.length - 1), colour]),
  };
}

const CONFIG = { responsive: true, displayModeBar: false, doubleClick: false, scrollZoom: false };

// Plotly reads labels as a kind of HTML: what the user wrote must stay text.
const asText = (text) =>
  String(text).replace(/[\u0000-\u001f\u007f]+/g, " ").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const shorten = (text, most) => {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : text;
};
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}%`;
// Of a loading in a table, which lists no zeros.
const portion = (share) => (share < 5e-4 ? "<0.1%" : percent(share));
const number = (value) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
};
// Of a unit vector, so at most 1.
const loading = (value) => (Math.abs(value) < 5e-5 ? value.toExponential(1) : value.toFixed(4)).replace("-", "−");
const capitalise = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function makeLayout(theme, height, margin) {
  return {
    height,
    margin: { l: 52, r: 14, t: 12, b: 46, ...margin },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Arial, sans-serif", size: 13, color: theme.ink },
    hoverlabel: { bgcolor: theme.card, bordercolor: theme.line, font: { color: theme.ink, size: 13 }, align: "left" },
    showlegend: false,
    dragmode: false,
    bargap: 0.25,
  };
}

function axis(theme, title, extra) {
  return {
    title: { text: title, font: { size: 13, color: theme.muted }, standoff: 10 },
    gridcolor: theme.line, linecolor: theme.line, zerolinecolor: theme.line, tickfont: { color: theme.muted },
    fixedrange: true, automargin: true, ...extra,
  };
}

// Magnitudes have no lower half.
const upperHalf = (scale) => scale.slice(2).map(([at, colour]) => [2 * at - 1, colour]);

const bare = (extra) => ({ visible: false, fixedrange: true, ...extra });

// Sums of frequencies fall by orders of magnitude along a front, which no linear axis shows.
const FAR = 20;
const spansDecades = (values) => Math.min(...values) > 0 && Math.max(...values) > FAR * Math.min(...values);
function makeLogarithmic(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => Math.floor(Math.log10(value)));
  const decades = Array.from({ length: high - low + 2 }, (_, at) => 10 ** (low + at));
  const tickvals = decades.flatMap((decade) => (high - low > 2 ? [1] : [1, 2, 5]).map((step) => step * decade));
  return { type: "log", tickmode: "array", tickvals, ticktext: tickvals.map(number) };
}

function makeCurve(view) {
  const { data, theme, state } = view;
  const byDensity = view.axis === "density" || !data.rotations;
  const x = byDensity ? data.density.map((share) => 100 * share) : data.rotations;
  const shares = data.accuracy ?? data.captured;
  const isShare = data.accuracy !== null || data.measure.whole !== null;
  const y = isShare ? shares.map((share) => 100 * share) : shares;
  const logarithmic = !isShare && spansDecades(y);
  const hover = shares.map((share, s) =>
    (data.rotations ? `${data.rotations[s].toLocaleString("en")} ${data.words.rotation}s<br>` : "") +
    `density ${data.densities[s]}<br>${data.curveName} ${isShare ? percent(share) : number(share)}` +
    (data.bounds ? `<br>nobody can be above ${isShare ? percent(data.bounds[s]) : number(data.bounds[s])}` : "") + "<extra></extra>");
  const unit = isShare ? "%" : "";
  const bounds = data.bounds && { x, y: isShare ? data.bounds.map((share) => 100 * share) : data.bounds, hoverinfo: "skip" };
  const knee = data.knee !== null && { x: [x[data.knee]], y: [y[data.knee]], hoverinfo: "skip" };
  return {
    traces: [
      {
        type: "scatter", mode: "lines+markers", x, y, hovertemplate: hover,
        line: { color: theme.accent, width: 2.5 }, marker: { size: 4, color: theme.accent },
      },
      ...(bounds ? [
        { type: "scatter", mode: "lines", x, y, hoverinfo: "skip", line: { width: 0 } },
        // The space between ours and what is possible.
        { type: "scatter", mode: "lines", ...bounds, fill: "tonexty", fillcolor: theme.shade, line: { color: theme.muted, width: 1.5, dash: "dash" } },
      ] : []),
      ...(knee ? [{
        type: "scatter", mode: "markers+text", ...knee, text: ["knee"], textposition: y[data.knee] > y[0] ? "bottom right" : "top right", cliponaxis: false,
        textfont: { color: theme.muted, size: 12 }, marker: { size: 11, symbol: "diamond", color: theme.card, line: { color: theme.accent, width: 2 } },
      }] : []),
      {
        type: "scatter", mode: "markers", x: [x[state]], y: [y[state]], hoverinfo: "skip",
        // A ring, so that the curve is seen to run into it.
        marker: { size: 14, symbol: "circle-open", color: theme.warm, line: { color: theme.warm, width: 4 } },
      },
    ],
    layout: {
      ...makeLayout(theme, 320),
      hovermode: "closest",
      xaxis: axis(theme, byDensity ? "density: entries that are not zero" : `${data.words.rotation}s`,
        { ticksuffix: byDensity ? "%" : "", zeroline: false }),
      yaxis: axis(theme, "", { ticksuffix: unit, zeroline: false, ...(logarithmic ? makeLogarithmic(y) : {}) }),
      shapes: data.exact === null || (logarithmic && data.exact <= 0) ? [] : [
        { type: "line", xref: "paper", x0: 0, x1: 1, y0: data.exact, y1: data.exact, line: { color: theme.muted, width: 1.5, dash: "dash" } },
      ],
    },
  };
}

// Some components only have a number under them, so that the numbers do not touch.
const tickStep = (count, width) => Math.max(1, Math.ceil((28 * count) / width));

function makeVariance(view, width) {
  const { data, theme, state } = view;
  const isShare = data.measure.whole !== null;
  const scaled = (value) => (isShare ? 100 * value : value);
  const shown = (value) => (isShare ? percent(value, 2) : number(value));
  const each = data.explained[state];
  // One range for all states, so that bars are seen to move, unless it would leave none of these to be seen.
  const own = findRange([...each, ...(data.exactEach ?? [])]), flat = !isShare && FAR * own[1] < data.varianceRange[1];
  const x = each.map((_, t) => t + 1);
  const traces = [{
    type: "bar", x, y: each.map(scaled),
    hovertemplate: each.map((value, t) => `${data.words.component} ${t + 1}: ${shown(value)}<extra></extra>`),
    marker: { color: each.map((_, t) => (t === view.component ? theme.warm : theme.accent)) },
  }];
  const exact = data.exactEach;
  const exactName = data.pca ? "full PCA" : "exact";
  const layout = {
    ...makeLayout(theme, 320),
    hovermode: "closest",
    xaxis: axis(theme, data.words.component, { dtick: tickStep(data.p, width), tickangle: 0, range: [0.3, data.p + 0.7], showgrid: false }),
    yaxis: axis(theme, "", { ticksuffix: isShare ? "%" : "", range: (flat ? own : data.varianceRange).map(scaled) }),
  };
  if (data.cumulated) {
    let sum = 0;
    const together = each.map((value) => (sum += value));
    traces.push({
      type: "scatter", mode: "lines+markers", x, y: together.map(scaled), yaxis: "y2",
      hovertemplate: together.map((value, t) => `first ${t + 1} together: ${shown(value)}<extra></extra>`),
      line: { color: theme.ink, width: 2 }, marker: { size: 6, color: theme.ink },
    });
    if (exact) {
      let all = 0;
      const sums = exact.map((value) => (all += value));
      traces.push({
        type: "scatter", mode: "lines", x: exact.map((_, t) => t + 1), y: sums.map(scaled), yaxis: "y2", line: { color: theme.muted, width: 1.5, dash: "dash" },
        hovertemplate: sums.map((value, t) => `${exactName}, first ${t + 1} together: ${shown(value)}<extra></extra>`),
      });
    }
    // Sums dwarf the bars, so they have a panel above them.
    layout.yaxis.domain = [0, 0.56];
    layout.yaxis2 = axis(theme, "", { ticksuffix: "%", range: data.sumRange.map(scaled), domain: [0.66, 1], nticks: 4 });
  }
  if (exact) {
    traces.push({
      type: "scatter", mode: "markers", x: exact.map((_, t) => t + 1), y: exact.map(scaled),
      hovertemplate: exact.map((value, t) => `${exactName}, ${data.words.component} ${t + 1}: ${shown(value)}<extra></extra>`),
      marker: { symbol: "line-ew-open", size: Math.max(8, Math.min(26, (0.55 * width) / data.p)), color: theme.muted, line: { color: theme.muted, width: 2.5 } },
    });
  }
  return { traces, layout };
}

function makeBars(view, width) {
  const { data, theme } = view;
  const entries = view.entries(view.component).sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, view.mostBars);
  const most = width < 480 ? 16 : 26;
  const largest = entries.length ? Math.abs(entries[0].value) : 1;
  return {
    traces: [{
      type: "bar", orientation: "h", x: entries.map((entry) => entry.value), y: entries.map((_, rank) => rank),
      marker: { color: entries.map((entry) => (entry.value < 0 ? theme.scale[0][1] : theme.scale[4][1])) },
      hovertemplate: entries.map((entry) => `${asText(shorten(view.name(entry.feature), 80))}: ${loading(entry.value)}<extra></extra>`),
    }],
    layout: {
      ...makeLayout(theme, Math.max(220, view.barsHeight, BARS_EDGE + BAR * entries.length), { l: 20 }),
      bargap: 0.3,
      xaxis: axis(theme, data.complex ? "magnitude" : "loading", {
        range: [entries.some((entry) => entry.value < 0) ? -1.05 * largest : 0,
          entries.some((entry) => entry.value > 0) ? 1.05 * largest : 0],
        zerolinecolor: theme.muted, nticks: 7,
      }),
      yaxis: axis(theme, "", {
        tickmode: "array", tickvals: entries.map((_, rank) => rank), tickfont: { color: theme.ink },
        ticktext: entries.map((entry) => asText(shorten(view.name(entry.feature), most))),
        range: [Math.max(entries.length, 3) - 0.4, -0.6], showgrid: false, zeroline: false, ticks: "outside", tickcolor: "rgba(0,0,0,0)",
      }),
    },
  };
}

const BAR = 22, BARS_EDGE = 60; // pixels of a bar, and of what is around the bars

// All components as images on one sheet, each in its own frame and by its own scale.
function makeImages(view, width) {
  const { data, theme } = view;
  const [high, wide] = data.shape;
  const shown = Math.min(data.p, 60);
  const gap = 0.16 * Math.max(high, wide);
  let columns = 1; // as few as keep the sheet from growing tall, so that images are large
  while (columns < shown && (Math.ceil(shown / columns) * (high + 1.4 * gap)) / (columns * (wide + gap)) > 460 / width) columns++;
  const caption = (18 * columns * (wide + gap)) / width;
  const traces = [], shapes = [], annotations = [];
  for (let t = 0; t < shown; t++) {
    const left = (t % columns) * (wide + gap), top = Math.floor(t / columns) * (high + gap + caption) + caption;
    const z = Array.from({ length: high }, () => new Array(wide).fill(0));
    const text = z.map((row, r) => row.map((_, c) => `${data.words.component} ${t + 1}, ${asText(view.namePixel(r, c))}: 0`));
    const entries = view.entries(t);
    const largest = entries.reduce((size, entry) => Math.max(size, Math.abs(entry.value)), 1e-300);
    for (const { feature, value } of entries) {
      const at = data.features[feature], r = Math.floor(at / wide), c = at % wide;
      z[r][c] = value / largest;
      text[r][c] = `${data.words.component} ${t + 1}, ${asText(shorten(view.name(feature), 60))}: ${loading(value)}`;
    }
    traces.push({
      type: "heatmap", z, text, x0: left + 0.5, dx: 1, y0: top + 0.5, dy: 1, coloraxis: "coloraxis", customdata: z.map((row) => row.map(() => t)),
      hovertemplate: "%{text}<extra></extra>",
    });
    const chosen = t === view.component;
    shapes.push({
      type: "rect", x0: left, x1: left + wide, y0: top, y1: top + high, layer: "above",
      line: { color: chosen ? theme.warm : theme.line, width: chosen ? 2.5 : 1 },
    });
    annotations.push({
      x: left, y: top, xanchor: "left", yanchor: "bottom", showarrow: false, borderpad: 1, align: "left",
      text: `<b>${t + 1}</b>  ${view.explainedText(t)}`, font: { size: 11, color: chosen ? theme.warm : theme.muted },
    });
  }
  const total = [columns * (wide + gap), Math.ceil(shown / columns) * (high + gap + caption) + 0.02 * high];
  return {
    traces,
    layout: {
      ...makeLayout(theme, Math.ceil((width * total[1]) / total[0]) + 4, { l: 1, r: 1, t: 0, b: 2 }),
      shapes, annotations,
      coloraxis: { colorscale: theme.scale, cmin: -1, cmax: 1, showscale: false },
      xaxis: bare({ range: [-0.02 * wide, total[0] - gap + 0.02 * wide] }),
      yaxis: bare({ range: [total[1], 0] }),
    },
  };
}

function makeMap(view, width) {
  const { data, theme } = view;
  const { x, y, edges } = data.map;
  const lines = { x: [], y: [] };
  for (let e = 0; e < edges.length; e += 2) {
    lines.x.push(x[edges[e]], x[edges[e + 1]], null);
    lines.y.push(y[edges[e]], y[edges[e + 1]], null);
  }
  const entries = view.entries(view.component).sort((a, b) => Math.abs(a.value) - Math.abs(b.value));
  const used = new Set(entries.map((entry) => entry.feature));
  const rest = Array.from(x.keys()).filter((feature) => !used.has(feature));
  const largest = entries.length ? Math.abs(entries[entries.length - 1].value) : 1;
  const narrow = width < 480;
  const size = Math.max(3.5, Math.min(12, (narrow ? 120 : 190) / Math.sqrt(x.length)));
  const hover = (feature, value) => `${asText(shorten(view.name(feature), 60))}: ${loading(value)}<extra></extra>`;
  return {
    traces: [
      { type: "scatter", mode: "lines", ...lines, hoverinfo: "skip", line: { color: theme.line, width: 0.7 } },
      {
        type: "scatter", mode: "markers", x: rest.map((f) => x[f]), y: rest.map((f) => y[f]),
        hovertemplate: rest.map((feature) => hover(feature, 0)),
        marker: { size: 0.45 * size, color: theme.line, line: { color: theme.muted, width: 0.5 } },
      },
      {
        type: "scatter", mode: "markers", x: entries.map((e) => x[e.feature]), y: entries.map((e) => y[e.feature]),
        hovertemplate: entries.map((entry) => hover(entry.feature, entry.value)),
        marker: {
          size, color: entries.map((entry) => entry.value), cmin: data.complex ? 0 : -largest, cmax: largest,
          colorscale: data.complex ? upperHalf(theme.scale) : theme.scale,
          line: { color: theme.muted, width: 0.8 }, showscale: true,
          colorbar: {
            thickness: narrow ? 6 : 10, outlinewidth: 0, len: 0.9, nticks: 5, tickfont: { color: theme.muted, size: 11 },
          },
        },
      },
    ],
    layout: {
      ...makeLayout(theme, Math.round(narrow ? 0.9 * width : Math.min(560, 0.85 * width)), { l: 4, r: 4, t: 4, b: 4 }),
      hovermode: "closest",
      xaxis: bare({ constrain: "domain" }),
      yaxis: bare({ scaleanchor: "x", constrain: "domain" }),
    },
  };
}

const sheetEach = (data) => Math.max(1, Math.floor(30 / data.p));

// The largest loadings of every component side by side; zero is the background.
function makeSheet(view, width) {
  const { data, theme } = view;
  const each = sheetEach(data);
  const rows = [], seen = new Set();
  const values = Array.from({ length: data.p }, (_, t) => new Map(view.entries(t).map((e) => [e.feature, e.value])));
  values.forEach((column) => {
    [...column].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, each).forEach(([feature]) => {
      if (!seen.has(feature)) rows.push(feature);
      seen.add(feature);
    });
  });
  const z = rows.map((feature) => values.map((column) => column.get(feature) ?? 0));
  const largest = values.map((column) => [...column.values()].reduce((size, value) => Math.max(size, Math.abs(value)), 1e-300));
  return {
    traces: [{
      type: "heatmap", z: z.map((row) => row.map((value, t) => value / largest[t])), y: rows.map((_, r) => r), x: values.map((_, t) => t + 1), xgap: 1, ygap: 1,
      text: z.map((row, r) => row.map((value, t) => `${asText(shorten(view.name(rows[r]), 60))}, ${data.words.component} ${t + 1}: ${loading(value)}`)),
      customdata: z.map((row) => row.map((_, t) => t)), hovertemplate: "%{text}<extra></extra>",
      colorscale: theme.scale, zmin: -1, zmax: 1, showscale: false,
    }],
    layout: {
      ...makeLayout(theme, Math.max(260, 70 + 18 * rows.length), { l: 20 }),
      xaxis: axis(theme, data.words.component, { dtick: tickStep(data.p, width), tickangle: 0, showgrid: false, zeroline: false, range: [0.5, data.p + 0.5] }),
      yaxis: axis(theme, "", {
        tickmode: "array", tickvals: rows.map((_, r) => r), tickfont: { color: theme.ink, size: 12 },
        ticktext: rows.map((feature) => asText(shorten(view.name(feature), width < 480 ? 14 : 22))),
        range: [rows.length - 0.5, -0.5], showgrid: false, zeroline: false,
      }),
    },
  };
}

// Samples by their scores on two components.

function describeSample(view, i, x, y) {
  const { samples, words } = view.data, { labels } = samples;
  const name = samples.names ? samples.names[i] : `sample ${samples.numbers[i]}`;
  const label = !labels ? null : labels.values ? number(labels.values[i]) : labels.names[labels.codes[i]];
  const lines = [`<b>${asText(shorten(name, 60))}</b>`];
  if (label !== null) lines.push(`${asText(samples.title)}: ${asText(shorten(label, 60))}`);
  lines.push(`${words.component} ${view.across + 1}: ${number(x[i])}`, `${words.component} ${view.up + 1}: ${number(y[i])}`);
  return `${lines.join("<br>")}<extra></extra>`;
}

// Groups of samples: which they are, what they are called and how they are drawn.
function groupSamples(view) {
  const { samples } = view.data, { labels } = samples, { theme } = view;
  const every = Array.from({ length: samples.count }, (_, i) => i);
  if (!labels) return [{ of: every, name: "", marker: { color: theme.accent } }];
  if (labels.values) {
    const known = every.filter((i) => !Number.isNaN(labels.values[i])), missing = every.filter((i) => Number.isNaN(labels.values[i]));
    const marker = {
      color: known.map((i) => labels.values[i]), colorscale: "Viridis", showscale: true,
      colorbar: { thickness: 10, outlinewidth: 0, nticks: 6, tickfont: { color: theme.muted, size: 11 }, title: { text: asText(samples.title), font: { size: 12, color: theme.muted } } },
    };
    const groups = [{ of: known, name: "", marker }];
    if (missing.length) groups.push({ of: missing, name: "missing", marker: { color: theme.muted, symbol: "x" } });
    return groups;
  }
  const colours = theme.groups, shown = labels.names.slice(0, labels.shown);
  const groups = shown.map((name, code) => ({
    of: every.filter((i) => labels.codes[i] === code), name,
    marker: code < colours.length ? { color: colours[code] }
      : { color: colours[code - colours.length], symbol: "circle-open", line: { color: colours[code - colours.length], width: 1.8 } },
  }));
  if (shown.length < labels.names.length) {
    const name = `other (${(labels.names.length - shown.length).toLocaleString("en")} labels)`;
    groups.push({ of: every.filter((i) => labels.codes[i] >= labels.shown), name, marker: { color: theme.muted, symbol: "x" } });
  }
  return groups.filter((group) => group.of.length);
}

// The largest loadings on both components as arrows from the origin: where more of a feature moves a sample.
function makeArrows(view, ranges, narrow, size) {
  const { theme } = view, ends = new Map();
  [view.across, view.up].forEach((component, side) => {
    for (const { feature, value } of view.entries(component)) {
      if (!ends.has(feature)) ends.set(feature, [0, 0]);
      ends.get(feature)[side] = value;
    }
  });
  const longest = [...ends].sort((a, b) => Math.hypot(...b[1]) - Math.hypot(...a[1])).slice(0, narrow ? 5 : 8);
  // One factor for both axes keeps angles; the longest that leaves every tip inside, less room for its name.
  const room = longest.flatMap(([, end]) => end.map((value, side) => {
    const limit = value < 0 ? ranges[side][0] : ranges[side][1];
    return value ? Math.max(0, limit / value) : Infinity;
  }));
  const factor = 0.82 * Math.min(...room);
  if (!Number.isFinite(factor)) return [];
  const placed = []; // corners of names in pixels: what would cover another moves away from the axis, or back where it is cut off
  return longest.flatMap(([feature, end]) => {
    const [x, y] = end.map((value) => factor * value), name = shorten(view.name(feature), narrow ? 12 : 20);
    const tip = size[0] * ((x - ranges[0][0]) / (ranges[0][1] - ranges[0][0])), long = 7 * name.length;
    const before = x < 0 ? tip > long : tip + long > size[0]; // on the side where it is not cut off
    const left = tip - (before ? long : 0);
    const at = size[1] * ((y - ranges[1][0]) / (ranges[1][1] - ranges[1][0])), step = y < 0 ? -LINE : LINE;
    const covers = (shift) => placed.some((other) => Math.abs(other.at - at - shift) < LINE && left < other.right && other.left < left + long);
    const isCut = (shift) => (y < 0 ? at + shift < LINE : at + shift + LINE > size[1]);
    const away = longest.map((_, turn) => turn * step), back = away.map((shift) => -shift);
    const shift = [...away, ...back].find((one) => !covers(one) && !isCut(one)) ?? 0;
    placed.push({ left, right: left + long, at: at + shift });
    return [
      {
        x, y, ax: 0, ay: 0, axref: "x", ayref: "y", xref: "x", yref: "y", text: "", showarrow: true,
        arrowhead: 2, arrowsize: 1, arrowwidth: 1.6, arrowcolor: theme.ink,
      },
      {
        x, y, xref: "x", yref: "y", yshift: shift, showarrow: false, text: asText(name), xanchor: before ? "right" : "left",
        yanchor: y < 0 ? "top" : "bottom", font: { size: 11, color: theme.ink }, bgcolor: theme.veil, borderpad: 1,
      },
    ];
  });
}
const LINE = 15; // pixels of a name in height

function makeSamples(view, width) {
  const { data, theme } = view, { samples } = data;
  const [x, y] = [view.across, view.up].map((component) => view.scores(component));
  const narrow = width < 560;
  const size = samples.count > 3000 ? 4 : samples.count > 600 ? 5.5 : 8;
  const named = samples.labels !== null && !samples.labels.values;
  const traces = groupSamples(view).map(({ of, name, marker }) => ({
    type: "scatter", mode: "markers", name: asText(shorten(name, narrow ? 18 : 28)), showlegend: name !== "",
    x: of.map((i) => x[i]), y: of.map((i) => y[i]), hovertemplate: of.map((i) => describeSample(view, i, x, y)),
    marker: { size, opacity: 0.85, line: { color: theme.card, width: 0.5 }, ...marker },
  }));
  const ranges = [view.scoreRange(view.across), view.scoreRange(view.up)];
  const height = narrow ? Math.round(width + (named ? 110 : 20)) : 480;
  return {
    traces,
    layout: {
      ...makeLayout(theme, height),
      annotations: view.arrows ? makeArrows(view, ranges, narrow, narrow ? [width - 70, width - 70] : [width - 160, height - 70]) : [],
      hovermode: "closest", uirevision: "samples", showlegend: named || traces.length > 1,
      legend: {
        title: { text: asText(samples.title), font: { size: 12, color: theme.muted } }, itemsizing: "constant",
        ...(narrow ? { orientation: "h", y: -0.2, yanchor: "top" } : {}),
      },
      xaxis: axis(theme, `${data.words.component} ${view.across + 1}`, { range: ranges[0], zerolinecolor: theme.muted }),
      yaxis: axis(theme, `${data.words.component} ${view.up + 1}`, { range: ranges[1], zerolinecolor: theme.muted }),
    },
  };
}
