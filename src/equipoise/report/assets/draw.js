"use strict";
// How a chart of the page data becomes an ECharts option. Data comes from Python; here is only the look.

const thousands = (n) => n.toLocaleString("en-US");
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const bytes = (n) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const k = n > 0 ? Math.min(units.length - 1, Math.floor(Math.log2(n) / 10)) : 0;
  const value = n / 2 ** (10 * k);
  return `${value.toFixed(k && value < 100 ? 1 : 0)} ${units[k]}`;
};
const seconds = (s) => {
  if (s < 60) return `${+s.toPrecision(3)} s`;
  if (s < 3600) return `${Math.round(s / 60)} min`;
  return s < 172800 ? `${+(s / 3600).toFixed(1)} h` : `${+(s / 86400).toFixed(1)} days`;
};
const percent = (n) => `${thousands(+n.toPrecision(3))} %`;
const rate = (n) => {
  const units = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"], k = n > 0 ? Math.min(4, Math.floor(Math.log10(n) / 3)) : 0;
  return `${+(n / 1000 ** k).toPrecision(3)} ${units[k]}`;
};
const shown = { bytes, seconds, percent, rate };
const show = (unit) => shown[unit] || thousands;
const said = (unit, value) => (value === null || value === undefined ? "–" : shown[unit] ? shown[unit](value) : thousands(+value.toFixed(1)));

function theme() {
  const style = getComputedStyle(document.documentElement);
  const names = ["card", "ink", "muted", "line", "tint", "before", "after", "band", "good", "warn", "heat-0", "heat-1", "heat-2", "rack"];
  const colours = names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return { ...Object.fromEntries(colours), narrow: innerWidth < 640 };
}

// Round steps of bytes and of time, which ECharts, counting in tens, would miss.
const STEPS = {
  bytes: [0, 1, 2, 3, 4, 5].flatMap((k) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * 2 ** (10 * k))),
  seconds: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000],
};
function ticks(unit, values) {
  const most = Math.max(...values), step = (STEPS[unit] || []).find((n) => n * 5 >= most);
  return step && most > 0 ? { interval: step, max: Math.ceil(most / step) * step } : {};
}

function base(look, unit) {
  return {
    animation: false,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: look.ink },
    tooltip: {
      trigger: "axis", confine: true, backgroundColor: look.card, borderColor: look.line,
      textStyle: { color: look.ink, fontSize: 13 }, axisPointer: { type: "shadow", shadowStyle: { color: look.muted, opacity: 0.12 } },
    },
    grid: { left: 8, right: 12, top: 34, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    yAxis: {
      type: "value", splitNumber: 4, minInterval: shown[unit] ? 0 : 1, axisLabel: { color: look.muted, formatter: show(unit) },
      splitLine: { lineStyle: { color: look.line } },
    },
  };
}

const categories = (look, data, more = {}) => ({
  type: "category", data, axisTick: { show: false }, axisLine: { lineStyle: { color: look.muted } },
  axisLabel: { color: look.muted, hideOverlap: true }, ...more,
});

const legend = (look, data) => ({
  data, top: 0, right: 0, itemWidth: 14, itemHeight: 10, itemGap: 16, textStyle: { color: look.muted }, inactiveColor: look.line,
});

const slider = (look, axes) => [{
  type: "slider", xAxisIndex: axes, height: 18, bottom: 4, brushSelect: false, borderColor: look.line,
  fillerColor: look.tint, dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
  selectedDataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
  handleStyle: { color: look.card, borderColor: look.muted }, moveHandleSize: 0, textStyle: { color: look.muted }, showDetail: false,
}];

