// A grid of many rows: only those in sight are in the page. Arrows move, the head sorts, resizes and pins.
import { isPressed, useKeys } from "web/shortcuts.js";

const KEYS = useKeys("grid");
const ROW_HEIGHT = 25;
const BEYOND = 8;
const STEP = 24;
const WIDTHS = { least: 56, most: 1_200, first: 320 };
const LOOKED_AT = 200;

/**
 * The grid of `rows` in `place`. It has one stop of the tab key, and says which cell is meant by `aria-activedescendant`.
 *
 * `onOpen()` is called for Enter or a double click on a cell, `onMenu({isHead, x, y})` for its menu, `onShow()` after each
 * change of what is in sight, `onOrder()` after another order, `onMove()` when another cell is meant.
 */
export class Grid {
  constructor(place, rows, { label, numberLabel, icon, onOpen, onMenu, onShow, onOrder, onMove }) {
    Object.assign(this, { place, rows, label, numberLabel, icon, onOpen, onMenu, onShow, onOrder, onMove });
    this.touchRows = matchMedia("(max-width: 480px)").matches;
    this.rowHeight = this.touchRows ? 36 : ROW_HEIGHT;
    this.hidden = new Set();
    this.pinned = new Set(this.touchRows && rows.columns.length > 1 ? [0] : []);
    this.widths = new Map();
    // Row -1 is the head; columns are places among those that are shown.
    this.at = { row: 0, column: 0 };
    this.lines = [];
    this.inSight = { first: 0, last: 0 };
    this.build();
    this.watch();
    this.layOut();
  }

  /** The columns in the order in which they stand: pinned ones first. */
  get columns() {
    const shown = this.rows.columns.filter(({ place }) => !this.hidden.has(place));
    return [...shown.filter(({ place }) => this.pinned.has(place)), ...shown.filter(({ place }) => !this.pinned.has(place))];
  }

  get column() {
    return this.order[this.at.column];
  }

  get row() {
    return this.at.row < 0 ? undefined : this.rows.row(this.at.row);
  }

  get value() {
    return this.row?.[this.column.place];
  }

  /** Notes which rows are in sight; asked once a frame, before anything is written. */
  look() {
    const top = this.place.scrollTop;
    const height = Math.max(this.place.clientHeight - this.rowHeight, this.rowHeight);
    const last = Math.min(this.rows.shown.length, Math.floor((top + height) / this.rowHeight + 0.02));
    this.inSight = { first: Math.floor(top / this.rowHeight), last };
  }

  build() {
    this.root = element("div", { role: "grid", className: "grid", tabIndex: 0, id: "result-grid" });
    this.root.ariaLabel = this.label;
    this.head = element("div", { role: "row", className: "grid-row grid-head" });
    this.headGroup = element("div", { role: "rowgroup", className: "grid-head-group" });
    this.headGroup.append(this.head);
    this.body = element("div", { role: "rowgroup", className: "grid-body" });
    this.root.append(this.headGroup, this.body);
    this.root.style.setProperty("--grid-row", `${this.rowHeight}px`);
    this.place.replaceChildren(this.root);
  }

  watch() {
    let isAsked = false;
    this.place.addEventListener("scroll", () => {
      if (!isAsked) {
        isAsked = true;
        requestAnimationFrame(() => {
          isAsked = false;
          this.draw();
        });
      }
    });
    new ResizeObserver(() => this.place.isConnected && this.draw()).observe(this.place);
    this.root.addEventListener("keydown", (event) => this.press(event));
    this.root.addEventListener("mousedown", (event) => this.point(event));
    this.root.addEventListener("dblclick", (event) => event.target.closest("[role=gridcell]") && this.onOpen());
    this.root.addEventListener("contextmenu", (event) => {
      const isHead = this.point(event);
      if (isHead !== null) {
        event.preventDefault();
        this.onMenu({ isHead, x: event.clientX, y: event.clientY });
      }
    });
    this.head.addEventListener("click", (event) => this.clickHead(event));
    this.head.addEventListener("pointerdown", (event) => this.drag(event));
    this.root.addEventListener("focus", () => this.show());
  }

  /** Draws head and rows again: after other columns, another order or other filters. */
  layOut() {
    this.order = this.columns;
    this.at.column = Math.min(this.at.column, this.order.length - 1);
    this.at.row = Math.min(this.at.row, this.rows.shown.length - 1);
    this.root.ariaRowCount = String(this.rows.shown.length + 1);
    this.root.ariaColCount = String(this.order.length + 1);
    this.drawHead();
    this.setWidths();
    this.body.style.blockSize = `${this.rows.shown.length * this.rowHeight}px`;
    // Two lines more than all rows: the head and a bar for scrolling.
    this.place.style.setProperty("--grid-height", `${(this.rows.shown.length + 2) * this.rowHeight}px`);
    this.body.replaceChildren();
    this.lines = [];
    this.draw();
    this.mark();
  }

