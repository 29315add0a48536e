// The page of `equipoise serve`: gives what people have to the service, shows what it answers. Keeps nothing.

const at = (id) => document.getElementById(id);
const put = (tag, text = "", more = {}) => {
  const made = Object.assign(document.createElement(tag), more);
  if (text !== "") made.textContent = text;
  return made;
};
const plural = (n, noun) => `${thousands(n)} ${noun}${n === 1 ? "" : "s"}`;

const EXAMPLE = ["Topic: orders\tPartitionCount: 6\tReplicationFactor: 3\tConfigs: min.insync.replicas=2",
  ...["1,2,3", "2,3,4", "3,4,1", "1,3,4", "1,2,4", "2,1,3"].map((held, k) => `Topic: orders\tPartition: ${k}\tLeader: ${held[0]}\tReplicas: ${held}\tIsr: ${held}`),
].join("\n");

const UNNAMED = "cluster", MOST_FILES = 200;

// made: by what was asked, the wishes that what is shown of it was made with
const state = { token: "", files: [], page: null, drained: new Set(), racks: new Map(), job: null, frontier: null, asked: 0, made: {} };

// ---- the service

class Refused extends Error {
  constructor(status, body) {
    const { problem = `the service answered ${status}`, source = "", place = "", advice = "", relaxations = [] } = (body && body.error) || {};
    const where = [source, place].filter(Boolean).join(", ");
    super(`${where ? `${where}: ` : ""}${problem}${advice ? `. ${advice}` : ""}`);
    Object.assign(this, { status, relaxations });
  }
}

async function ask(path, more = {}) {
  const headers = { ...(more.headers || {}), ...(state.token ? { Authorization: `Bearer ${state.token}` } : {}) };
  let answer;
  try {
    answer = await fetch(path, { ...more, headers });
  } catch {
    throw new Refused(0, { error: { problem: "the service does not answer" } });
  }
  if (answer.ok) return answer;
  if (answer.status === 401) at("s-token-form").hidden = false;
  throw new Refused(answer.status, await answer.json().catch(() => null));
}

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

// A job from its start to its end; a later one takes its place, and then this one ends without a word.
async function job(verb, doing, call) {
  const turn = ++state.asked, begun = Date.now(), earlier = state.job;
  const late = () => { if (turn !== state.asked) throw new Superseded(); };
  state.job = null;
  fault(null);
  busy(doing);
  try {
    if (earlier) await ask(`api/jobs/${earlier}`, { method: "DELETE" }).catch(() => {});
    const headers = { "Content-Type": "application/json", Prefer: "respond-async" };
    let told = await (await ask(`api/${verb}`, { method: "POST", headers, body: JSON.stringify(call) })).json();
    late();
    state.job = told.job;
    for (let wait = 60; told.state === "waiting" || told.state === "running"; wait = Math.min(800, wait * 1.4)) {
      await pause(wait);
      late();
      told = await (await ask(`api/jobs/${told.job}`)).json();
      late();
      const since = Math.round((Date.now() - begun) / 1000);
      busy(`${doing}${told.doing ? `: ${told.doing}` : ""}${since > 1 ? ` (${since} s)` : ""}`);
    }
    state.job = null;
    if (told.error) throw new Refused(0, told);
    const answer = { id: told.job, part: async (name) => ask(`api/jobs/${told.job}/${name}`) };
    answer.result = await (await answer.part("result")).json();
    late();
    return answer;
  } catch (error) {
    late(); // what an earlier job says is of no interest any more
    throw error;
  } finally {
    if (turn === state.asked) busy(null);
  }
}

class Superseded extends Error {}

// What a button does; what goes wrong with it is said.
const doing = (action) => async (event) => {
  if (event) event.preventDefault();
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Superseded)) fault(error);
  }
};

function busy(text) {
  at("s-busy").hidden = text === null;
  if (text !== null) at("s-doing").textContent = text;
  for (const id of ["s-plan", "s-frontier", "s-compare", "s-judge", "s-take"]) at(id).disabled = text !== null;
}

