// `data-shortcut="/"` focuses a field or presses a button; `Mod+s` is Ctrl or Command with S; F6 goes from pane to pane.
import { isForInputMethod, useKeys } from "web/shortcuts.js";

const PANE_KEY = useKeys("everywhere").panes;
const PANES = ".sidebar .navigation, main .pane";
const STOPS = "a[href], button, input, select, textarea, summary, [tabindex='0'], .cm-content";

/** Listens for the shortcuts of the page as it is at that moment. */
export function watchKeys() {
  document.addEventListener("keydown", (event) => {
    const shortcut = nameOf(event);
    if (event.key === PANE_KEY && !document.querySelector("dialog:modal")) {
      event.preventDefault();
      goOn(event.shiftKey ? -1 : 1);
      return;
    }
    if (isForInputMethod(event) || (isWriting(event.target) && !shortcut.startsWith("Mod+"))) {
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

/** Into the next pane that can be entered, or the one before; first into its text or field, which its head only serves. */
function goOn(step) {
  const panes = [...document.querySelectorAll(PANES)].filter((pane) => !pane.querySelector(".pane") && stopOf(pane));
  const here = panes.findIndex((pane) => pane.contains(document.activeElement));
  const place = here < 0 ? panes.findIndex((pane) => pane.closest("main")) : (here + step + panes.length) % panes.length;
  stopOf(panes[Math.max(place, 0)] ?? document.body)?.focus();
}

function stopOf(pane) {
  const stops = [...pane.querySelectorAll(STOPS)].filter((stop) => stop.checkVisibility({ visibilityProperty: true }) && !stop.matches(":disabled, [tabindex='-1']"));
  return stops.find((stop) => stop.matches(".cm-content, [aria-current]")) ?? stops.find((stop) => !stop.closest(".pane-head")) ?? stops[0];
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
