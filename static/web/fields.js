// What people typed and ticked, where browsers or htmx would forget it.
const EMPTIED = "input[autocomplete=off]:not([type=password])";
const kept = new Map();

/** Repeats what was typed and ticked before htmx took up the page, and keeps what is typed while another page is looked at. */
export function watchFields() {
  // Once htmx, which waits as long, has taken up the page.
  document.addEventListener("DOMContentLoaded", () => setTimeout(repeatEarlyInput));
  // Safari empties these when it shows a page again as it was left, right after `pageshow`.
  addEventListener("pagehide", () => document.querySelectorAll(EMPTIED).forEach((field) => kept.set(field, field.value)));
  addEventListener("pageshow", () => setTimeout(bringBack));
}

function repeatEarlyInput() {
  for (const field of document.querySelectorAll("input[type=search]")) {
    // Browsers restore what was typed before the page was left, without an event.
    if (field.value !== field.defaultValue) {
      early.input.add(field);
    }
  }
  for (const [type, fields] of Object.entries(early)) {
    for (const field of fields) {
      field.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

function bringBack() {
  for (const [field, value] of kept) {
    if (field.value !== value) {
      field.value = value;
    }
  }
  kept.clear();
}