function fault(error) {
  const box = at("s-fault");
  box.hidden = error === null;
  box.replaceChildren();
  if (error === null) return;
  const words = put("div"), close = put("button", "Close", { type: "button", className: "plain" });
  words.append(put("p", inWords(error.message)));
  close.addEventListener("click", () => fault(null));
  box.append(words, close);
  if (!(error instanceof Refused)) throw error; // a fault of this page
}

// ---- words

// Sentences name options of the command line; here they name the field that stands for one, with its value.
const OPTION = /--([a-z]+(?:-[a-z]+)*)(?: (\d[\w:=/-]*(?:,[\w:=/-]+)*|all|disk|network-in|leaders-in|replication-out|network-out|cpu|leaders|strict|spread|level)(?![\w-]))?/g;
const OF_BROKERS = { drain: "empty it", racks: "rack" };

function inWords(text) {
  return text.replace(OPTION, (found, option, value = "") => {
    const field = document.querySelector(`[data-option="${option}"], [data-field="${option}"]`);
    const many = value.replace(/:RACK$/, "").replaceAll(",", ", ");
    if (option in OF_BROKERS) return `“${OF_BROKERS[option]}”${many ? ` at broker ${many}` : ""}`;
    if (!field) return found;
    const title = (field.type === "checkbox" ? field.closest("label") : document.querySelector(`label[for="${field.id}"]`)).textContent.trim();
    return `“${title}${value ? `: ${value}` : ""}”`;
  });
}

// All that stands under an element but what is to be copied.
function reworded(box) {
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    if (!walk.currentNode.parentElement.closest("pre, code, script")) walk.currentNode.data = inWords(walk.currentNode.data);
  }
}

// ---- what people have

async function sourceOf({ name, file }) {
  const raw = new Uint8Array(await file.arrayBuffer().catch(() => { throw new Refused(0, { error: { source: name, problem: "cannot be read" } }); }));
  try {
    return { name, text: new TextDecoder("utf-8", { fatal: true }).decode(raw) };
  } catch {
    let text = "";
    for (let k = 0; k < raw.length; k += 0x8000) text += String.fromCharCode(...raw.subarray(k, k + 0x8000));
    return { name, base64: btoa(text) };
  }
}

const sources = () => [...(at("s-text").value.trim() ? [{ name: "pasted.txt", text: at("s-text").value }] : []), ...state.files];

// What the cluster is called: as the folder or the archive that it came in; a file is called by what is in it.
function clusterName() {
  const place = sources().map((source) => source.name).find((name) => name.includes("/") || /\.zip$/i.test(name)) ?? "";
  return place.split("/")[0].replace(/\.zip$/i, "").slice(0, 200) || UNNAMED;
}

const isSource = (name) => !/^[._]|\.(md|toml)$|~$/i.test(name); // as the command line sees what stands beside sources
const heard = (ask) => new Promise((done, failed) => ask(done, failed));

