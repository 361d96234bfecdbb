// The rows of a result as a chart: bars, lines or points, by a first guess that people may change.
import { element } from "toolbuilder/result/grid.js";
import { textOf } from "toolbuilder/result/rows.js";
import uPlot from "uplot";

const BARS_SHOWN = 50;
const POINTS_SHOWN = 5_000;
const LABEL_CHARACTERS = 14;
// Of one colour each; the last one is of all others.
const COLOURS = ["--chart-1", "--chart-2", "--chart-3", "--chart-rest"];
const drawn = new WeakMap();

/** Draws the rows in `panel`; `field` holds what was chosen as JSON, and hears of another choice. */
export function mountChart(panel, rows, field) {
  if (!drawn.has(panel)) {
    drawn.set(panel, new ResultChart(panel, rows, field));
  }
}

class ResultChart {
  constructor(panel, rows, field) {
    Object.assign(this, { panel, rows, field, words: panel.querySelector("[data-chart-frame]").dataset });
    this.numbers = rows.columns.filter(({ kind }) => kind === "number");
    const canDraw = this.numbers.length > 0 && rows.total > 0;
    this.find("frame").hidden = !canDraw;
    this.find("none").hidden = canDraw;
    if (!canDraw) {
      return;
    }
    this.place = this.find("place");
    this.choice = this.kept() ?? this.guess();
    this.fillFields();
    this.watch();
    this.loadStyle(() => this.draw());
  }

  find(name) {
    return this.panel.querySelector(`[data-chart-${name}]`);
  }

  /** What is kept with the tool, if the result still has its columns. */
  kept() {
    let kept = null;
    try {
      kept = JSON.parse(this.field?.value || this.words.kept || "null");
    } catch {
      return null;
    }
    const names = this.rows.columns.map(({ name }) => name);
    const isThere = kept && names.includes(kept.across) && this.numbers.some(({ name }) => name === kept.height);
    return isThere ? { ...kept, colour: names.includes(kept.colour) ? kept.colour : "" } : null;
  }

  /** The first text or date against the last number; two numbers are points. */
  guess() {
    const across = this.rows.columns.find(({ kind }) => ["text", "date", "moment"].includes(kind)) ?? this.numbers[0];
    const height = this.numbers.findLast((column) => column !== across) ?? this.numbers[0];
    const kind = isTime(across) ? "line" : across.kind === "number" && across !== height ? "scatter" : "bar";
    return { kind, across: across.name, height: height.name, colour: "", largest_first: kind === "bar" };
  }

  fillFields() {
    const drawable = this.rows.columns.filter(({ kind }) => kind !== "json");
    const options = {
      across: drawable,
      height: this.numbers,
      colour: [{ name: "", label: this.words.noColour }, ...drawable.filter(({ kind }) => kind === "text" || kind === "boolean")],
    };
    for (const [name, columns] of Object.entries(options)) {
      this.find(name).replaceChildren(...columns.map((column) => element("option", { value: column.name, textContent: column.label ?? column.name })));
    }
    this.showChoice();
  }

  showChoice() {
    for (const name of ["across", "height", "colour"]) {
      this.find(name).value = this.choice[name];
    }
    this.find("sorted").checked = this.choice.largest_first;
    if (this.find("agents")) {
      this.find("agents").checked = Boolean(this.choice.for_agents);
    }
    this.find("order").hidden = this.choice.kind !== "bar";
    for (const button of this.panel.querySelectorAll("[data-chart-kind]")) {
      button.setAttribute("aria-pressed", String(button.dataset.chartKind === this.choice.kind));
    }
  }