// Racks as tinted stripes behind the bars, with their names above.
function rackStripes(look, racks) {
  return {
    type: "custom", name: "racks", silent: true, z: 0, clip: false, encode: { x: [0, 1] }, tooltip: { show: false },
    data: racks.map((rack, k) => [rack.first, rack.last, k]),
    renderItem(params, api) {
      const rack = racks[api.value(2)], half = api.size([1, 0])[0] / 2, area = params.coordSys;
      const left = Math.max(area.x, api.coord([rack.first, 0])[0] - half);
      const right = Math.min(area.x + area.width, api.coord([rack.last, 0])[0] + half);
      if (right <= left) return null;
      const stripe = { x: left, y: area.y, width: right - left, height: area.height };
      const name = right - left < 26 ? [] : [{
        type: "text", style: {
          text: rack.name, x: left + 2, y: area.y - 17, fill: look.muted, fontSize: 12, width: right - left - 4, overflow: "truncate",
        },
      }];
      const fill = api.value(2) % 2 ? "transparent" : look.rack;
      return { type: "group", children: [{ type: "rect", shape: stripe, style: { fill } }, ...name] };
    },
  };
}

// Neighbours with the same band: rows of first, last, low, high.
function bandRuns(low, high) {
  const runs = [];
  high.forEach((value, k) => {
    const last = runs[runs.length - 1];
    if (last && last[1] === k - 1 && last[2] === low[k] && last[3] === value) last[1] = k;
    else if (value > 0) runs.push([k, k, low[k], value]);
  });
  return runs;
}

// The band of the brokers: behind the bars where it is wide, else a line across them.
function bandSeries(look, low, high, name, most) {
  const wide = high.some((value, k) => value - low[k] > most / 50);
  return {
    type: "custom", name, silent: true, z: wide ? 1 : 5, clip: true, color: look.band, encode: { x: [0, 1], y: [2, 3] },
    data: bandRuns(low, high),
    renderItem(params, api) {
      const half = api.size([1, 0])[0] / 2, [left, top] = api.coord([api.value(0), api.value(3)]);
      const [right, foot] = api.coord([api.value(1), api.value(2)]), height = Math.max(2, foot - top);
      const shape = { x: left - half, y: (foot + top - height) / 2, width: right - left + 2 * half, height };
      return { type: "rect", shape, style: { fill: look.band, opacity: height > 4 ? 0.28 : 0.9 } };
    },
  };
}

const dotted = (values, axis, sign) => values.map((value, k) => (value === null || (axis.marks[k] === sign && !value) ? "-" : value));

// Lines from the dots of before to those of after.
function joined(look, dots) {
  return {
    type: "custom", silent: true, z: 4, clip: true, encode: { x: 0, y: [1, 2] }, tooltip: { show: false },
    data: dots.before.map((value, k) => [k, value, dots.after[k]]).filter((row) => !row.includes("-")),
    renderItem(params, api) {
      const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(0), api.value(2)]);
      return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: look.before, lineWidth: dots.before.length > 100 ? 1 : 3, opacity: 0.6 } };
    },
  };
}

function brokerLabel(axis, k) {
  const mark = { "+": " added", "-": " to be emptied" }[axis.marks[k]] || "";
  const rack = axis.racks.find((r) => r.first <= k && k <= r.last);
  return `<b>broker ${axis.ids[k]}</b>${mark}${rack ? `, ${escaped(rack.name)}` : ""}`;
}

