// Unpacks what the page carries, draws the charts, and makes tables searchable and sortable.

async function unpacked(id, page = document) {
  const raw = Uint8Array.from(atob(page.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function drawAll(root, data) {
  const look = theme();
  for (const box of root.querySelectorAll(".chart")) {
    const chart = data.charts[box.dataset.chart];
    if (HEIGHT[chart.kind]) box.style.height = `${HEIGHT[chart.kind](chart)}px`;
    const drawn = echarts.getInstanceByDom(box) || echarts.init(box);
    drawn.setOption(DRAW[chart.kind](chart, look, data, chosen(root, box.dataset.chart)), true);
    if (CLICKS[chart.kind] && data.moves?.total) clickable(drawn, chart, data);
  }
}

// What is chosen for a chart: a load of several, by its number, or whether only differences are shown.
function chosen(root, id) {
  const differences = root.querySelector(`[data-differences="${id}"]`), choice = root.querySelector(`[data-choice="${id}"]`);
  return choice ? Number(choice.value) : Boolean(differences?.checked);
}

// Which changes a place in a chart stands for, as one would search them.
const CLICKS = {
  brokers: (chart, data, x) => `broker ${data.axis.ids[x]}`,
  heat: (chart, data, x, y) => (/\d …/.test(chart.from[y] + chart.to[x]) ? "" : `${/^\d/.test(chart.from[y]) ? "broker " : ""}${chart.from[y]} → ${chart.to[x]}`),
  waves: (chart, data, x, y) => `wave ${y + 1}`,
};

// A click anywhere above a broker's name, or beside a wave's, shows its changes: an empty one has no bar to hit.
function clickable(drawn, chart, data) {
  const canvas = drawn.getZr();
  canvas.off("click");
  canvas.on("click", ({ offsetX, offsetY }) => {
    if (!showChanges || !drawn.containPixel({ gridIndex: 0 }, [offsetX, offsetY])) return;
    const [x, y] = drawn.convertFromPixel({ gridIndex: 0 }, [offsetX, offsetY]), wanted = CLICKS[chart.kind](chart, data, x, y);
    if (wanted) showChanges(wanted);
  });
}

const kept = new Map(); // by where charts are drawn: ends when others take their place

function keepDrawn(root, data) {
  kept.get(root)?.abort();
  kept.set(root, new AbortController());
  const { signal } = kept.get(root);
  const redraw = () => drawAll(root, data);
  const resize = () => root.querySelectorAll(".chart").forEach((box) => echarts.getInstanceByDom(box).resize());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal });
  root.querySelectorAll("[data-differences], [data-choice]").forEach((box) => box.addEventListener("change", redraw));
  root.querySelectorAll("[data-choice]").forEach((box) => box.addEventListener("change", () => {
    const { choice } = box.dataset;
    root.querySelector(`[data-caption="${choice}"]`).textContent = data.charts[choice].loads[Number(box.value)].caption;
  }));
  addEventListener("resize", resize, { signal });
  addEventListener("beforeprint", resize, { signal });
}

// The moves table: all rows stay in memory as columns, fifty at a time are in the page.
function movesTable(moves) {
  const body = document.querySelector("#moves tbody");
  if (!body) return;
  const search = document.getElementById("search"), kind = document.getElementById("kind");
  const count = document.getElementById("count"), more = document.getElementById("more");
  const step = 50;
  let found = [], drawn = 0, order = null;

  const text = (k) => `${moves.topics[moves.topic[k]]}-${moves.partition[k]} ${moves.sentences[moves.why[k]]}`.toLowerCase();
  const onBroker = (k, id) => moves.before[k].includes(id) || moves.after[k].includes(id);
  // Whether a replica leaves one broker, or is added, and one comes to another.
  const goes = (k, from, to) => moves.after[k].includes(to) && !moves.before[k].includes(to)
    && (from === undefined ? moves.after[k].length > moves.before[k].length : moves.before[k].includes(from) && !moves.after[k].includes(from));
  function matcher() {
    const wanted = search.value.trim().toLowerCase(), broker = wanted.match(/^broker (\d+)$/), wave = wanted.match(/^wave (\d+)$/);
    const way = wanted.match(/^(?:broker (\d+)|added copies) *(?:→|->) *(\d+)$/);
    const rightKind = (k) => kind.value === "" || moves.kind[k] === Number(kind.value);
    if (broker) return (k) => rightKind(k) && onBroker(k, Number(broker[1]));
    if (wave) return (k) => rightKind(k) && moves.wave[k] === Number(wave[1]);
    if (way) return (k) => rightKind(k) && goes(k, way[1] && Number(way[1]), Number(way[2]));
    return (k) => rightKind(k) && (wanted === "" || text(k).includes(wanted));
  }
  const cell = (row, content, name) => { const td = row.insertCell(); td.append(content); if (name) td.className = name; return td; };
  function list(row, ids, others, name) {
    const td = cell(row, "", "lists");
    ids.forEach((id, at) => {
      const part = document.createElement(others.includes(id) ? "span" : "b");
      part.textContent = id;
      if (!others.includes(id)) part.className = name;
      td.append(at ? ", " : "", part);
    });
  }
  function append() {
    for (const k of found.slice(drawn, drawn + step)) {
      const row = body.insertRow();
      const number = Object.assign(document.createElement("span"), { className: "name", textContent: `-${moves.partition[k]}` });
      cell(row, moves.topics[moves.topic[k]]).append(number);
      list(row, moves.before[k], moves.after[k], "gone");
      list(row, moves.after[k], moves.before[k], "new");
      cell(row, moves.kinds[moves.kind[k]]);
      cell(row, moves.bytes[k] === null ? "–" : moves.bytes[k] ? bytes(moves.bytes[k]) : "0", "num");
      cell(row, moves.sentences[moves.why[k]], "why");
    }
    drawn = Math.min(found.length, drawn + step);
    more.hidden = drawn >= found.length;
    count.textContent = drawn < found.length ? `the first ${thousands(drawn)} of ${thousands(found.length)}` : `${thousands(drawn)} shown`;
  }
  function filter() {
    const matches = matcher();
    found = moves.topic.map((_, k) => k).filter(matches);
    if (order) found.sort(order);
    drawn = 0;
    body.replaceChildren();
    append();
  }
  const name = (k) => `${moves.topics[moves.topic[k]]}-${moves.partition[k]}`;
  const byName = (a, b) => name(a).localeCompare(name(b), "en", { numeric: true });
  const lists = (side) => (a, b) => String(side[a]).localeCompare(String(side[b]), "en", { numeric: true });
  const by = [byName, lists(moves.before), lists(moves.after), (a, b) => moves.kind[a] - moves.kind[b], (a, b) => (moves.bytes[a] ?? -1) - (moves.bytes[b] ?? -1),
    (a, b) => moves.sentences[moves.why[a]].localeCompare(moves.sentences[moves.why[b]], "en", { numeric: true })];
  headings(body.parentElement, (column, sign) => { order = (a, b) => sign * by[column](a, b) || byName(a, b); filter(); });
  showChanges = (wanted) => {
    search.value = wanted;
    kind.value = "";
    filter();
    search.closest(".tools").scrollIntoView();
    search.focus({ preventScroll: true });
  };
  document.querySelectorAll("[data-broker]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    showChanges(`broker ${link.dataset.broker}`);
  }));
  search.addEventListener("input", filter);
  kind.addEventListener("change", filter);
  more.addEventListener("click", append);
  filter();
}

