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
    const differences = root.querySelector(`[data-differences="${box.dataset.chart}"]`);
    drawn.setOption(DRAW[chart.kind](chart, look, data, differences && differences.checked), true);
    if (chart.kind === "brokers" && data.moves) clickable(drawn, data.axis.ids);
  }
}

// A click anywhere above or below a broker's name shows its changes: an empty broker has no bar to hit.
function clickable(drawn, ids) {
  const canvas = drawn.getZr();
  canvas.off("click");
  canvas.on("click", ({ offsetX, offsetY }) => {
    if (showBroker && drawn.containPixel({ gridIndex: 0 }, [offsetX, offsetY])) showBroker(ids[drawn.convertFromPixel({ xAxisIndex: 0 }, offsetX)]);
  });
}

let drawn; // ends when other charts take the place of these

function keepDrawn(root, data) {
  drawn?.abort();
  drawn = new AbortController();
  const { signal } = drawn;
  const redraw = () => drawAll(root, data);
  const resize = () => root.querySelectorAll(".chart").forEach((box) => echarts.getInstanceByDom(box).resize());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal });
  root.querySelectorAll("[data-differences]").forEach((box) => box.addEventListener("change", redraw));
  addEventListener("resize", resize, { signal });
  addEventListener("beforeprint", resize, { signal });
}

// The moves table: all rows stay in memory as columns, fifty at a time are in the page.
function movesTable(moves) {
  const body = document.querySelector("#moves tbody");
  if (!body) return;
  const search = document.getElementById("search"), kind = document.getElementById("kind");
  const count = document.getElementById("count"), more = document.getElementById("more");
  const step = 50, labels = ["", "before", "after", "what", "copied", "why"];
  let found = [], drawn = 0, order = null;

  const text = (k) => `${moves.topics[moves.topic[k]]}-${moves.partition[k]} ${moves.sentences[moves.why[k]]}`.toLowerCase();
  const onBroker = (k, id) => moves.before[k].includes(id) || moves.after[k].includes(id);
  function matcher() {
    const wanted = search.value.trim().toLowerCase(), broker = wanted.match(/^broker (\d+)$/);
    const rightKind = (k) => kind.value === "" || moves.kind[k] === Number(kind.value);
    if (broker) return (k) => rightKind(k) && onBroker(k, Number(broker[1]));
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
      cell(row, `${moves.topics[moves.topic[k]]}-${moves.partition[k]}`);
      list(row, moves.before[k], moves.after[k], "gone");
      list(row, moves.after[k], moves.before[k], "new");
      cell(row, moves.kinds[moves.kind[k]]);
      cell(row, moves.bytes[k] === null ? "–" : moves.bytes[k] ? bytes(moves.bytes[k]) : "0", "num");
      cell(row, moves.sentences[moves.why[k]], "why");
      labels.forEach((label, at) => { if (label) row.cells[at].dataset.label = label; });
    }
    drawn = Math.min(found.length, drawn + step);
    more.hidden = drawn >= found.length;
    count.textContent = `${thousands(drawn)} of ${thousands(found.length)} shown`;
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
  const by = [byName, null, null, (a, b) => moves.kind[a] - moves.kind[b], (a, b) => (moves.bytes[a] ?? -1) - (moves.bytes[b] ?? -1),
    (a, b) => moves.sentences[moves.why[a]].localeCompare(moves.sentences[moves.why[b]], "en", { numeric: true })];
  headings(body.parentElement, (column, sign) => { order = (a, b) => sign * by[column](a, b) || byName(a, b); filter(); });
  showBroker = (id) => {
    search.value = `broker ${id}`;
    kind.value = "";
    filter();
    search.closest(".tools").scrollIntoView();
    search.focus({ preventScroll: true });
  };
  document.querySelectorAll("[data-broker]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    showBroker(link.dataset.broker);
  }));
  search.addEventListener("input", filter);
  kind.addEventListener("change", filter);
  more.addEventListener("click", append);
  filter();
}

let showBroker; // shows the changes of a broker, where the page has a table of changes

// Buttons in the headings of a table; `sort` hears the column and 1 or -1, up or down.
function headings(table, sort) {
  const buttons = table.querySelectorAll("thead button");
  buttons.forEach((button) => button.addEventListener("click", () => {
    const down = button.dataset.sorted === "up";
    buttons.forEach((other) => { delete other.dataset.sorted; other.closest("th").removeAttribute("aria-sort"); });
    button.dataset.sorted = down ? "down" : "up";
    button.closest("th").setAttribute("aria-sort", down ? "descending" : "ascending");
    sort(button.closest("th").cellIndex, down ? -1 : 1);
  }));
}

// A plain table with the class "sortable": a click on a heading sorts, a search box named after it filters.
function sortable(table) {
  const rows = [...table.tBodies[0].rows];
  const value = (row, column) => {
    const cell = row.cells[column]; // none where one cell takes the whole row: there is nothing to compare
    return cell && cell.colSpan === 1 ? cell.dataset.value ?? cell.textContent.trim() : "";
  };
  const compare = (a, b) => (isNaN(a) || isNaN(b) ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  headings(table, (column, sign) => {
    rows.sort((a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      if (x === "" || y === "") return (x === "") - (y === ""); // what has no value stays last
      return compare(x, y) * sign;
    });
    table.tBodies[0].append(...rows);
  });
  const search = document.querySelector(`input[data-table="${table.id}"]`);
  if (search) search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    rows.forEach((row) => row.classList.toggle("hide", !row.textContent.toLowerCase().includes(wanted)));
  });
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
  root.querySelectorAll("table.sortable").forEach(sortable);
  copyButtons(root);
  if (data.moves) movesTable(data.moves);
  if (!data.charts) return;
  await chartsAtHand();
  drawAll(root, data);
  keepDrawn(root, data);
}

async function start() {
  if (!("DecompressionStream" in window)) {
    document.getElementById("too-old").hidden = false;
    document.querySelectorAll("table.sortable").forEach(sortable);
    copyButtons(document);
    return;
  }
  await enliven(document, JSON.parse(await unpacked("page-data")));
  document.documentElement.dataset.ready = "yes";
}
start();
