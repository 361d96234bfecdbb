// The sheet of keys: of all that can be pressed, what this page listens for.
import { listKeys } from "web/shortcuts.js";

const IS_MAC = /^Mac|^iP/.test(navigator.platform);
const SIGNS = { ArrowRight: "→", Escape: "Esc", Mod: IS_MAC ? "⌘" : "Ctrl", Enter: "⏎" };

/** Fills the drawer's lists with the keys; parts that the page lacks are left out. */
export function showKeys(drawer) {
  const parts = listKeys();
  for (const section of drawer.querySelectorAll("[data-keys]")) {
    const keys = parts[section.dataset.keys];
    section.hidden = !keys;
    for (const line of keys ? section.querySelectorAll("[data-key]") : []) {
      line.querySelector("dt").append(...draw(keys[line.dataset.key]));
    }
  }
  const ofPage = drawer.querySelector("[data-keys-of-page]");
  if (ofPage) {
    listElements(ofPage.querySelector("dl"));
    ofPage.hidden = !ofPage.querySelector("dt");
  }
}

/** Fields and buttons with keys of their own, which no part has. */
function listElements(list) {
  const known = new Set(Object.values(listKeys()).flatMap(Object.values));
  for (const element of document.querySelectorAll("[data-shortcut]")) {
    const { shortcut, paletteAction } = element.dataset;
    // A field's label may hold a sign and its key beside the words.
    const words = element.labels?.[0]?.querySelector(".visually-hidden") ?? element.labels?.[0];
    const label = paletteAction || element.ariaLabel || (words ?? element).textContent.trim() || element.placeholder;
    if (!known.has(shortcut) && element.checkVisibility()) {
      const line = document.createElement("div");
      line.append(document.createElement("dt"), document.createElement("dd"));
      line.firstChild.append(...draw(shortcut));
      line.lastChild.textContent = label;
      list.append(line);
      known.add(shortcut);
    }
  }
}

function draw(keys) {
  return keys.split("+").map((key) => {
    const sign = document.createElement("kbd");
    sign.textContent = SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key);
    return sign;
  });
}