async function listed(folder) {
  const reader = folder.createReader(), all = [];
  for (let some; (some = await heard((done, failed) => reader.readEntries(done, failed))).length;) all.push(...some);
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

// The files of what was dropped; of a folder those that lie in it, or else those in its folders.
async function within(entry) {
  if (entry.isFile) return [{ name: entry.fullPath.slice(1), file: await heard((done, failed) => entry.file(done, failed)) }];
  const all = (await listed(entry)).filter(({ name }) => isSource(name)), plain = all.filter((one) => one.isFile);
  return (await Promise.all((plain.length ? plain : all).map(within))).flat();
}

async function dropped(entries) {
  const found = (await Promise.all(entries.map(within)).catch(() => { throw new Refused(0, { error: { problem: "what was dropped cannot be read" } }); })).flat();
  if (!found.length) throw new Refused(0, { error: { problem: "there is no file in what was dropped" } });
  await taken(found);
}

const named = (files) => [...files].map((file) => ({ name: file.name, file }));

async function taken(files) {
  if (files.length > MOST_FILES) throw new Refused(0, { error: { problem: `${plural(files.length, "file")} are too many`, advice: "Give those of one cluster" } });
  const more = await Promise.all(files.map(sourceOf));
  const names = new Set(more.map((file) => file.name));
  state.files = [...state.files.filter((file) => !names.has(file.name)), ...more];
  listSources();
  await look();
}

function listSources() {
  at("s-sources").replaceChildren(...state.files.map((file) => {
    const item = put("li", file.name);
    const gone = put("button", "×", { type: "button" });
    gone.setAttribute("aria-label", `remove ${file.name}`);
    gone.addEventListener("click", doing(async () => { state.files = state.files.filter((other) => other !== file); listSources(); await look(); }));
    item.append(gone);
    return item;
  }));
}

async function look() {
  state.made = {};
  fresh();
  if (!sources().length) {
    for (const id of ["s-cluster", "s-wish", "s-other"]) at(id).hidden = true;
    return;
  }
  const answer = await job("show", "reading", { sources: sources(), name: clusterName() }), { result } = answer;
  const page = await (await answer.part("report.html")).text();
  const known = new Set(result.brokers.map((row) => row.id));
  state.drained = new Set([...state.drained].filter((id) => known.has(id)));
  state.racks = new Map([...state.racks].filter(([id]) => known.has(id)));
  await showCluster(result, page);
}

// ---- the cluster as it is

function note(lines) {
  if (!lines.length) return [];
  const list = put("ul"), box = put("div", "", { className: "note" });
  list.append(...lines.map((line) => put("li", inWords(line))));
  box.append(list);
  return [box];
}

function card(title, value, small) {
  const box = put("div", "", { className: "card" }), shownValue = put("dd", value);
  shownValue.append(put("small", small));
  box.append(put("dt", title), shownValue);
  return box;
}

// A figure in a table: as it is read, and as it is sorted.
function measured(unit, value) {
  const cell = put("td", said(unit, value), { className: "num" });
  cell.dataset.value = value ?? "";
  return cell;
}

function row(title, cells) {
  const made = put("tr");
  made.append(put("th", title, { scope: "row" }), ...cells);
  return made;
}

async function showCluster(data, page) {
  const { counts } = data, name = clusterName();
  at("s-name").textContent = name === UNNAMED ? "The cluster" : name;
  at("s-counts").textContent = [plural(counts.brokers, "broker") + (counts.racks ? ` in ${plural(counts.racks, "rack")}` : ""),
    plural(counts.topics, "topic"), plural(counts.partitions, "partition"), plural(counts.replicas, "replica")].join(" · ");
  if (data.part.length) at("s-more").open = true; // there a part can be planned as one
  listBrokers(data);
  for (const id of ["s-cluster", "s-wish", "s-other"]) at(id).hidden = false;
  state.page = await showReport(page, "s-as-it-is", "s-cluster");
  state.page.going = state.drained;
  drawLevels();
}

// The bars of brokers that are to be emptied have another colour.
const drawLevels = () => { if (state.page) drawAll(at("s-as-it-is"), state.page); };

function listBrokers(data) {
  const known = data.loads.filter((load) => load.most !== null && load.load !== "failover");
  const head = put("tr");
  head.append(...["broker", "empty it", "rack", "state", ...known.map((load) => load.title.toLowerCase())]
    .map((title, k) => put("th", title, { scope: "col", className: k > 3 ? "num" : "" })));
  at("s-brokers").tHead.replaceChildren(head);
  sorting(at("s-brokers"));
  at("s-brokers").tBodies[0].replaceChildren(...data.brokers.map((broker) => {
    const made = put("tr");
    const tick = put("input", "", { type: "checkbox", checked: state.drained.has(broker.id) });
    tick.setAttribute("aria-label", `empty broker ${broker.id}`);
    tick.addEventListener("change", () => {
      state.drained[tick.checked ? "add" : "delete"](broker.id);
      made.classList.toggle("going", tick.checked);
      drawLevels();
    });
    made.classList.toggle("going", tick.checked);
    const rack = put("input", "", { type: "text", value: state.racks.get(broker.id) ?? broker.rack ?? "", autocomplete: "off", spellcheck: false });
    rack.setAttribute("aria-label", `rack of broker ${broker.id}`);
    rack.placeholder = "unknown";
    rack.addEventListener("input", () => {
      const given = rack.value.trim();
      if (given && given !== broker.rack) state.racks.set(broker.id, given);
      else state.racks.delete(broker.id);
    });
    const label = put("label"), cells = ["", "", "", broker.down ? "not alive" : ""].map((text) => put("td", text));
    label.append(tick);
    cells[1].append(label);
    cells[2].append(rack);
    if (broker.down) cells[3].title = broker.down;
    cells[0] = put("th", broker.id, { scope: "row" });
    made.append(...cells, ...known.map((load) => measured(load.unit, broker[load.load])));
    return made;
  }));
}

function plot(id, option) {
  const box = at(id), drawnPlot = echarts.getInstanceByDom(box) || echarts.init(box);
  drawnPlot.resize();
  drawnPlot.setOption(option, true);
}

// ---- what people wish

function options() {
  const found = {};
  for (const field of document.querySelectorAll("[data-option]")) {
    if (field.type === "checkbox" ? field.checked : field.value.trim()) found[field.dataset.option] = field.type === "checkbox" ? true : field.value.trim();
  }
  if (state.drained.size) found.drain = [...state.drained].sort((a, b) => a - b).join(",");
  if (state.racks.size) found.racks = Object.fromEntries(state.racks);
  return found;
}

// What is asked beside the sources, and where the answer stands.
const without = (found, ...names) => Object.fromEntries(Object.entries(found).filter(([name]) => !names.includes(name)));
const throttle = () => { const given = at("o-throttle").value.trim(); return given ? { throttle: given } : {}; };
const WISHES = {
  plan: () => ({ options: options(), ...throttle() }),
  compare: () => ({ options: options() }),
  frontier: () => ({ options: without(options(), "max-moves", "max-bytes") }),
  check: () => ({ options: options(), reassignment: { name: "reassignment.json", text: at("s-theirs").value } }),
};
const PLACES = { plan: "s-result", compare: "s-compared", frontier: "s-budgets", check: "s-verdict" };
const TITLES = { plan: "the plan", compare: "the comparison", frontier: "the budgets", check: "the verdict" };

async function answered(verb, doing, show) {
  const wishes = WISHES[verb]();
  fresh();
  const answer = await job(verb, doing, { sources: sources(), name: clusterName(), ...wishes });
  const place = at(PLACES[verb]);
  place.hidden = false; // charts take the width that they have when they are drawn
  place.ariaBusy = "true"; // a screen reader waits until all of it is there
  try {
    await show(answer);
    state.made[verb] = JSON.stringify(wishes);
  } finally {
    place.ariaBusy = "false";
    fresh();
  }
  reached(place);
}

// What was made for other wishes than those that stand here now is hidden, and comes back with them.
function fresh() {
  const other = [];
  for (const [verb, place] of Object.entries(PLACES)) {
    const made = state.made[verb], same = made !== undefined && made === JSON.stringify(WISHES[verb]());
    if (made !== undefined && !same) other.push(TITLES[verb]);
    if (at(place).hidden === same) { at(place).hidden = !same; if (same) dispatchEvent(new Event("resize")); }
  }
  at("s-earlier").hidden = !other.length;
  at("s-earlier").textContent = other.length ? `Hidden, for it was made for other wishes: ${other.join(", ")}. Ask again, or take the change back.` : "";
}

function reached(place) {
  if (place.hidden) return;
  const head = place.querySelector("h2") ?? place;
  head.focus({ preventScroll: true });
  head.scrollIntoView({ block: "start" });
}

const plan = () => answered("plan", "planning", async (answer) => {
  const [report, command, moved] = await Promise.all(["report.html", "command", "reassignment.json"].map(async (name) => (await answer.part(name)).text()));
  await showReport(report, "s-report");
  at("s-command").textContent = command;
  const zip = await (await answer.part("plan.zip")).blob(), name = clusterName();
  download([
    [`${name}-plan.zip`, "The plan folder (zip)", zip],
    [`${name}-reassignment.json`, "reassignment.json", new Blob([moved], { type: "application/json" })],
    [`${name}-plan.json`, "plan.json", new Blob([JSON.stringify(answer.result, null, 1)], { type: "application/json" })],
  ]);
});

function download(files) {
  for (const link of at("s-downloads").children) URL.revokeObjectURL(link.href);
  at("s-downloads").replaceChildren(...files.map(([name, title, blob]) => put("a", title, { href: URL.createObjectURL(blob), download: name })));
}

// A report is a file of its own: what stands in it is taken over, a level lower, and its charts are drawn here.
async function showReport(html, place) {
  const made = new DOMParser().parseFromString(html, "text/html");
  const data = JSON.parse(await unpacked("page-data", made));
  for (const box of at(place).querySelectorAll(".chart")) echarts.getInstanceByDom(box)?.dispose();
  const parts = [...made.querySelectorAll("header.top nav, main > :not(#too-old, noscript)")];
  at(place).replaceChildren(...parts.map((part) => document.adoptNode(part)));
  reworded(at(place));
  for (const level of [3, 2]) for (const head of at(place).querySelectorAll(`h${level}`)) lowered(head, level + 1);
  await enliven(at(place), data);
  return data;
}

function lowered(head, level) {
  const lower = put(`h${level}`, "", { id: head.id });
  lower.append(...head.childNodes);
  head.replaceWith(lower);
}

// ---- published algorithms

const compare = () => answered("compare", "comparing", async (answer) => showReport(await (await answer.part("report.html")).text(), "s-comparison"));

// ---- budgets

const frontier = () => answered("frontier", "planning budgets", async (answer) => {
  const page = await (await answer.part("page")).json();
  const all = answer.result.points.map((point, k) => ({ ...point, cells: page.rows[k].cells }));
  const points = all.filter((point) => !point.reason), none = all.filter((point) => point.reason);
  if (!points.length) throw new Refused(0, { error: { problem: none[0].reason } });
  state.frontier = { ...answer.result, points, page };
  at("s-small").replaceChildren(...note([...answer.result.warnings, ...none.map((point) => `${point.cells[0]}: no plan: ${point.reason}`)]));
  const slide = at("s-budget");
  slide.max = points.length - 1;
  slide.value = points.length - 1;
  at("s-curve-caption").textContent = `${page.level}: ${page.meaning}. ${page.charts.frontier.caption}`;
  await chartsAtHand();
  showPoint();
});

function showPoint() {
  const { points, page } = state.frontier, point = points[Number(at("s-budget").value)];
  const [share, budget] = point.cells[0].split(" · ");
  const small = [`${budget}, of what the plan without a budget moves`, "replicas copied", "copied", "least and most on a broker", page.meaning, "no plan within this budget is below"];
  at("s-point").replaceChildren(...page.columns.map((title, k) => card(title, k ? point.cells[k] : share, small[k] || "")));
  at("s-budget").setAttribute("aria-valuetext", `${point.cells[0]}: ${point.cells[4]}`);
  drawFrontier();
}

function drawFrontier() {
  if (!state.frontier || at("s-budgets").hidden) return;
  const { points, page } = state.frontier, ours = `${points[Number(at("s-budget").value)].percent} %`;
  plot("s-curve", drawCurve({ ...page.charts.frontier, ours }, theme()));
}

function takeBudget() {
  const { unit, points } = state.frontier, point = points[Number(at("s-budget").value)];
  at("o-moves").value = unit === "bytes" ? "" : point.budget;
  at("o-bytes").value = unit === "bytes" ? point.budget : "";
  return plan();
}

// ---- another tool's plan

async function judge() {
  if (!at("s-theirs").value.trim()) throw new Refused(0, { error: { problem: "there is nothing to judge", advice: "Paste the JSON of another tool" } });
  await answered("check", "judging", async (answer) => showVerdict({ ...answer.result, distances: await (await answer.part("page")).json() }));
}

function showVerdict(verdict) {
  const passed = verdict.verdict === "pass", most = 20, head = put("p"), bytesMoved = verdict.bytes_moved;
  head.append(put("span", passed ? "no rule is broken" : plural(verdict.violations.length, "violation"), { className: `badge ${passed ? "best" : "none"}` }),
    ` ${plural(verdict.data_moves, "data move")}${bytesMoved ? `, ${bytes(bytesMoved)}` : ""}, ${plural(verdict.leadership_changes, "leadership change")}, ${plural(verdict.partitions_changed, "partition")} changed`);
  const broken = verdict.violations.slice(0, most).map((one) => (one.topic === null ? one.detail : `${one.topic}-${one.partition}: ${one.detail}`));
  if (verdict.violations.length > most) broken.push(`and ${verdict.violations.length - most} more`);
  const parts = [head, ...note([...broken, ...verdict.notes])];
  if (verdict.distances.length) {
    const frame = put("div", "", { className: "scroll" }), table = put("table"), top = put("tr"), body = put("tbody");
    top.append(...["Goal", "theirs", "ours, the best", "difference"].map((title, k) => put("th", title, { scope: "col", className: k ? "num" : "" })));
    body.append(...verdict.distances.map(({ goal, cells, worse }) => {
      const made = row(goal, cells.map((text) => put("td", text, { className: "num" })));
      made.classList.toggle("bad", worse);
      return made;
    }));
    table.append(put("caption", "Goals in their order: the first in which they differ decides"), put("thead"), body);
    table.tHead.append(top);
    frame.append(table);
    parts.push(frame);
  }
  at("s-verdict").replaceChildren(...parts);
  handy(at("s-verdict"));
}

// ---- the page

function listen() {
  let typing;
  at("s-text").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(doing(look), 500); });
  at("s-choose").addEventListener("click", () => at("s-files").click());
  at("s-files").addEventListener("change", doing(async () => { await taken(named(at("s-files").files)); at("s-files").value = ""; }));
  at("s-example").addEventListener("click", doing(async () => { at("s-text").value = EXAMPLE; await look(); }));
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    addEventListener(kind, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      at("s-drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
      if (kind !== "drop") return;
      const { files, items } = event.dataTransfer, entries = [...items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
      doing(() => (entries.length ? dropped(entries) : taken(named(files))))();
    });
  }
  for (const kind of ["input", "change"]) at("s-wish").addEventListener(kind, fresh);
  at("s-theirs").addEventListener("input", fresh);
  at("s-wish").addEventListener("submit", doing(plan));
  at("s-frontier").addEventListener("click", doing(frontier));
  at("s-compare").addEventListener("click", doing(compare));
  at("s-budget").addEventListener("input", showPoint);
  at("s-take").addEventListener("click", doing(takeBudget));
  at("s-judge").addEventListener("click", doing(judge));
  at("s-cancel").addEventListener("click", doing(async () => {
    const running = state.job;
    state.asked += 1;
    state.job = null;
    busy(null);
    if (running) await ask(`api/jobs/${running}`, { method: "DELETE" });
  }));
  at("s-token-form").addEventListener("submit", doing(async () => {
    state.token = at("s-token").value.trim();
    at("s-token-form").hidden = true;
    await look();
  }));
  const redraw = () => { if (window.echarts) drawFrontier(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("resize", redraw);
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) { state.token = given; history.replaceState(null, "", location.pathname); }
}
listen();