let showChanges; // searches the changes, where the page has a table of them

// What is folded is printed too.
function unfoldForPrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
}

// Makes the headings of a table buttons; `sort` hears the column and 1 or -1, up or down.
function headings(table, sort) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const buttons = heads.map((head) => {
    const button = document.createElement("button");
    button.type = "button";
    if (head.title) button.title = head.title;
    button.append(...head.childNodes);
    head.replaceChildren(button);
    return button;
  });
  buttons.forEach((button, column) => button.addEventListener("click", () => {
    const down = button.dataset.sorted === "up";
    buttons.forEach((other, k) => { delete other.dataset.sorted; heads[k].removeAttribute("aria-sort"); });
    button.dataset.sorted = down ? "down" : "up";
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    sort(column, down ? -1 : 1);
  }));
}

// What a row is sorted by: what its cell says it is worth, what is filled in, or its text.
function worth(row, column) {
  const cell = row.cells[column], field = cell?.querySelector("input");
  if (!cell || cell.colSpan > 1) return ""; // one cell takes the whole row: there is nothing to compare
  if (field) return field.type === "checkbox" ? String(Number(!field.checked)) : field.value;
  return cell.dataset.value ?? cell.textContent.trim().replace(/^–$/, "");
}

const numberOf = (text) => Number(text.replace(/,/g, ""));
const compared = (a, b) => (isNaN(numberOf(a)) || isNaN(numberOf(b)) ? a.localeCompare(b, "en", { numeric: true }) : numberOf(a) - numberOf(b));

// A click on a heading sorts the rows that are there then.
function sorting(table) {
  const body = table.tBodies[0];
  headings(table, (column, sign) => {
    const rows = [...body.rows].map((row) => [worth(row, column), row]);
    rows.sort(([x], [y]) => (x === "" || y === "" ? (x === "") - (y === "") : compared(x, y) * sign)); // what has no value stays last
    body.append(...rows.map(([, row]) => row));
  });
}

