// The tables beside the editor: a tree that is walked by keys, whose names are put into the statement.
import { watchColumnCards } from "toolbuilder/editing/column_card.js";
import { carryName } from "toolbuilder/editing/insertion.js";
import { remember } from "web/remember.js";
import { isForInputMethod, useKeys } from "web/shortcuts.js";

const SHORTCUTS = useKeys("explorer");
const ITEM = '[role="treeitem"]';
const GROUP = '[role="group"]';
const TYPING_PAUSE_MS = 600;
const RECENT = 5;
const RECENT_KEY = "toolbuilder--recent-tables";

/**
 * Makes the pane `root` work. `insert(text)` puts a name at the cursor of the editor.
 * The event explorer:source on `root`, with {name} as its detail, shows the tables of another data source.
 */
export function startExplorer(root, { insert }) {
  return new Explorer(root, insert);
}

/** What the editor's configure() takes, {schema, loadColumns}, of a data source; `root` is the explorer's pane. */
export async function readSchema(root, source) {
  const read = async (asked) => {
    const response = await fetch(`${root.dataset.schema}?${new URLSearchParams({ source, ...asked })}`);
    if (!response.ok) {
      throw new Error(`${response.status} ${response.statusText}`);
    }
    return response.json();
  };
  const loadColumns = async (table) => (await read({ table: table.insert })).columns;
  return { schema: await read({}), loadColumns };
}

class Explorer {
  constructor(root, insert) {
    this.root = root;
    this.insert = insert;
    this.form = root.querySelector("form");
    this.opened = new Set();
    this.text = "";
    this.recent = readRecent();
    this.typed = { text: "", at: 0 };
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("dblclick", (event) => this.doubleClick(event));
    root.addEventListener("keydown", (event) => this.press(event));
    root.addEventListener("focusin", ({ target }) => target.matches(ITEM) && this.makeTabStop(target));
    root.addEventListener("dragstart", (event) => carry(event));
    root.addEventListener("htmx:after:swap", () => this.settle());
    watchColumnCards(root);
    root.addEventListener("explorer:source", ({ detail }) => this.show(detail.name));
    // Behind the first picture of the text, which the request would hold up.
    requestAnimationFrame(() => setTimeout(() => this.form.requestSubmit()));
  }

  /** The items that can be seen, from top to bottom. */
  get items() {
    return [...this.root.querySelectorAll(ITEM)].filter((item) => !item.closest("[hidden]"));
  }

  /** The tables that the statement names come first, then favourites, then those that were used last. */
  follow(text) {
    this.text = text;
    this.arrange();
  }

