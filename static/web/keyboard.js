// `data-shortcut="/"` focuses a field or presses a button; `Mod+s` is Ctrl or Command with S.

/** Listens for the shortcuts of the page as it is at that moment. */
export function watchKeys() {
  document.addEventListener("keydown", (event) => {
    const shortcut = nameOf(event);
    if (event.isComposing || (isWriting(event.target) && !shortcut.startsWith("Mod+"))) {
      return;
    }
    const scope = document.querySelector("dialog[open]") ?? document;
    const target = scope.querySelector(`[data-shortcut="${CSS.escape(shortcut)}"]`);
    if (target) {
      event.preventDefault();
      use(target);
    }
  });
}

function nameOf(event) {
  const parts = [];
  if (event.ctrlKey || event.metaKey) {
    parts.push("Mod");
  }
  if (event.altKey) {
    parts.push("Alt");
  }
  if (event.shiftKey && event.key.length > 1) {
    parts.push("Shift");
  }
  return [...parts, event.key].join("+");
}

function isWriting(element) {
  return element.isContentEditable || element.matches?.("input, textarea, select");
}

function use(target) {
  if (isWriting(target)) {
    target.focus();
    target.select?.();
  } else {
    target.click();
  }
}