  drawHead() {
    const number = element("div", { role: "columnheader", className: "grid-cell grid-number" });
    number.ariaColIndex = "1";
    number.append(element("span", { className: "visually-hidden", textContent: this.numberLabel }));
    const { sorted } = this.rows;
    const heads = this.order.map((column, at) => {
      const cell = element("div", { role: "columnheader", className: "grid-cell" });
      cell.ariaColIndex = String(at + 2);
      cell.dataset.at = at;
      this.style(cell, column, at);
      cell.append(element("b", { textContent: column.name }));
      if (this.pinned.has(column.place)) {
        cell.append(this.icon("pin"));
      }
      if (sorted?.place === column.place) {
        cell.ariaSort = sorted.isDescending ? "descending" : "ascending";
        cell.append(this.icon(sorted.isDescending ? "arrow-down" : "arrow-up"));
      }
      if (column.type) {
        cell.append(element("span", { className: "grid-type", textContent: column.type }));
      }
      cell.append(element("span", { className: "grid-edge" }));
      cell.title = [column.name, column.type].filter(Boolean).join(" ");
      return cell;
    });
    this.head.ariaRowIndex = "1";
    this.head.replaceChildren(number, ...heads);
  }

  style(cell, column, at) {
    cell.classList.toggle("number", column.kind === "number");
    const isPinned = this.pinned.has(column.place);
    cell.classList.toggle("pinned", isPinned);
    cell.classList.toggle("last-pinned", isPinned && !this.pinned.has(this.order[at + 1]?.place));
    cell.style.insetInlineStart = isPinned ? `var(--grid-at-${at})` : "";
  }

  setWidths() {
    const numberWidth = this.touchRows ? 0 : 16 + 8 * String(this.rows.total).length;
    const widths = this.order.map((column) => this.widthOf(column));
    this.root.style.setProperty("--grid-columns", `${numberWidth}px ${widths.map((width) => `${width}px`).join(" ")} 1fr`);
    let start = numberWidth;
    this.order.forEach((column, at) => {
      if (this.pinned.has(column.place)) {
        this.root.style.setProperty(`--grid-at-${at}`, `${start}px`);
        start += widths[at];
      }
    });
    this.root.style.minInlineSize = `${numberWidth + widths.reduce((sum, width) => sum + width, 0)}px`;
  }

  /** As wide as its head and the first rows need, until somebody says otherwise. */
  widthOf(column) {
    if (!this.widths.has(column.place)) {
      const longest = this.rows.cells.slice(0, LOOKED_AT).reduce((most, row) => Math.max(most, lengthOf(this.rows.shownText(row[column.place], column).text)), 0);
      const head = lengthOf(column.name) * 7.6 + lengthOf(column.type) * 6.6 + 44;
      const width = Math.max(head, longest * (column.kind === "number" ? 7.6 : 7.2) + 24);
      this.widths.set(column.place, Math.round(Math.min(Math.max(width, WIDTHS.least), WIDTHS.first)));
    }
    return this.widths.get(column.place);
  }

  resize(at, width) {
    this.widths.set(this.order[at].place, Math.round(Math.min(Math.max(width, WIDTHS.least), WIDTHS.most)));
    this.setWidths();
  }

  fit(at) {
    const column = this.order[at];
    const texts = this.rows.shown.slice(0, 2_000).map((row) => lengthOf(this.rows.shownText(this.rows.cells[row][column.place], column).text));
    this.resize(at, Math.max(texts.reduce((most, length) => Math.max(most, length), 0) * 7.6 + 24, lengthOf(column.name) * 7.6 + 44));
  }

  /** Fills as many lines as fit; a line that stays in sight, or is left over, is left as it is. */
  draw() {
    this.look();
    const { first, last } = this.inSight;
    const from = Math.max(0, first - BEYOND);
    const to = Math.min(this.rows.shown.length, last + BEYOND);
    const free = this.lines.filter((line) => line.row < from || line.row >= to);
    const drawn = new Set(this.lines.map((line) => line.row));
    for (let row = from; row < to; row += 1) {
      if (!drawn.has(row)) {
        this.fill(free.pop() ?? this.addLine(), row);
      }
    }
    this.mark();
    this.onShow();
  }

  /** Each cell keeps its text node: a node that comes or goes has the whole page's styles found again. */
  addLine() {
    const line = { element: element("div", { role: "row", className: "grid-row" }), row: -1 };
    const number = element("div", { role: "rowheader", className: "grid-cell grid-number" });
    number.ariaColIndex = "1";
    line.number = number.appendChild(new Text());
    line.cells = this.order.map((column, at) => {
      const cell = element("div", { role: "gridcell", className: "grid-cell" });
      cell.ariaColIndex = String(at + 2);
      cell.dataset.at = at;
      this.style(cell, column, at);
      return { cell, text: cell.appendChild(new Text()) };
    });
    line.element.append(number, ...line.cells.map(({ cell }) => cell));
    this.body.append(line.element);
    this.lines.push(line);
    return line;
  }