function drawBrokers(chart, look, { axis }, onlyDifferences) {
  const n = axis.ids.length, unit = show(chart.unit), option = base(look, chart.unit);
  const level = chart.level;
  const { low, high } = chart;
  const marked = (sign) => axis.ids.map((_, k) => k).filter((k) => axis.marks[k] === sign);
  const ids = axis.ids.map((id, k) => ({ "+": `+${id}`, "-": `−${id}` }[axis.marks[k]] || String(id)));
  // as dots, the nothing that an added broker had or an emptied one will have would only stretch the axis
  const dots = { before: dotted(chart.before, axis, "+"), after: dotted(chart.after, axis, "-") };
  const side = (name, x, width, colour) => onlyDifferences
    ? { type: "scatter", name, xAxisIndex: x, symbolSize: n > 100 ? 5 : 9, data: dots[name], itemStyle: { color: colour, opacity: 1 }, z: 6 + x }
    : { type: "bar", name, xAxisIndex: x, barWidth: width, data: chart[name], itemStyle: { color: colour }, z: 2 + x };
  const flag = (name, sign, symbol, colour, turn) => {
    const at = marked(sign);
    return at.length ? [{
      type: "scatter", name, symbol, symbolSize: n > 100 ? 7 : 10, symbolRotate: turn, itemStyle: { color: colour }, z: 6, silent: true,
      symbolOffset: [0, -9], data: at.map((k) => [k, Math.max(chart.before[k], chart.after[k])]),
    }] : [];
  };
  const flags = [...flag("added", "+", "triangle", look.good, 0), ...flag("to be emptied", "-", "triangle", look.warn, 180)];
  const zoomable = n > 60;
  const hidden = { ...categories(look, ids), show: false, position: "bottom" };
  option.xAxis = [categories(look, ids, { name: "" }), hidden];
  option.grid.top = (axis.racks.length ? 52 : 34) + (look.narrow && flags.length ? 20 : 0); // the legend takes a second line
  if (zoomable) { option.dataZoom = slider(look, [0, 1]); option.grid.bottom = 30; }
  if (onlyDifferences) option.yAxis.scale = true;
  else Object.assign(option.yAxis, ticks(chart.unit, [...chart.before, ...chart.after]));
  option.legend = legend(look, ["before", "after", { name: level, icon: "rect" }, ...flags.map((s) => s.name)]);
  option.tooltip.formatter = (points) => {
    const k = points[0].dataIndex;
    const within = high[k] > 0 ? `<br>${level}: ${unit(low[k])}${high[k] > low[k] ? ` to ${unit(high[k])}` : ""}` : "";
    if (chart.before[k] === null || chart.after[k] === null) return `${brokerLabel(axis, k)}<br>before: ${said(chart.unit, chart.before[k])}<br>after: ${said(chart.unit, chart.after[k])}`;
    const change = chart.after[k] - chart.before[k], sign = change > 0 ? "+" : change < 0 ? "−" : "±";
    return `${brokerLabel(axis, k)}<br>before: ${unit(chart.before[k])}<br>after: ${unit(chart.after[k])} (${sign}${unit(Math.abs(change))})${within}`;
  };
  option.series = [
    side("before", 0, n > 60 ? "86%" : "72%", look.before), side("after", 1, n > 60 ? "48%" : "38%", look.after),
    bandSeries(look, low, high, level, Math.max(...chart.before, ...chart.after)), ...flags, rackStripes(look, axis.racks), ...(onlyDifferences ? [joined(look, dots)] : []),
  ];
  return option;
}

// A cluster as it is: one bar for each broker, the equal share as a line; who is down or to be emptied in another colour.
function drawLoads(chart, look, data, choice) {
  const load = chart.loads[choice], option = base(look, load.unit), n = chart.ids.length, pale = (k) => chart.down[k] || data.going?.has(chart.ids[k]);
  const rackOf = (k) => chart.racks.find((rack) => rack.first <= k && k <= rack.last)?.name;
  option.xAxis = categories(look, chart.ids.map((id, k) => (chart.down[k] ? `${id} down` : String(id))));
  option.grid.top = chart.racks.length ? 34 : 16;
  Object.assign(option.yAxis, ticks(load.unit, load.values));
  option.tooltip.formatter = ([{ dataIndex: k }]) => [
    `<b>broker ${chart.ids[k]}</b>${rackOf(k) ? `, ${escaped(rackOf(k))}` : ""}`, ...(chart.down[k] ? [escaped(chart.down[k])] : []),
    `${escaped(load.title)}: ${said(load.unit, load.values[k])}`,
  ].join("<br>");
  const share = { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: look.band, width: 2, type: "solid" }, data: [{ yAxis: load.share }] };
  const bars = load.values.map((value, k) => ({ value, itemStyle: { color: pale(k) ? look.before : look.after } }));
  option.series = [{ type: "bar", barWidth: n > 60 ? "86%" : "60%", z: 2, data: bars, markLine: share }, rackStripes(look, chart.racks)];
  if (n > 60) { option.dataZoom = slider(look, [0]); option.grid.bottom = 30; }
  return option;
}

