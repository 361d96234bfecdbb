// Charts of the dashboard: calls and errors as bars, durations as lines, from the figures in the page.
// A drag over a chart leads to the calls of that time.
import uPlot from "uplot";

const HEIGHT = 190;
const SERIES = {
  calls: [
    { key: "calls", color: "--series-1", isBar: true },
    { key: "errors", color: "--series-2", isBar: true },
  ],
  durations: [
    { key: "p50", color: "--series-3", dash: [4, 3] },
    { key: "p95", color: "--series-1" },
    { key: "p99", color: "--series-2" },
  ],
};

const data = JSON.parse(document.getElementById("chart-data").textContent);
const places = [...document.querySelectorAll("[data-chart]")];
const drawn = new Map();

places.forEach(draw);
const watch = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));
places.forEach((place) => watch.observe(place));
// The colours are on the canvas; a change of theme draws them again.
new MutationObserver(() => places.forEach(draw)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => places.forEach(draw));

function draw(place) {
  drawn.get(place)?.destroy();
  const series = SERIES[place.dataset.chart];
  const columns = [data.starts, ...series.map((one) => data[one.key])];
  drawn.set(place, new uPlot(options(place, series), columns, place));
}

function options(place, series) {
  const color = (name) => resolve(place, name);
  const axis = { stroke: color("--text-2"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false }, font: `11px ${style(place, "--sans")}` };
  return {
    width: widthOf(place),
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), data.zone),
    scales: { x: { range: [data.starts[0] - data.width / 2, data.starts.at(-1) + data.width / 2] }, y: { range: (_plot, _low, high) => [0, Math.max(high * 1.05, 1)] } },
    axes: [{ ...axis, values: (_plot, splits) => splits.map(label) }, { ...axis, size: 52 }],
    series: [
      { label: data.labels.time, value: (_plot, seconds) => (seconds === null ? "–" : moment(seconds)) },
      ...series.map((one) => ({
        label: data.labels[one.key] ?? one.key,
        stroke: color(one.color),
        fill: one.isBar ? color(one.color) : undefined,
        width: one.isBar ? 0 : 1.5,
        dash: one.dash,
        spanGaps: false,
        paths: one.isBar ? uPlot.paths.bars({ size: [0.8, 40] }) : undefined,
        points: { show: !one.isBar && isSparse(data[one.key]), size: 5 },
        value: (_plot, value) => (value === null ? "–" : value.toLocaleString(document.documentElement.lang)),
      })),
    ],
    cursor: { drag: { x: true, y: false, setScale: false }, y: false },
    hooks: { setSelect: [showCalls] },
  };
}

/** A line through points that stand alone would not be seen. */
function isSparse(values) {
  return values.some((value, at) => value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null);
}

function showCalls(plot) {
  if (plot.select.width < 4) return;
  const start = plot.posToVal(plot.select.left, "x");
  const end = plot.posToVal(plot.select.left + plot.select.width, "x");
  const query = new URLSearchParams({ start: moment(start, "T"), end: moment(end, "T") });
  location.assign(`${data.address}?${query}`);
}

function fit(place) {
  const plot = drawn.get(place);
  if (plot.width !== widthOf(place)) plot.setSize({ width: widthOf(place), height: HEIGHT });
}

function widthOf(place) {
  const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(place);
  return Math.max(200, Math.floor(place.clientWidth - parseFloat(paddingInlineStart) - parseFloat(paddingInlineEnd)));
}

function style(place, name) {
  return getComputedStyle(place).getPropertyValue(name);
}

/** What a colour of the style sheet is in the present theme. */
function resolve(place, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** As in 11-22 at midnight, 14:30 else. */
function label(seconds) {
  const [day, clock] = moment(seconds).split(" ");
  return clock === "00:00" || data.width >= 86400 ? day.slice(5) : clock;
}

/** As in 2026-11-22 14:30, in the page's time zone. */
function moment(seconds, between = " ") {
  const at = uPlot.tzDate(new Date(seconds * 1000), data.zone);
  const two = (number) => String(number).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}${between}${two(at.getHours())}:${two(at.getMinutes())}`;
}