  fill(line, at) {
    const row = this.rows.row(at);
    line.row = at;
    line.element.style.transform = `translateY(${at * this.rowHeight}px)`;
    line.element.ariaRowIndex = String(at + 2);
    line.element.dataset.row = at;
    line.number.data = this.rows.shown[at] + 1;
    this.order.forEach((column, place) => {
      const { cell, text } = line.cells[place];
      const value = row[column.place];
      const shown = this.rows.shownText(value, column);
      text.data = shown.text;
      cell.classList.toggle("word", shown.isWord);
      cell.classList.toggle("brief", !shown.isWord && typeof value === "object");
    });
  }

  /** Shows which cell is meant; it alone has an id. */
  mark() {
    const { row, column } = this.at;
    const line = this.lines.find((each) => each.row === row);
    const cell = row < 0 ? this.head.children[column + 1] : line?.cells[column]?.cell;
    if (this.meant !== cell || this.meantLine !== line) {
      this.meant?.classList.remove("meant");
      this.meant?.removeAttribute("id");
      this.meantLine?.element.classList.remove("meant-row");
      cell?.classList.add("meant");
      line?.element.classList.add("meant-row");
      Object.assign(this, { meant: cell, meantLine: line });
      if (cell) {
        cell.id = "grid-meant";
        this.root.setAttribute("aria-activedescendant", cell.id);
      } else {
        this.root.removeAttribute("aria-activedescendant");
      }
    }
  }

  /** Means another cell, and brings it into sight. */
  move(row, column) {
    const before = `${this.at.row} ${this.at.column}`;
    this.at.row = Math.min(Math.max(row, -1), this.rows.shown.length - 1);
    this.at.column = Math.min(Math.max(column, 0), this.order.length - 1);
    this.show();
    if (before !== `${this.at.row} ${this.at.column}`) {
      this.onMove();
    }
  }

  show() {
    const { place, rowHeight } = this;
    const { row, column } = this.at;
    if (row >= 0) {
      const top = row * rowHeight;
      const room = place.clientHeight - rowHeight;
      place.scrollTop = Math.min(Math.max(place.scrollTop, top + rowHeight - room), top);
    }
    const head = this.head.children[column + 1];
    if (!this.pinned.has(this.order[column]?.place) && head) {
      const pinned = [...this.head.querySelectorAll(".grid-number, .pinned")].reduce((sum, each) => sum + each.offsetWidth, 0);
      const start = head.offsetLeft - pinned;
      const end = head.offsetLeft + head.offsetWidth - place.clientWidth;
      place.scrollLeft = Math.max(Math.min(place.scrollLeft, start), Math.min(end, start));
    }
    this.draw();
  }

  press(event) {
    const { row, column } = this.at;
    const page = Math.max(1, this.inSight.last - this.inSight.first - 1);
    const isFar = event.ctrlKey || event.metaKey;
    if (event.altKey && row < 0 && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
      event.preventDefault();
      this.resize(column, this.widthOf(this.column) + (event.key === "ArrowLeft" ? -STEP : STEP));
      return;
    }
    if (event.altKey) {
      return;
    }
    const targets = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [isFar ? 0 : row, 0],
      End: [isFar ? this.rows.shown.length - 1 : row, this.order.length - 1],
      PageUp: [Math.max(0, row - page), column],
      PageDown: [row + page, column],
    };
    if (targets[event.key]) {
      event.preventDefault();
      this.move(...targets[event.key]);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (row < 0) {
        this.sort(this.column.place);
      } else {
        this.onOpen();
      }
    } else if (event.key === "ContextMenu" || isPressed(event, KEYS.menu)) {
      event.preventDefault();
      const box = this.meant?.getBoundingClientRect() ?? this.place.getBoundingClientRect();
      this.onMenu({ isHead: row < 0, x: box.left + 12, y: box.bottom });
    }
  }

  /** Means the cell under the pointer; whether it is of the head, null if there is none. */
  point(event) {
    const cell = event.target.closest("[data-at]");
    if (!cell) {
      return null;
    }
    const line = cell.closest(".grid-row[data-row]");
    this.root.focus({ preventScroll: true });
    this.move(line ? Number(line.dataset.row) : -1, Number(cell.dataset.at));
    return !line;
  }

  clickHead(event) {
    const cell = event.target.closest("[data-at]");
    if (cell && !event.target.closest(".grid-edge")) {
      this.sort(this.order[cell.dataset.at].place);
    }
  }

  /** Smallest first, largest first, then as the statement says again. */
  sort(place) {
    const { sorted } = this.rows;
    const isSame = sorted?.place === place;
    this.orderBy(isSame && sorted.isDescending ? null : { place, isDescending: isSame });
  }

  orderBy(sorted) {
    this.rows.arrange({ sorted });
    this.layOut();
    this.onOrder();
  }

  drag(start) {
    const edge = start.target.closest(".grid-edge");
    if (!edge) {
      return;
    }
    start.preventDefault();
    const at = Number(edge.parentElement.dataset.at);
    const width = this.widthOf(this.order[at]);
    edge.setPointerCapture(start.pointerId);
    const move = (event) => this.resize(at, width + event.clientX - start.clientX);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), { once: true });
  }
}

/** A new element with these properties; `role` too. */
export function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

/** About how many Latin letters are as wide as the text. */
function lengthOf(text) {
  return text.length + (text.match(/[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]/g)?.length ?? 0) * 0.75;
}