// What a table lets choose: one list for each name in data-choose of which rows have several values.
function choosing(table, tools) {
  return (table.dataset.choose ?? "").split(",").flatMap((title) => {
    const name = title.toLowerCase(), values = new Set([...table.tBodies[0].rows].map((row) => row.dataset[name]).filter(Boolean));
    if (values.size < 2) return [];
    const label = document.createElement("label"), select = document.createElement("select");
    select.name = name;
    select.append(new Option("any", ""), ...[...values].sort().map((value) => new Option(value)));
    label.append(title, select);
    tools.append(label);
    return [select];
  });
}

// A table of many rows gets a box that filters it by what is written and filled in.
function filtering(table) {
  const body = table.tBodies[0], tools = document.createElement("div"), label = document.createElement("label"), search = document.createElement("input");
  Object.assign(search, { type: "search", autocomplete: "off", spellcheck: false });
  label.append(table.dataset.find ?? "Find a row", search);
  tools.className = "tools find";
  tools.append(label);
  table.parentElement.before(tools);
  const written = (row) => [row.textContent, ...[...row.querySelectorAll("input[type=text]")].map((field) => field.value)].join(" ");
  const choices = choosing(table, tools);
  const filter = () => {
    const wanted = search.value.trim().toLowerCase(), chosen = choices.filter((one) => one.value);
    for (const row of body.rows) {
      const fits = written(row).toLowerCase().includes(wanted) && chosen.every((one) => row.dataset[one.name] === one.value);
      row.classList.toggle("hide", !fits);
    }
  };
  const offer = () => { tools.hidden = body.rows.length <= 10 && !choices.length; filter(); };
  for (const one of choices) one.addEventListener("change", filter);
  search.addEventListener("input", filter);
  new MutationObserver(offer).observe(body, { childList: true });
  offer();
}

// What every table can do; that of the changes keeps its rows elsewhere and sorts and filters them itself.
function handy(root) {
  for (const frame of root.querySelectorAll(".scroll")) {
    const table = frame.querySelector("table");
    if (table.id !== "moves") {
      sorting(table);
      if (table.dataset.find !== "no") filtering(table);
    }
    fitting(frame, table);
  }
}

// A table that is wider than its frame stacks the cells of each row, each with the name of its column: nothing is cut, and
// nothing scrolls sideways, whatever the window and the names. Roles are said, for display: block takes them from cells.
function fitting(frame, table) {
  const titleOf = (row) => row.querySelector("th") ?? row.cells[0];
  function stack() {
    const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => head.dataset.label ?? head.textContent.trim());
    table.role = "table";
    for (const row of table.rows) row.role = "row";
    for (const head of table.tHead?.rows[0]?.cells ?? []) head.role = "columnheader";
    for (const row of table.tBodies[0].rows) {
      for (const cell of row.cells) {
        cell.role = cell.tagName === "TH" ? "rowheader" : "cell";
        if (cell !== titleOf(row) && cell.colSpan === 1 && names[cell.cellIndex]) cell.dataset.label = names[cell.cellIndex];
      }
    }
    table.classList.add("stack");
  }
  function fit() {
    table.classList.remove("stack");
    if (frame.scrollWidth > frame.clientWidth) stack();
  }
  let width = null;
  new ResizeObserver(() => { if (frame.clientWidth !== width) { width = frame.clientWidth; fit(); } }).observe(frame);
  new MutationObserver(fit).observe(table, { childList: true, subtree: true });
}

function copyButtons(root) {
  root.querySelectorAll(".command button").forEach((button) => button.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(button.previousElementSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    if (navigator.clipboard) navigator.clipboard.writeText(range.toString()).then(() => { button.textContent = "copied"; }, () => {});
  }));
}

async function chartsAtHand() {
  if (window.echarts) return;
  const script = document.createElement("script");
  script.textContent = await unpacked("chart-script");
  document.head.append(script);
}

// What works without the charts first, then the charts: of this page, or of one that was put into it.
async function enliven(root, data) {
  handy(root);
  copyButtons(root);
  if (data.moves) movesTable(data.moves);
  if (!data.charts) return;
  await chartsAtHand();
  drawAll(root, data);
  keepDrawn(root, data);
}

async function start() {
  unfoldForPrint();
  if (!("DecompressionStream" in window)) {
    document.getElementById("too-old").hidden = false;
    handy(document);
    copyButtons(document);
    return;
  }
  await enliven(document, JSON.parse(await unpacked("page-data")));
  document.documentElement.dataset.ready = "yes";
}
start();
