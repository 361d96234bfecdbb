// The reference in the drawer: typed words leave what has them all, arrows choose, Enter inserts at the editor's cursor.
import { isForInputMethod } from "web/shortcuts.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** Makes its list work; `close` takes the drawer away when something was inserted. */
export function watchReference(drawer, close) {
  const field = drawer.querySelector("[role=combobox]");
  if (!field) {
    return;
  }
  let active = null;
  const entries = [...drawer.querySelectorAll("[role=option]")];
  const visible = () => entries.filter((entry) => !entry.hidden);
  const select = (entry) => {
    active?.setAttribute("aria-selected", "false");
    active = entry;
    active?.setAttribute("aria-selected", "true");
    active?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", active?.id ?? "");
  };
  const insert = (entry) => {
    if (entry?.dataset.insert) {
      close();
      const { insert: text, back } = entry.dataset;
      document.dispatchEvent(new CustomEvent("editor:insert", { detail: { text, back: Number(back) } }));
    }
  };
  field.addEventListener("input", () => {
    const words = fold(field.value).split(" ");
    for (const entry of entries) {
      const text = fold(entry.textContent);
      entry.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of drawer.querySelectorAll("[role=group]")) {
      group.hidden = !group.querySelector("[role=option]:not([hidden])");
    }
    // What is called so comes before what speaks of it.
    const found = visible();
    const insertable = found.filter((entry) => entry.dataset.insert);
    const named = insertable.find((entry) => fold(entry.dataset.insert).startsWith(words.join(" "))) ?? insertable[0];
    drawer.querySelector("[data-none]").hidden = found.length > 0;
    select(named ?? found[0] ?? null);
  });
  field.addEventListener("keydown", (event) => {
    if (isForInputMethod(event)) {
      return;
    }
    if (event.key in STEPS) {
      event.preventDefault();
      const found = visible();
      const place = found.indexOf(active) + STEPS[event.key];
      select(found[(place + found.length) % found.length] ?? null);
    } else if (event.key === "Enter") {
      event.preventDefault();
      insert(active);
    }
  });
  drawer.querySelector("[role=listbox]").addEventListener("click", ({ target }) => insert(target.closest("[role=option]")));
  select(entries[0]);
}

function fold(text) {
  return text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
}
