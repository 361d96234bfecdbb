// All keys that modules listen for, by the part of the page that has them. Mod is Ctrl, or Command on a Mac.
// What each does is said in toolbuilder/help/shortcuts.py; the sheet of keys (?) shows the parts that the page has.
// Keys of a single field or button are its `data-shortcut` instead.
const SHORTCUTS = {
  "everywhere": { "palette": "Mod+k", "panes": "F6", "sheet": "?", "close": "Escape" },
  "editor": {
    "run": "Mod+Enter",
    "save": "Mod+s",
    "publish": "Mod+Shift+Enter",
    "format": "Shift+Alt+f",
    "rename": "F2",
    "card": "Alt+Enter",
    "complete": "Ctrl+Space",
    "nextFault": "F8",
    "lastFault": "Shift+F8",
    "fix": "Mod+.",
    "find": "Mod+f",
    "comment": "Mod+/",
    "leave": "Escape"
  },
  "explorer": { "insert": "Enter", "card": "Alt+Enter", "star": "*" },
  "grid": {
    "detail": "Enter",
    "copy": "Mod+c",
    "copyRow": "Shift+Mod+c",
    "search": "Mod+f",
    "menu": "Shift+F10",
    "wider": "Alt+ArrowRight"
  },
  "review": { "next": "j", "last": "k", "comment": "c" },
  "playground": { "send": "Enter", "line": "Shift+Enter", "stop": "Escape" }
};
const used = new Set(["everywhere"]);

/** The keys of a part by their names; the sheet of keys then shows that part. */
export function useKeys(part) {
  used.add(part);
  return SHORTCUTS[part];
}

/** The keys of the parts that this page has, as {part: {name: keys}}. */
export function listKeys() {
  return Object.fromEntries([...used].map((part) => [part, SHORTCUTS[part]]));
}

/** Whether the key is for an input method. Safari shows that of the key that ends a word by its code alone. */
export function isForInputMethod(event) {
  return event.isComposing || event.keyCode === 229;
}

/** Whether the event is of these keys. */
export function isPressed(event, keys) {
  const wanted = new Set(keys.split("+"));
  const key = [...wanted].at(-1);
  const isModified = event.ctrlKey || event.metaKey;
  return (
    !isForInputMethod(event) &&
    event.key.toLowerCase() === key.toLowerCase() &&
    isModified === (wanted.has("Mod") || wanted.has("Ctrl")) &&
    event.altKey === wanted.has("Alt") &&
    // A sign such as ? needs Shift on some keyboards and not on others.
    (event.shiftKey === wanted.has("Shift") || /^[^\p{L}]$/u.test(key))
  );
}
