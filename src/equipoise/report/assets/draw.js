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
const shown = { bytes, seconds };
const show = (unit) => shown[unit] || thousands;

function theme() {
  const style = getComputedStyle(document.documentElement);
  const names = ["card", "ink", "muted", "line", "tint", "before", "after", "band", "good", "warn", "heat-0", "heat-1", "heat-2", "rack"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
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
      type: "value", splitNumber: 4, axisLabel: { color: look.muted, formatter: show(unit) },
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

// Racks as tinted stripes behind the bars, with their names on top.
function rackStripes(look, racks) {
  return {
    type: "custom", name: "racks", silent: true, z: 0, clip: true, encode: { x: [0, 1] }, tooltip: { show: false },
    data: racks.map((rack, k) => [rack.first, rack.last, k]),
    renderItem(params, api) {
      const rack = racks[api.value(2)], half = api.size([1, 0])[0] / 2, area = params.coordSys;
      const left = Math.max(area.x, api.coord([rack.first, 0])[0] - half);
      const right = Math.min(area.x + area.width, api.coord([rack.last, 0])[0] + half);
      if (right <= left) return null;
      const stripe = { x: left, y: area.y, width: right - left, height: area.height };
      const name = right - left < 26 ? [] : [{
        type: "text", style: {
          text: rack.name, x: left + 5, y: area.y + 4, fill: look.muted, fontSize: 12, width: right - left - 10, overflow: "truncate",
        },
      }];
      const fill = api.value(2) % 2 ? "transparent" : look.rack;
      return { type: "group", children: [{ type: "rect", shape: stripe, style: { fill } }, ...name] };
    },
  };
}

// The band of each broker; a band of one value is drawn as a line.
function bandSeries(look, low, high, name) {
  return {
    type: "custom", name, silent: true, z: 5, clip: true, color: look.band, encode: { x: 0, y: [1, 2] },
    data: low.map((value, k) => [k, value, high[k]]).filter((row) => row[2] > 0),
    renderItem(params, api) {
      const width = api.size([1, 0])[0], top = api.coord([api.value(0), api.value(2)]), foot = api.coord([api.value(0), api.value(1)]);
      const height = Math.max(2, foot[1] - top[1]);
      const shape = { x: top[0] - width / 2, y: (foot[1] + top[1] - height) / 2, width: width + 0.5, height };
      return { type: "rect", shape, style: { fill: look.band, opacity: height > 4 ? 0.28 : 0.9 } };
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
  const level = chart.ideal === undefined ? "band" : "level";
  const low = chart.low || axis.ids.map((_, k) => (axis.marks[k] === "-" ? 0 : chart.ideal)), high = chart.high || low;
  const marked = (sign) => axis.ids.map((_, k) => k).filter((k) => axis.marks[k] === sign);
  const ids = axis.ids.map((id, k) => ({ "+": `+${id}`, "-": `−${id}` }[axis.marks[k]] || String(id)));
  const side = (name, x, width, colour) => onlyDifferences
    ? { type: "scatter", name, xAxisIndex: x, symbolSize: n > 100 ? 5 : 8, data: chart[name], itemStyle: { color: colour }, z: 3 + x }
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
  option.grid.top = 36;
  if (zoomable) { option.dataZoom = slider(look, [0, 1]); option.grid.bottom = 30; }
  if (onlyDifferences) option.yAxis.scale = true;
  option.legend = legend(look, ["before", "after", { name: level, icon: "rect" }, ...flags.map((s) => s.name)]);
  option.tooltip.formatter = (points) => {
    const k = points[0].dataIndex;
    const within = high[k] > 0 ? `<br>${level}: ${unit(low[k])}${high[k] > low[k] ? ` to ${unit(high[k])}` : ""}` : "";
    const change = chart.after[k] - chart.before[k], sign = change > 0 ? "+" : change < 0 ? "−" : "±";
    return `${brokerLabel(axis, k)}<br>before: ${unit(chart.before[k])}<br>after: ${unit(chart.after[k])} (${sign}${unit(Math.abs(change))})${within}`;
  };
  option.series = [
    side("before", 0, n > 60 ? "86%" : "72%", look.before), side("after", 1, n > 60 ? "48%" : "38%", look.after),
    bandSeries(look, low, high, level), ...flags, rackStripes(look, axis.racks),
  ];
  return option;
}

function drawHeat(chart, look) {
  const cells = [];
  for (let k = 0; k < chart.cells.length; k += 3) cells.push(chart.cells.slice(k, k + 3));
  const few = chart.to.length <= 24 && chart.from.length <= 60, option = base(look);
  const name = (broker) => (broker === "added copies" ? broker : `broker ${broker}`);
  const title = { nameTextStyle: { color: look.muted }, nameLocation: "middle" };
  option.grid = { left: 26, right: 12, top: 60, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" };
  option.xAxis = categories(look, chart.to, { ...title, name: "to broker", position: "top", nameGap: 26, splitArea: { show: false } });
  option.yAxis = categories(look, chart.from, { ...title, name: "from broker", inverse: true, nameGap: 36 });
  option.tooltip = {
    ...option.tooltip, trigger: "item",
    formatter: ({ value }) => `${escaped(name(chart.from[value[1]]))} → broker ${escaped(chart.to[value[0]])}<br><b>${thousands(value[2])}</b> replicas`,
  };
  option.visualMap = {
    min: 0, max: chart.most, calculable: false, orient: "horizontal", right: 0, top: 0, itemWidth: 12, itemHeight: 120,
    text: [thousands(chart.most), "0"], textStyle: { color: look.muted }, inRange: { color: [look["heat-0"], look["heat-1"], look["heat-2"]] },
  };
  const dark = (value) => value[2] > chart.most * 0.45;
  option.series = [{
    type: "heatmap", data: few ? cells.map((value) => ({ value, label: { color: dark(value) ? look.card : look.ink } })) : cells,
    label: { show: few, fontSize: 11, formatter: ({ value }) => thousands(value[2]) },
    itemStyle: few ? { borderWidth: 1, borderColor: look.card } : {}, emphasis: { itemStyle: { borderColor: look.band, borderWidth: 2 } },
  }];
  return option;
}

function drawWaves(chart, look) {
  const option = base(look, chart.unit), unit = show(chart.unit);
  option.xAxis = categories(look, chart.values.map((_, k) => k + 1));
  option.tooltip.formatter = ([point]) => `wave ${point.dataIndex + 1}<br>${unit(chart.values[point.dataIndex])}`;
  option.series = [{ type: "bar", data: chart.values, itemStyle: { color: look.after }, barCategoryGap: chart.values.length > 150 ? "0%" : "25%" }];
  option.grid.top = 14;
  if (chart.values.length > 100) { option.dataZoom = slider(look, [0]); option.grid.bottom = 30; }
  return option;
}

const DRAW = { brokers: drawBrokers, heat: drawHeat, waves: drawWaves };

const HEIGHT = {
  heat: (chart) => Math.min(860, Math.max(180, 80 + chart.from.length * (chart.from.length > 60 ? 5 : 20))),
};
