// Boxes that are ticked together, inside an element with [data-ticks].
// A button [data-tick="all|none|marked"] sets them, a box [data-tick="all"] as it is itself;
// A box [data-tick="every"] stands for more than are shown, its data-count of them: ticked, all shown ones are.
// [data-ticked-count] says how many are ticked, in the words of its data-one and data-many.
const BOXES = "input[type=checkbox]:not([data-tick]):not([role=switch]):not(:disabled)";

/** Keeps counts and boxes in step, also after a list was loaded again. */
export function watchTicks() {
  document.addEventListener("click", (event) => {
    const setter = event.target.closest("[data-tick]");
    if (setter) {
      tick(setter.closest("[data-ticks]"), setter);
    }
  });
  document.addEventListener("change", (event) => count(event.target.closest("[data-ticks]")));
  document.addEventListener("htmx:after:swap", countAll);
  // Browsers tick again what was ticked before a reload.
  addEventListener("pageshow", countAll);
}

function tick(area, setter) {
  const isSet = setter.type !== "checkbox" || setter.checked;
  const isTicked = { all: isSet, every: isSet, none: false };
  for (const box of area.querySelectorAll(BOXES)) {
    box.checked = isTicked[setter.dataset.tick] ?? box.hasAttribute("data-tick-marked");
  }
  count(area);
}

function countAll() {
  document.querySelectorAll("[data-ticks]").forEach(count);
}

function count(area) {
  if (!area) {
    return;
  }
  const boxes = [...area.querySelectorAll(BOXES)];
  const shown = boxes.filter((box) => box.checked).length;
  const every = area.querySelector("input[data-tick=every]");
  if (every && shown < boxes.length) {
    every.checked = false;
  }
  const ticked = every?.checked ? Number(every.dataset.count) : shown;
  for (const output of area.querySelectorAll("[data-ticked-count]")) {
    const words = ticked === 1 ? output.dataset.one : output.dataset.many;
    output.textContent = words.replace("%s", new Intl.NumberFormat(document.documentElement.lang).format(ticked));
  }
  for (const box of area.querySelectorAll("input[data-tick=all]")) {
    box.checked = shown > 0 && shown === boxes.length;
    box.indeterminate = shown > 0 && shown < boxes.length;
  }
}
