// The table of a result: its grid with menus, filters, copies and the detail of a cell, in the pane that came.
import { Detail } from "toolbuilder/result/detail.js";
import { element, Grid } from "toolbuilder/result/grid.js";
import { jsonOf, Rows, textOf } from "toolbuilder/result/rows.js";
import { isForInputMethod, isPressed, useKeys } from "web/shortcuts.js";

const KEYS = useKeys("grid");
const FILTER_PAUSE_MS = 120;
const LIKE_CHARACTERS = 24;

/** Puts the grid of the rows in `pane` into it; `say(text)` reads aloud. The Rows, for charts; null if there are none. */
export function mountTable(pane, say) {
  const frame = pane.querySelector("[data-grid]");
  const data = pane.querySelector("#result-rows");
  if (!frame || !data) {
    return null;
  }
  const table = new Table(pane, frame, JSON.parse(data.textContent), say);
  data.remove();
  return table.rows;
}

class Table {
  constructor(pane, frame, data, say) {
    Object.assign(this, { pane, frame, say, words: frame.dataset });
    this.rows = new Rows(data, { language: document.documentElement.lang, words: { empty: this.words.empty, items: this.words.items } });
    pane.querySelector("[data-first-rows]")?.remove();
    frame.hidden = false;
    frame.parentElement.removeAttribute("tabindex");
    frame.parentElement.classList.add("has-grid");
    pane.querySelector("[data-grid-tools]").hidden = false;
    this.grid = new Grid(this.find("scroll"), this.rows, {
      label: this.words.label,
      numberLabel: this.words.number,
      icon: (name) => this.icon(name),
      onOpen: () => this.detail.open(),
      onMenu: (where) => this.openMenu(where),
      onShow: () => this.showRange(),
      onOrder: () => this.showOrder(),
      onMove: () => this.detail?.show(),
    });
    this.detail = new Detail(this.find("detail"), this.grid, this.words);
    this.watch();
    this.showColumns();
    this.showRange();
  }

  find(name) {
    return this.frame.querySelector(`[data-${name}]`);
  }