const heatRow = (chart) => (chart.from.length > 60 ? 6 : 20);

function drawHeat(chart, look) {
  const few = chart.to.length <= 24 && chart.from.length <= 60, option = base(look), cells = [];
  // many cells: shades grow with the square root, so that a few great ones do not hide the rest
  const shade = (count) => (few ? count : Math.sqrt(count));
  for (let k = 0; k < chart.cells.length; k += 3) {
    const [to, from, count] = chart.cells.slice(k, k + 3);
    cells.push([to, from, count, shade(count)]);
  }
  const name = (broker) => (/^\d+$/.test(broker) ? `broker ${broker}` : escaped(broker));
  const title = { nameTextStyle: { color: look.muted }, nameLocation: "middle" };
  option.grid = { left: 26, right: 12, top: 60, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" };
  option.xAxis = categories(look, chart.to, { ...title, name: "to broker", position: "top", nameGap: 26 });
  option.yAxis = categories(look, chart.from, { ...title, name: "from broker", inverse: true, nameGap: 36 });
  option.yAxis.axisLabel.interval = Math.ceil(18 / heatRow(chart)) - 1;
  option.tooltip = {
    ...option.tooltip, trigger: "item",
    formatter: ({ value }) => `${name(chart.from[value[1]])} → ${name(chart.to[value[0]])}<br><b>${thousands(value[2])}</b> replicas`,
  };
  option.visualMap = {
    dimension: 3, min: 0, max: shade(chart.most), calculable: false, orient: "horizontal", right: 0, top: 0, itemWidth: 12, itemHeight: 120,
    text: [thousands(chart.most), "0"], textStyle: { color: look.muted }, inRange: { color: [look["heat-0"], look["heat-1"], look["heat-2"]] },
  };
  const turn = matchMedia("(prefers-color-scheme: dark)").matches ? 0.55 : 0.68; // where the other ink reads better
  const ink = (value) => (value[2] > chart.most * turn ? look.card : look.ink);
  option.series = [{
    type: "heatmap", data: few ? cells.map((value) => ({ value, label: { color: ink(value) } })) : cells,
    label: { show: few, fontSize: 11, formatter: ({ value }) => thousands(value[2]) },
    itemStyle: few ? { borderWidth: 1, borderColor: look.card } : {}, emphasis: { itemStyle: { borderColor: look.band, borderWidth: 2 } },
  }];
  return option;
}

// A lying bar for each wave, from where the one before it ends.
function drawWaves(chart, look) {
  const option = base(look, chart.unit), unit = show(chart.unit), { values } = chart;
  const begin = values.map((_, k) => values.slice(0, k).reduce((sum, value) => sum + value, 0)), end = begin.map((start, k) => start + values[k]);
  option.yAxis = categories(look, values.map((_, k) => k + 1), { inverse: true });
  option.xAxis = { ...base(look, chart.unit).yAxis, ...ticks(chart.unit, end), axisLabel: { color: look.muted, formatter: unit, hideOverlap: true } };
  option.tooltip.formatter = (points) => {
    const k = points[0].dataIndex;
    return `wave ${k + 1}<br>${unit(values[k])}, from ${unit(begin[k])} to ${unit(end[k])}`;
  };
  const gap = values.length > 150 ? "0%" : "25%", stack = "time";
  option.series = [
    { type: "bar", stack, data: begin, silent: true, itemStyle: { color: "transparent" }, barCategoryGap: gap },
    { type: "bar", stack, data: values, itemStyle: { color: look.after }, barCategoryGap: gap },
  ];
  option.grid.top = 14;
  return option;
}

// One dot before and one after for each name, joined by a line.
function drawChange(chart, look) {
  const option = base(look, chart.unit), unit = show(chart.unit), n = chart.names.length;
  option.xAxis = categories(look, chart.names, { axisLabel: { color: look.muted, hideOverlap: true, rotate: n > 12 ? 35 : 0, width: 120, overflow: "truncate" } });
  option.legend = legend(look, ["before", "after"]);
  option.tooltip.formatter = ([{ dataIndex: k }]) =>
    `<b>${escaped(chart.names[k])}</b><br>before: ${unit(chart.before[k])}<br>after: ${unit(chart.after[k])}`;
  const dots = (name, colour) => ({
    type: "scatter", name, data: chart[name], symbolSize: n > 200 ? 5 : 10, itemStyle: { color: colour, opacity: 1 }, z: 4,
  });
  option.series = [dots("before", look.before), dots("after", look.after), joined(look, chart)];
  if (n > 60) { option.dataZoom = slider(look, [0]); option.grid.bottom = 30; }
  return option;
}

// Lying bars with their values, ours in colour.
function drawBars(chart, look) {
  const option = base(look, chart.unit), unit = show(chart.unit);
  const told = (k) => unit(chart.values[k]);
  option.yAxis = categories(look, chart.names, { inverse: true, axisLabel: { color: look.ink, width: look.narrow ? 104 : 130, overflow: "truncate" } });
  option.xAxis = { type: "value", splitNumber: look.narrow ? 2 : 3, minInterval: shown[chart.unit] ? 0 : 1, axisLabel: { color: look.muted, formatter: unit, hideOverlap: true }, splitLine: { lineStyle: { color: look.line } }, ...ticks(chart.unit, chart.values) };
  option.grid = { ...option.grid, top: 6, right: 70 };
  option.tooltip.formatter = ([{ dataIndex: k }]) => `<b>${escaped(chart.names[k])}</b><br>${told(k)}`;
  option.series = [{
    type: "bar", barWidth: "62%", label: { show: true, position: "right", color: look.ink, formatter: ({ dataIndex: k }) => told(k) },
    data: chart.values.map((value, k) => ({ value, itemStyle: { color: chart.names[k] === chart.ours ? look.after : look.before } })),
  }];
  return option;
}

const NAME = { height: 16, gap: 12, font: 12 }; // of a point: its line, its distance, its letters, in pixels

// Where the names of points go: beside them, or as near as no other name or point is (dy); some may find no place.
function placeNames(spots, area) {
  const dot = 8, half = NAME.height / 2;
  const taken = spots.map(({ x, y }) => [x - dot, y - dot, x + dot, y + dot]);
  const meets = ([l, t, r, b]) => taken.some(([left, top, right, bottom]) => l < right && r > left && t < bottom && b > top);
  const offsets = [0, ...Array.from({ length: 60 }, (_, k) => (k % 2 ? 1 : -1) * (Math.floor(k / 2) + 1) * NAME.height)];
  return spots.map(({ x, y, width }) => {
    const left = x + NAME.gap + width < area.right ? x + NAME.gap : x - NAME.gap - width;
    const boxes = offsets.map((dy) => [left, y + dy - half, left + width, y + dy + half]);
    const box = boxes.find((one) => one[1] >= area.top && one[3] <= area.bottom && !meets(one));
    if (box) taken.push(box);
    return box && { left, y: box[1] + half };
  });
}

// Names beside points, with a line to each that had to step aside.
function pointNames(look, points, ours) {
  const pen = document.createElement("canvas").getContext("2d");
  const font = (name) => `${name === ours ? "bold " : ""}${NAME.font}px ${getComputedStyle(document.body).fontFamily}`;
  const width = (name) => { pen.font = font(name); return pen.measureText(name).width; };
  return {
    type: "custom", silent: true, z: 4, clip: false, encode: { x: 0, y: 1 }, tooltip: { show: false }, data: points,
    renderItem(params, api) {
      const { x: left, y: top, width: across, height } = params.coordSys, area = { right: left + across + 90, top: top - 8, bottom: top + height + 4 };
      const spots = points.map(([x, y, name]) => { const [px, py] = api.coord([x, y]); return { x: px, y: py, width: width(name) }; });
      const place = (params.context.places ||= placeNames(spots, area))[params.dataIndex], spot = spots[params.dataIndex];
      if (!place) return null;
      const name = points[params.dataIndex][2], x2 = place.left > spot.x ? place.left - 3 : place.left + spot.width + 3;
      const line = { type: "line", shape: { x1: spot.x, y1: spot.y, x2, y2: place.y }, style: { stroke: look.muted, opacity: place.y === spot.y ? 0 : 0.5 } };
      const text = { x: place.left, y: place.y, verticalAlign: "middle", font: font(name), fill: name === ours ? look.after : look.ink, text: name };
      return { type: "group", children: [line, { type: "text", style: text }] };
    },
  };
}

// One point for each name: what it costs against what it reaches.
function drawPoints(chart, look) {
  const option = base(look, chart.unit_x), most = (at) => Math.max(...chart.points.map((point) => point[at]));
  const axis = (name, unit, at, splitNumber) => ({
    type: "value", name, nameLocation: "middle", nameGap: 30, nameTextStyle: { color: look.muted }, splitNumber, minInterval: shown[unit] ? 0 : 1,
    axisLabel: { color: look.muted, formatter: show(unit), hideOverlap: true }, splitLine: { lineStyle: { color: look.line } },
    ...(splitNumber < 4 ? {} : ticks(unit, [most(at)])),
  });
  option.xAxis = axis(chart.name_x, chart.unit_x, 0, look.narrow ? 2 : 4);
  option.yAxis = { ...axis(chart.name_y, chart.unit_y, 1, 4), nameGap: 46 };
  option.grid = { left: look.narrow ? 26 : 46, right: chart.kind === "curve" ? 54 : 90, top: 16, bottom: 26, outerBoundsMode: "same", outerBoundsContain: "axisLabel" };
  option.tooltip = {
    ...option.tooltip, trigger: "item", formatter: ({ value }) =>
      `<b>${escaped(value[3] ?? value[2])}</b><br>${escaped(chart.name_x)}: ${show(chart.unit_x)(value[0])}<br>${escaped(chart.name_y)}: ${show(chart.unit_y)(value[1])}`,
  };
  option.series = [{
    type: "scatter", symbolSize: 13, z: 5,
    data: [...chart.points].reverse().map((point) => ({ // the first, ours, on top
      value: point, ...(chart.knee && point[2] === chart.knee ? { symbol: "diamond", symbolSize: 19 } : {}), itemStyle: { color: point[2] === chart.ours ? look.after : look.before, borderColor: look.muted, borderWidth: 1 },
    })),
  }, pointNames(look, chart.points, chart.ours)];
  return option;
}

// Points in their order as a curve; dashed below it what no plan is below, where that is known.
function drawCurve(chart, look) {
  const option = drawPoints(chart, look);
  const line = (values, type, colour) => ({
    type: "line", symbol: "none", silent: true, z: 2, data: chart.points.map(([x], k) => [x, values[k]]), lineStyle: { color: colour, width: 2, type },
  });
  option.series.push(line(chart.points.map(([, y]) => y), "solid", look.before), ...(chart.lower_bound ? [line(chart.lower_bound, "dashed", look.band)] : []));
  return option;
}

const DRAW = { brokers: drawBrokers, loads: drawLoads, heat: drawHeat, waves: drawWaves, change: drawChange, bars: drawBars, points: drawPoints, curve: drawCurve };

const HEIGHT = {
  heat: (chart) => Math.min(1500, Math.max(180, 80 + chart.from.length * heatRow(chart))),
  waves: (chart) => 60 + Math.min(600, chart.values.length * 24),
  bars: (chart) => 40 + chart.names.length * 26,
  points: () => 420,
  curve: () => 380,
};