  arrange() {
    const tree = this.root.querySelector('[role="tree"]');
    const { inQuery, favourites, recent, others } = this.root.dataset;
    if (!tree || this.form.elements.q.value.trim()) {
      return;
    }
    const headings = tree.querySelectorAll(".explorer-heading");
    headings.forEach((heading) => heading.remove());
    const words = new Set(this.text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu));
    const groups = [[inQuery, []], [favourites, []], [recent, []], [others, []]];
    for (const row of byName(tree)) {
      const name = tableOf(row);
      const place = [words.has(name), row.dataset.starred === "yes", this.recent.includes(name), true].indexOf(true);
      groups[place][1].push(row.parentElement);
    }
    const focused = document.activeElement;
    const isMixed = groups.slice(0, -1).some(([, items]) => items.length);
    if (!isMixed && headings.length === 0) {
      return;
    }
    for (const [heading, items] of groups) {
      if (isMixed && items.length) {
        tree.append(makeHeading(heading));
      }
      tree.append(...items);
    }
    if (focused !== document.activeElement && tree.contains(focused)) {
      focused.focus();
    }
  }

  /** Loads the tables of a data source, '' the default. */
  show(source) {
    this.form.elements.source.value = source;
    this.opened.clear();
    this.search("");
  }

  search(text) {
    this.form.elements.q.value = text;
    this.form.requestSubmit();
  }

  click(event) {
    const item = event.target.closest(ITEM);
    const target = event.target.closest("[data-table]")?.dataset.table;
    if (target) {
      this.lead(target);
    } else if (event.target.closest("[data-clear]")) {
      this.form.elements.q.focus();
      this.search("");
    } else if (item && event.target.closest(".explorer-star")) {
      this.star(item);
    } else if (item && event.target.closest("button")) {
      this.put(item);
    } else if (item && event.detail < 2) {
      // The second click of a double click inserts, and leaves open what the first one opened.
      item.focus();
      this.activate(item);
    }
  }

  doubleClick({ target }) {
    const item = target.closest(ITEM);
    if (item?.dataset.insert && !target.closest("button")) {
      this.put(item);
    }
  }

  /** Opens the table of that name and goes there. */
  lead(name) {
    const found = [...this.root.querySelectorAll(`${ITEM}[aria-expanded]`)].find((item) => nameOf(item).split(".").at(-1) === name.toLowerCase());
    if (found) {
      this.toggle(found, true);
      found.focus();
      found.scrollIntoView({ block: "start" });
    } else {
      this.search(name);
    }
  }

  activate(item) {
    if (item.hasAttribute("data-all")) {
      // The item is about to go, and the focus with it.
      parentOf(item).focus();
      load(item.closest(GROUP));
    } else if (item.hasAttribute("aria-expanded")) {
      this.toggle(item, item.ariaExpanded !== "true");
    }
  }

  put({ dataset }) {
    const table = dataset.insert.split(".").at(-1).replaceAll('"', "").toLowerCase();
    this.recent = [table, ...this.recent.filter((name) => name !== table)].slice(0, RECENT);
    keepRecent(this.recent);
    this.insert(dataset.insert);
    const words = this.root.dataset.inserted.replace("{name}", () => dataset.insert);
    this.root.querySelector('[role="status"]').textContent = words;
  }

  /** A favourite, or no more one; only tables can be. */
  star(item) {
    const { star: address, starred } = item.dataset;
    if (address) {
      item.dataset.starred = starred === "yes" ? "no" : "yes";
      item.querySelector(".explorer-star").ariaPressed = String(starred !== "yes");
      remember(address, { starred: item.dataset.starred });
      this.arrange();
    }
  }

  toggle(item, isOpen) {
    const columns = columnsOf(item);
    item.ariaExpanded = String(isOpen);
    columns.hidden = !isOpen;
    this.opened[isOpen ? "add" : "delete"](item.dataset.id);
    if (isOpen && !columns.querySelector(ITEM)) {
      load(columns);
    }
  }

  press(event) {
    if (isForInputMethod(event) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const item = event.target.closest(ITEM);
    const isHandled = item ? this.pressOn(item, event.key) : event.key === "ArrowDown" && event.target.matches("input") && this.focusStop();
    if (isHandled) {
      event.preventDefault();
    }
  }

  /** What the key does on the item; whether it does something. */
  pressOn(item, key) {
    const action = KEYS[key];
    if (action) {
      action(this, item);
    } else if (key.length === 1) {
      this.jump(item, key);
    }
    return Boolean(action) || key.length === 1;
  }

  /** The field's arrow leads into the tree. */
  focusStop() {
    const stop = this.root.querySelector(`${ITEM}[tabindex="0"]`);
    stop?.focus();
    return Boolean(stop);
  }

  move(item, step) {
    const { items } = this;
    items[items.indexOf(item) + step]?.focus();
  }

  jump(item, letter) {
    const now = Date.now();
    const isFurther = now - this.typed.at < TYPING_PAUSE_MS;
    this.typed = { text: (isFurther ? this.typed.text : "") + letter.toLowerCase(), at: now };
    const { items } = this;
    const start = items.indexOf(item) + (isFurther ? 0 : 1);
    const others = [...items.slice(start), ...items.slice(0, start)];
    others.find((each) => nameOf(each).startsWith(this.typed.text))?.focus();
  }

  makeTabStop(item) {
    for (const stop of this.root.querySelectorAll(`${ITEM}[tabindex="0"]`)) {
      stop.tabIndex = -1;
    }
    item.tabIndex = 0;
  }

  /** After other items came: those that were open are again, and one of them takes the focus of Tab. */
  settle() {
    this.arrange();
    for (const id of this.opened) {
      const item = this.root.querySelector(`[data-id="${id}"][aria-expanded="false"]`);
      if (item) {
        this.toggle(item, true);
      }
    }
    const { items } = this;
    const stop = items.find((item) => item.tabIndex === 0) ?? items[0];
    if (stop) {
      this.makeTabStop(stop);
    }
  }
}

const KEYS = {
  ArrowDown: (tree, item) => tree.move(item, 1),
  ArrowUp: (tree, item) => tree.move(item, -1),
  ArrowRight: (tree, item) => (item.ariaExpanded === "false" ? tree.toggle(item, true) : columnsOf(item)?.querySelector(ITEM)?.focus()),
  ArrowLeft: (tree, item) => (item.ariaExpanded === "true" ? tree.toggle(item, false) : parentOf(item)?.focus()),
  Home: (tree) => tree.items[0]?.focus(),
  End: (tree) => tree.items.at(-1)?.focus(),
  [SHORTCUTS.insert]: (tree, item) => (item.dataset.insert ? tree.put(item) : tree.activate(item)),
  " ": (tree, item) => tree.activate(item),
  [SHORTCUTS.star]: (tree, item) => tree.star(item),
};

function carry({ target, dataTransfer }) {
  const item = target.closest?.(ITEM);
  if (item?.dataset.insert) {
    carryName(dataTransfer, item.dataset.insert);
  }
}

/** Where the columns of a table are. */
function columnsOf(item) {
  return item.nextElementSibling;
}

/** The table of a column. */
function parentOf(item) {
  return item.closest(GROUP)?.previousElementSibling;
}

/** Asks for the columns of a table; htmx puts them into its group. */
function load(columns) {
  columns.dispatchEvent(new CustomEvent("columns"));
}

/** The rows of tables, by name: as the server lists them. */
function byName(tree) {
  return [...tree.querySelectorAll(`${ITEM}[aria-expanded]`)].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function tableOf(row) {
  return nameOf(row).split(".").at(-1);
}

function makeHeading(text) {
  const heading = document.createElement("li");
  heading.role = "none";
  heading.className = "explorer-heading";
  heading.textContent = text;
  return heading;
}

// Browsers may forbid the storage.
function readRecent() {
  try {
    return JSON.parse(localStorage.getItem(RECENT_KEY) ?? "[]");
  } catch {
    return [];
  }
}

function keepRecent(names) {
  try {
    localStorage.setItem(RECENT_KEY, JSON.stringify(names));
  } catch {
    // See above.
  }
}

function nameOf(item) {
  return (item.querySelector(".explorer-name")?.textContent ?? "").toLowerCase();
}
