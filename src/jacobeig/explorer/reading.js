
// What stands in the page as text becomes numbers.

const element = (id) => document.getElementById(id);

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

async function unpack({ dtype, data }) {
  const kinds = { uint32: Uint32Array, int32: Int32Array, float32: Float32Array };
  return new kinds[dtype](await inflate(data));
}

async function loadLibrary() {
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await inflate(element("library").textContent));
  document.head.append(script);
}

async function loadData() {
  const data = JSON.parse(element("data").textContent);
  for (const name of ["features", "counts", "steps", "values"]) data[name] = await unpack(data[name]);
  if (data.map) for (const name of ["x", "y", "edges"]) data.map[name] = await unpack(data.map[name]);
  if (data.stability) data.stability.values = await unpack(data.stability.values);
  if (data.samples) await loadSamples(data.samples);
  data.places = new Uint32Array(data.steps.length);
  for (let at = 0, place = 0; at < data.steps.length; at++) data.places[at] = place += data.steps[at];
  data.starts = new Float64Array(data.counts.length + 1);
  data.counts.forEach((count, at) => (data.starts[at + 1] = data.starts[at] + count));
  data.states = data.nonzeros.length;
  data.density = data.nonzeros.map((count) => count / (data.n * data.p));
  const whole = data.measure.whole;
  data.curveName = data.accuracy ? (data.pca ? "share of full PCA" : "accuracy") : whole ? data.measure.name : `sum of ${data.measure.plural}`;
  data.cumulated = data.measure.addsUp && whole !== null;
  data.varianceRange = findRange([...data.explained.flat(), ...(data.exactEach ?? [])]);
  data.sumRange = findRange([...data.captured, ...(data.exactEach ? [data.exactEach.reduce((a, b) => a + b, 0)] : [])]);
  return data;
}

// Around zero and all values; it stays while the slider moves.
function findRange(values) {
  const low = values.reduce((a, b) => Math.min(a, b), 0), high = values.reduce((a, b) => Math.max(a, b), 0);
  return [low < 0 ? low - 0.05 * (high - low) : 0, high + 0.05 * (high - low)];
}

async function loadSamples(samples) {
  for (const name of ["numbers", "columns"]) samples[name] = await unpack(samples[name]);
  if (samples.features) samples.features = await unpack(samples.features);
  if (samples.unmix) samples.unmix = await unpack(samples.unmix);
  for (const name of ["values", "codes"]) if (samples.labels?.[name]) samples.labels[name] = await unpack(samples.labels[name]);
  samples.columnOf = new Map(Array.from(samples.features ?? [], (feature, column) => [feature, column]));
}
