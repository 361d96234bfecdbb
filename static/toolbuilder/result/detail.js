// What one cell holds, beside the grid: JSON as a tree with paths, long text, an image by its address; a whole row on telephones.
import { element } from "toolbuilder/result/grid.js";
import { textOf } from "toolbuilder/result/rows.js";

const IMAGE = /^https?:\/\/\S+\.(png|jpe?g|gif|webp|svg|avif)(\?\S*)?$/i;
const ADDRESS = /^https?:\/\/\S+$/i;
const PLAIN_NAME = /^[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*$/;
// Of one object or list; more of them would only slow the page.
const BRANCHES_SHOWN = 500;
const OPEN_LEVELS = 3;

/** The pane `place` for the cell or row that `grid` means; `words` are the texts of the frame. */
export class Detail {
  constructor(place, grid, words) {
    Object.assign(this, { place, grid, words });
    this.form = "tree";
    this.path = "";
    place.addEventListener("click", (event) => this.click(event));
    place.addEventListener("focusin", (event) => this.choosePath(event.target.closest("[data-path]")?.dataset.path));
    place.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        this.close();
      }
    });
  }

  get isOpen() {
    return !this.place.hidden;
  }

  find(name) {
    return this.place.querySelector(`[data-detail-${name}]`);
  }

  open() {
    if (this.grid.row === undefined) {
      return;
    }
    this.place.hidden = false;
    this.show();
    this.grid.show();
    this.find("body").focus();
  }

  close() {
    this.place.hidden = true;
    this.grid.root.focus();
  }

  /** What the grid means now. */
  show() {
    const { grid, words } = this;
    if (!this.isOpen || grid.row === undefined) {
      return;
    }
    const { column, value } = grid;
    const isRow = grid.touchRows;
    const isJson = !isRow && value !== null && typeof value === "object";
    const number = grid.at.row + 1;
    this.place.classList.toggle("of-row", isRow);
    this.find("name").textContent = isRow ? grid.rows.shownText(grid.row[grid.order[0].place], grid.order[0]).text : column.name;
    const place = isRow ? words.rowOf.replace("{total}", grid.rows.shown.length) : words.row;
    this.find("place").textContent = [place.replace("{number}", number), isRow ? "" : column.type].filter(Boolean).join(" · ");
    this.find("tools").hidden = !isJson;
    this.find("foot").hidden = !isRow;
    const body = this.find("body");
    body.scrollTop = 0;
    if (isRow) {
      body.replaceChildren(this.rowList());
    } else if (isJson && this.form === "tree") {
      body.replaceChildren(this.branch(column.name, value, "$", 0));
    } else {
      body.replaceChildren(...this.wholeText(value, column, isJson));
    }
    this.choosePath(isJson ? "$" : "");
  }

  rowList() {
    const { grid } = this;
    const list = element("dl", { className: "grid-fields" });
    for (const column of grid.rows.columns) {
      const { text, isWord } = grid.rows.shownText(grid.row[column.place], column);
      const value = element("dd", { textContent: isWord ? text : textOf(grid.row[column.place]), className: isWord ? "word" : "" });
      list.append(element("dt", { textContent: column.name }), value);
    }
    return list;
  }

  wholeText(value, column, isJson) {
    const shown = this.grid.rows.shownText(value, column);
    const text = isJson ? JSON.stringify(value, null, 2) : shown.isWord ? shown.text : textOf(value);
    const parts = [element("pre", { className: shown.isWord ? "grid-text word" : "grid-text", textContent: text })];
    if (typeof value === "string" && ADDRESS.test(value)) {
      // The picture itself is loaded by nobody but who follows the link.
      const link = element("a", { href: value, target: "_blank", rel: "noopener noreferrer", textContent: value });
      link.classList.toggle("grid-image", IMAGE.test(value));
      parts[0].replaceChildren(link);
    }
    return parts;
  }

  /** A value of a tree with all that is in it; objects and lists fold. */
  branch(name, value, path, level) {
    const { words } = this;
    const label = element("b", { textContent: name });
    if (value === null || typeof value !== "object") {
      const text = element("span", { className: `grid-leaf of-${value === null ? "null" : typeof value}`, textContent: JSON.stringify(value) });
      const leaf = element("button", { type: "button", className: "grid-branch" });
      leaf.dataset.path = path;
      leaf.append(label, " ", text);
      return leaf;
    }
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    const count = (isList ? words.list : words.object).replace("{count}", entries.length);
    const folded = element("details", { open: level < OPEN_LEVELS, className: "grid-branches" });
    const summary = element("summary", { className: "grid-branch" });
    summary.dataset.path = path;
    summary.append(label, " ", element("span", { className: "quiet-text", textContent: count }));
    const inner = entries
      .slice(0, BRANCHES_SHOWN)
      .map(([key, part]) => this.branch(key, part, isList ? `${path}[${key}]` : PLAIN_NAME.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`, level + 1));
    const rest = entries.length > BRANCHES_SHOWN ? [element("p", { className: "quiet-text", textContent: `+ ${entries.length - BRANCHES_SHOWN}` })] : [];
    folded.append(summary, ...inner, ...rest);
    return folded;
  }

  choosePath(path) {
    if (path !== undefined) {
      this.path = path;
      this.find("path").textContent = path;
      this.find("path").hidden = !path;
    }
  }

  click({ target }) {
    const step = target.closest("[data-detail-step]");
    const form = target.closest("[data-detail-as]");
    if (step) {
      this.grid.move(this.grid.at.row + Number(step.dataset.detailStep), this.grid.at.column);
      this.show();
    } else if (form) {
      this.form = form.dataset.detailAs;
      form.parentElement.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(each === form)));
      this.show();
    } else if (target.closest("[data-detail-close]")) {
      this.close();
    }
  }
}
