// The rows of a test run as the grid, its copies and its charts need them: texts, order, filters. No page is touched.

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
// More digits than these are not all kept by a JSON number.
const KEPT_DIGITS = 15;
const LONGEST_SHOWN = 400;

/** The rows that were fetched; `shown` are the places of those that pass the filters, in the chosen order. */
export class Rows {
  /** `data` is {name, columns: [{name, type, kind}], rows}; `words` has the texts of `empty` and `items`. */
  constructor(data, { language, words }) {
    this.columns = data.columns.map((column, place) => ({ ...column, place }));
    this.cells = data.rows;
    this.words = words;
    this.collator = new Intl.Collator(language, { numeric: true });
    this.text = "";
    this.likes = [];
    this.sorted = null;
    this.arrange();
  }

  get total() {
    return this.cells.length;
  }

  get isFiltered() {
    return this.text !== "" || this.likes.length > 0;
  }

  /** `sorted` is {place, isDescending}, null for the order of the statement; `likes` are [place, value]. */
  arrange({ text = this.text, likes = this.likes, sorted = this.sorted } = {}) {
    Object.assign(this, { text, likes, sorted });
    const needle = text.toLocaleLowerCase();
    const all = this.cells.map((_row, at) => at);
    const passes = (at) =>
      likes.every(([place, value]) => textOf(this.cells[at][place]) === textOf(value)) &&
      (!needle || this.cells[at].some((value) => value !== null && textOf(value).toLocaleLowerCase().includes(needle)));
    this.shown = this.isFiltered ? all.filter(passes) : all;
    if (sorted) {
      const sign = sorted.isDescending ? -1 : 1;
      this.shown.sort((one, other) => this.compare(this.cells[one][sorted.place], this.cells[other][sorted.place], sorted.place, sign) || one - other);
    }
  }

  /** Null comes last in either order. */
  compare(one, other, place, sign) {
    if (one === null || other === null) {
      return (one === null) - (other === null);
    }
    const isNumber = this.columns[place].kind === "number";
    const order = (isNumber && Number(one) - Number(other)) || this.collator.compare(textOf(one), textOf(other));
    return sign * order;
  }

  row(at) {
    return this.cells[this.shown[at]];
  }

  /** What a cell of the grid shows: {text, isWord}; a word stands for what has no text of its own. */
  shownText(value, { kind }) {
    if (value === null || value === "") {
      return { text: value === null ? "null" : this.words.empty, isWord: true };
    }
    if (typeof value === "object") {
      return { text: this.summary(value), isWord: false };
    }
    const text = kind === "moment" ? textOf(value).replace("T", " ") : textOf(value);
    return { text: text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text, isWord: false };
  }

  /** An object by its keys, a list by its items where they are short, by their number else. */
  summary(value) {
    if (!Array.isArray(value)) {
      const keys = Object.keys(value);
      return `{${keys.slice(0, 12).join(", ")}${keys.length > 12 ? ", …" : ""}}`;
    }
    const text = value.length <= 20 && value.every((item) => item === null || typeof item !== "object") ? JSON.stringify(value) : "";
    return text && text.length <= 80 ? text : `[${this.words.items.replace("{count}", value.length)}]`;
  }

  /** A row as a JSON object; a number keeps its digits. */
  toJson(row, columns = this.columns) {
    return `{${columns.map((column) => `${JSON.stringify(column.name)}: ${jsonOf(row[column.place], column)}`).join(", ")}}`;
  }

  /** All shown rows in these columns as "tsv", "markdown" or "json". */
  copy(form, columns = this.columns) {
    const rows = this.shown.map((at) => this.cells[at]);
    if (form === "json") {
      return `[\n${rows.map((row) => `  ${this.toJson(row, columns)}`).join(",\n")}\n]`;
    }
    const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ place }) => textOf(row[place])))];
    if (form === "tsv") {
      return lines.map((line) => line.map(tsvCell).join("\t")).join("\n");
    }
    const [head, ...body] = lines.map((line) => `| ${line.map(markdownCell).join(" | ")} |`);
    return [head, `|${columns.map(({ kind }) => (kind === "number" ? " ---: |" : " --- |")).join("")}`, ...body].join("\n");
  }
}

/** The value as plain text: text as it is, null as nothing, the rest as JSON. */
export function textOf(value) {
  if (value === null) {
    return "";
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The value as JSON; digits that came as text stay digits where a JSON number keeps them all. */
export function jsonOf(value, { kind }) {
  if (kind === "number" && typeof value === "string" && NUMBER.test(value)) {
    const digits = value.replace(/[eE].*|\D/g, "").replace(/^0+/, "");
    return digits.length <= KEPT_DIGITS || !value.includes(".") ? value : JSON.stringify(value);
  }
  return JSON.stringify(value);
}

/** Quoted where the text would end its cell; a spreadsheet that it is pasted into runs no formula of it. */
function tsvCell(text) {
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[\t\r\n"]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function markdownCell(text) {
  return text.replace(/[\\|`<[\]]/g, "\\$&").replace(/\r\n|[\n\r]/g, "<br>");
}