  icon(name) {
    const drawn = this.pane.querySelector("svg.icon").cloneNode(true);
    drawn.setAttribute("class", "icon");
    const use = drawn.querySelector("use");
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${name}`));
    return drawn;
  }

  watch() {
    const { frame, pane } = this;
    pane.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-grid-do]");
      if (button) {
        this.closeMenus(button);
        this.act(button.dataset.gridDo);
      }
      if (target.closest("[data-grid-search]")) {
        this.showBar(this.find("bar").hidden);
      }
    });
    pane.querySelector("[data-column-list]").addEventListener("change", ({ target }) => {
      this.grid.hidden[target.checked ? "delete" : "add"](Number(target.value));
      this.grid.layOut();
      this.showColumns();
    });
    frame.addEventListener("keydown", (event) => this.press(event));
    if (this.grid.touchRows) {
      this.grid.body.addEventListener("click", () => this.detail.open());
    }
    frame.querySelector("[data-copy-path]").addEventListener("click", () => this.copy(this.detail.path));
    let pause = 0;
    this.find("filter").addEventListener("input", ({ target }) => {
      clearTimeout(pause);
      pause = setTimeout(() => this.filter({ text: target.value }), FILTER_PAUSE_MS);
    });
    this.find("likes").addEventListener("click", ({ target }) => {
      const chip = target.closest("[data-like]");
      if (chip) {
        this.filter({ likes: this.rows.likes.filter((_like, at) => at !== Number(chip.dataset.like)) });
      }
    });
    for (const menu of frame.querySelectorAll("[popover]")) {
      menu.addEventListener("keydown", (event) => moveInMenu(menu, event));
      menu.addEventListener("toggle", ({ newState }) => newState === "closed" && document.activeElement === document.body && this.grid.root.focus());
    }
  }

  press(event) {
    const inGrid = this.grid.root.contains(event.target);
    if (event.target === this.find("filter")) {
      this.pressInFilter(event);
    } else if (isPressed(event, KEYS.search) && inGrid) {
      event.preventDefault();
      this.showBar(true);
    } else if (inGrid && (isPressed(event, KEYS.copy) || isPressed(event, KEYS.copyRow))) {
      event.preventDefault();
      this.act(event.shiftKey ? "copy-row" : "copy-cell");
    } else if (event.key === "Escape" && inGrid && this.detail.isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.detail.close();
    }
  }

  pressInFilter(event) {
    if (isForInputMethod(event)) {
      return;
    }
    if (event.key === "Enter" || event.key === "ArrowDown") {
      // Enter would press the form's first button.
      event.preventDefault();
      this.grid.root.focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      event.target.value = "";
      this.filter({ text: "" });
      this.showBar(false);
      this.grid.root.focus();
    }
  }

  act(name) {
    const { grid, rows } = this;
    const { column, row, value } = grid;
    const actions = {
      "copy-cell": () => row && this.copy(textOf(value)),
      "copy-row": () => row && this.copy(rows.toJson(row)),
      "copy-column": () => this.copy(rows.shown.map((at) => textOf(rows.cells[at][column.place])).join("\n")),
      "copy-tsv": () => this.copy(rows.copy("tsv", grid.order)),
      "copy-markdown": () => this.copy(rows.copy("markdown", grid.order)),
      "copy-json": () => this.copy(rows.copy("json", grid.order)),
      like: () => row && this.filter({ likes: [...rows.likes.filter(([place]) => place !== column.place), [column.place, value]] }),
      expect: () => row && this.expect(row),
      "sort-up": () => this.sortBy({ place: column.place, isDescending: false }),
      "sort-down": () => this.sortBy({ place: column.place, isDescending: true }),
      "sort-not": () => this.sortBy(null),
      pin: () => this.pin(column),
      fit: () => grid.fit(grid.at.column),
      hide: () => this.hide(column),
    };
    actions[name]();
  }

  sortBy(sorted) {
    this.grid.orderBy(sorted);
    this.grid.root.focus();
  }

  pin({ place }) {
    this.grid.pinned[this.grid.pinned.has(place) ? "delete" : "add"](place);
    this.grid.layOut();
    this.grid.move(this.grid.at.row, this.grid.order.findIndex((column) => column.place === place));
    this.grid.root.focus();
  }

  hide({ place }) {
    if (this.grid.order.length > 1) {
      this.grid.hidden.add(place);
      this.grid.layOut();
      this.showColumns();
    }
    this.grid.root.focus();
  }

  filter(given) {
    this.rows.arrange(given);
    this.grid.layOut();
    this.detail.show();
    this.showBar(!this.find("bar").hidden || this.rows.likes.length > 0, { isFocused: false });
    const chips = this.rows.likes.map(([place, value], at) => {
      const { text } = this.rows.shownText(value, this.rows.columns[place]);
      const chip = element("button", { type: "button", className: "chip", textContent: `${this.rows.columns[place].name} = ${text.slice(0, LIKE_CHARACTERS)}` });
      chip.dataset.like = at;
      chip.title = this.words.remove;
      chip.append(this.icon("x"));
      return chip;
    });
    this.find("likes").replaceChildren(...chips);
    this.say(this.find("shown-range").textContent);
  }

  /** The form of a new case that expects this row; its values are as JSON has them. */
  expect(row) {
    const short = this.rows.columns.filter(({ place }) => row[place] === null || typeof row[place] !== "object");
    document.getElementById("expected-row").value = `{${short.map((column) => `${JSON.stringify(column.name)}: ${jsonOf(row[column.place], column)}`).join(", ")}}`;
    this.frame.querySelector("[data-expect-row]").click();
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.tell(this.words.copied);
    } catch {
      // No clipboard without TLS.
      this.tell(this.words.notCopied);
    }
  }

  /** Says it for two seconds in the foot, and aloud. */
  tell(text) {
    write(this.find("shown-order"), text);
    this.say(text);
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.showOrder(), 2_000);
  }

  showRange() {
    const { first, last } = this.grid?.inSight ?? { first: 0, last: 0 };
    const count = (number) => number.toLocaleString(document.documentElement.lang);
    const { shown, total, isFiltered } = this.rows;
    const text = shown.length === 0 && total > 0 ? this.words.none : isFiltered ? this.words.filtered : total > 0 ? this.words.range : "";
    const figures = { first: Math.min(first + 1, shown.length), last, total, shown: shown.length };
    write(this.find("shown-range"), text.replace(/\{(\w+)\}/g, (_all, name) => count(figures[name])));
  }

  showOrder() {
    const { sorted, columns } = this.rows;
    write(this.find("shown-order"), sorted ? this.words.sorted.replace("{name}", columns[sorted.place].name) : "");
  }

  showBar(isShown, { isFocused = true } = {}) {
    this.find("bar").hidden = !isShown;
    this.pane.querySelector("[data-grid-search]").ariaExpanded = String(isShown);
    if (isShown && isFocused) {
      this.find("filter").focus();
    }
  }

  showColumns() {
    const list = this.pane.querySelector("[data-column-list]");
    const boxes = this.rows.columns.map(({ name, place }) => {
      const label = element("label", { className: "check menu-item" });
      const box = element("input", { type: "checkbox", value: place, checked: !this.grid.hidden.has(place) });
      box.disabled = box.checked && this.grid.order.length === 1;
      label.append(box, element("span", { className: "mono", textContent: name }));
      return label;
    });
    list.replaceChildren(...boxes);
  }

  openMenu({ isHead, x, y }) {
    const menu = this.find(isHead ? "head-menu" : "cell-menu");
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    menu.style.insetInlineStart = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
    menu.style.insetBlockStart = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
    menu.querySelector("[role=menuitem]").focus();
  }

  closeMenus(button) {
    button.closest("[popover]")?.hidePopover();
    const menu = button.closest("details[data-menu]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
}

/** Changes the text in its node, see Grid.addLine. */
function write(place, text) {
  const node = place.firstChild ?? place.appendChild(new Text());
  if (node.data !== text) {
    node.data = text;
  }
}

function moveInMenu(menu, event) {
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    items[next % items.length].focus();
  } else if (event.key === "Tab") {
    menu.hidePopover();
  }
  if (event.key !== "Tab") {
    event.stopPropagation();
  }
}