  watch() {
    this.panel.addEventListener("click", ({ target }) => {
      const kind = target.closest("[data-chart-kind]");
      if (kind) {
        this.choose({ kind: kind.dataset.chartKind });
      }
    });
    for (const name of ["across", "height", "colour"]) {
      this.find(name).addEventListener("change", ({ target }) => this.choose({ [name]: target.value }));
    }
    this.find("agents")?.addEventListener("change", ({ target }) => this.choose({ for_agents: target.checked }));
    this.find("sorted").addEventListener("change", ({ target }) => this.choose({ largest_first: target.checked }));
    new ResizeObserver(() => this.plot && this.panel.clientWidth && this.plot.setSize(this.size)).observe(this.place);
    // The colours are on the canvas; a change of theme draws them again.
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.place.isConnected && this.draw());
  }

  /** Draws another choice and has it kept with the tool. */
  choose(changed) {
    this.choice = { ...this.choice, ...changed };
    this.showChoice();
    this.draw();
    if (this.field) {
      this.field.value = JSON.stringify(this.choice);
      this.field.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  loadStyle(then) {
    const { style } = this.words;
    if (document.querySelector(`link[href="${CSS.escape(style)}"]`)) {
      then();
      return;
    }
    const link = element("link", { rel: "stylesheet", href: style, onload: then });
    document.head.append(link);
  }

  get size() {
    return { width: Math.max(240, this.place.clientWidth), height: Math.max(120, this.place.clientHeight || 240) };
  }

  /** What is drawn: points as {x, y, label, group} in the order of x, how many there are in all, and the groups. */
  points() {
    const { kind, across, height, colour, largest_first: isSorted } = this.choice;
    const [ofX, ofY, ofColour] = [across, height, colour].map((name) => this.rows.columns.find((column) => column.name === name));
    const cells = this.rows.cells.filter((row) => row[ofY.place] !== null);
    let points = cells.map((row) => ({
      y: Number(row[ofY.place]),
      text: textOf(row[ofY.place]),
      label: this.rows.shownText(row[ofX.place], ofX).text,
      at: kind === "bar" ? null : placeOf(row[ofX.place], ofX),
      group: ofColour ? textOf(row[ofColour.place]) || "–" : "",
    }));
    const total = points.length;
    if (kind === "bar") {
      points = isSorted ? points.toSorted((one, other) => other.y - one.y) : points;
      points = points.slice(0, BARS_SHOWN).map((point, x) => ({ ...point, x }));
    } else {
      const isScaled = points.every(({ at }) => Number.isFinite(at));
      points = points.slice(0, POINTS_SHOWN).map((point, x) => ({ ...point, x: isScaled ? point.at : x }));
      points.sort((one, other) => one.x - other.x);
      this.isTime = isScaled && isTime(ofX);
    }
    this.hasLabels = kind === "bar" || points.some(({ at }) => !Number.isFinite(at));
    return { points, total, groups: groupsOf(points) };
  }

  draw() {
    const found = this.points();
    const { points, total, groups } = found;
    this.plot?.destroy();
    const inGroup = (point, at) => (at < groups.length - 1 || groups.length < COLOURS.length ? point.group === groups[at] : !groups.slice(0, -1).includes(point.group));
    const columns = [points.map(({ x }) => x), ...groups.map((_group, at) => points.map((point) => (inGroup(point, at) ? point.y : null)))];
    this.plot = new uPlot(this.options(found), columns, this.place);
    this.describe(points, total);
    this.showLegend(groups);
    this.showTable(points);
  }

  options({ points, groups }) {
    const { kind } = this.choice;
    const line = { stroke: this.colour("--text-2"), grid: { stroke: this.colour("--line"), width: 1 }, ticks: { show: false }, font: `11px ${getComputedStyle(this.place).fontFamily}` };
    const labels = new Map(points.map((point) => [point.x, point.label]));
    const step = Math.ceil((points.length * 74) / this.size.width);
    const across = this.hasLabels ? { splits: () => points.filter((_point, at) => at % step === 0).map(({ x }) => x), values: (_plot, splits) => splits.map((x) => clip(labels.get(x) ?? "")) } : this.isTime && kind !== "bar" ? { space: 84, values: (_plot, splits) => splits.map(dateOf) } : {};
    const low = Math.min(0, ...points.map(({ y }) => y));
    const bars = uPlot.paths.bars({ size: [0.7, 60], radius: 0.06 });
    return {
      ...this.size,
      legend: { show: false },
      padding: [12, 16, 0, 0],
      cursor: { drag: { x: false, y: false }, y: false, points: { show: kind !== "bar" } },
      scales: { x: { time: Boolean(this.isTime && kind !== "bar"), range: kind === "bar" ? [-0.6, points.length - 0.4] : undefined }, y: { range: kind === "scatter" ? undefined : (_plot, least, most) => [low && least, Math.max(most, low + 1) * 1.05] } },
      axes: [{ ...line, ...across, grid: { show: false } }, { ...line, size: 60, values: (_plot, splits) => splits.map((value) => compact.format(value)) }],
      series: [
        {},
        ...groups.map((_group, at) => {
          const colour = this.colour(COLOURS[at]);
          return {
            stroke: colour,
            fill: kind === "bar" ? colour : undefined,
            width: kind === "bar" ? 0 : 1.8,
            spanGaps: true,
            paths: kind === "bar" ? bars : kind === "scatter" ? () => null : undefined,
            points: { show: kind === "scatter" || (kind === "line" && points.length < 3), size: 6, fill: colour },
          };
        }),
      ],
      hooks: { setCursor: [(plot) => this.point(plot, points)] },
    };
  }

  /** What a colour of the style sheet is in the present theme. */
  colour(name) {
    const probe = element("i");
    probe.style.color = `var(${name})`;
    this.panel.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }

  /** The figures under the pointer. */
  point(plot, points) {
    const { idx, left } = plot.cursor;
    const tip = this.find("tip");
    const point = idx === null || idx === undefined || left < 0 ? null : points[idx];
    tip.hidden = !point;
    if (point) {
      tip.replaceChildren(element("span", { textContent: [point.label, point.group].filter(Boolean).join(" · ") }), element("b", { textContent: point.text }));
      const start = plot.over.offsetLeft + plot.valToPos(point.x, "x");
      tip.style.insetInlineStart = `${Math.max(4, Math.min(start + 10, this.place.clientWidth - tip.offsetWidth - 4))}px`;
    }
  }

  describe(points, total) {
    const { kind, across, height, largest_first: isSorted } = this.choice;
    const most = points.reduce((best, point) => (best === null || point.y > best.y ? point : best), null);
    const text = this.words[`as${kind[0].toUpperCase()}${kind.slice(1)}`].replace("{height}", height).replace("{across}", across);
    const largest = most ? this.words.largest.replace("{label}", most.label).replace("{value}", most.text) : "";
    this.place.setAttribute("aria-label", [text, largest].filter(Boolean).join(" "));
    const words = isSorted && kind === "bar" ? this.words.top : this.words.first;
    const count = (number) => number.toLocaleString(language);
    this.find("part").textContent = points.length < total ? words.replace("{shown}", count(points.length)).replace("{total}", count(total)) : "";
  }

  showLegend(groups) {
    const isOne = groups.length < 2;
    const marks = groups.map((group, at) => {
      const mark = element("span", { className: "chart-group", textContent: at === COLOURS.length - 1 ? this.words.others : group });
      mark.style.setProperty("--mark", `var(${COLOURS[at]})`);
      return mark;
    });
    this.find("legend").replaceChildren(...(isOne ? [] : marks));
  }

  showTable(points) {
    const { across, height, colour } = this.choice;
    const cells = (names, kind) => names.filter((name) => name !== null).map((name) => element(kind, { textContent: name }));
    const head = element("tr");
    head.append(...cells([across, colour || null, height], "th"));
    const rows = points.slice(0, 200).map((point) => {
      const row = element("tr");
      row.append(...cells([point.label, colour ? point.group : null, point.text], "td"));
      return row;
    });
    this.find("head").replaceChildren(head);
    this.find("rows").replaceChildren(...rows);
  }
}

const language = document.documentElement.lang || "en";
const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 2 });

function isTime({ kind }) {
  return kind === "date" || kind === "moment";
}

/** Where a value stands on a scale: seconds of a time, a number itself, NaN of any other. */
function placeOf(value, column) {
  if (value === null) {
    return NaN;
  }
  if (isTime(column)) {
    return Date.parse(column.kind === "date" ? `${value}T00:00:00` : value.replace(" ", "T")) / 1_000;
  }
  return column.kind === "number" ? Number(value) : NaN;
}

/** The values that colours are of: those with most points first, the last place for all others. */
function groupsOf(points) {
  const counts = new Map();
  for (const { group } of points) {
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const groups = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
  return groups.slice(0, COLOURS.length);
}

/** As in 2026-11-22, or 14:30 within a day. */
function dateOf(seconds) {
  const at = new Date(seconds * 1_000);
  const two = (number) => String(number).padStart(2, "0");
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return clock === "00:00" ? `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}` : clock;
}

function clip(text) {
  return text.length > LABEL_CHARACTERS ? `${text.slice(0, LABEL_CHARACTERS - 1)}…` : text;
}
