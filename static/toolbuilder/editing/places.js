// Links that lead to a field or to a place in the logic, and buttons that show something elsewhere.

/** Follows `data-focus="id"` (with `data-from` and `data-to` in the logic), `data-show-fault`, `data-apply-fix`, `data-show-tab` and `data-take="id"`, which puts `data-text` into a field. */
export function watchPlaces(editor) {
  document.addEventListener("htmx:after:swap", () => leadToMissing(editor));
  document.addEventListener("click", (event) => {
    const { target } = event;
    const link = target.closest("[data-focus]");
    if (link) {
      event.preventDefault();
      lead(link.dataset, editor);
    } else if (target.closest("[data-show-fault]")) {
      editor.showNextDiagnostic();
    } else if (target.closest("[data-apply-fix]")) {
      editor.applyFirstFix();
    } else if (target.closest("[data-take]")) {
      take(target.closest("[data-take]").dataset);
    } else if (target.closest("[data-show-tab]")) {
      showTab(target.closest("[data-show-tab]").dataset.showTab);
    }
  });
}

/** A run that lacks a value: the keys that began it go on in its field, wherever they were. */
function leadToMissing(editor) {
  const notice = document.querySelector("#result [data-missing]:not([data-led])");
  if (notice) {
    notice.dataset.led = "";
    lead({ focus: `p-${notice.dataset.missing.split(" ")[0]}-test` }, editor);
  }
}

function lead({ focus, from, to }, editor) {
  if (focus === "definition") {
    select(editor, from, to);
    return;
  }
  const field = document.getElementById(focus);
  for (let drawer = field?.closest("details"); drawer; drawer = drawer.parentElement.closest("details")) {
    drawer.open = true;
  }
  field?.scrollIntoView({ block: "nearest" });
  field?.focus();
}

/** Puts an offered text into a field, as if it had been typed. */
function take({ take: id, text }) {
  const field = document.getElementById(id);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

/** Selects a place of the logic, counted in characters; the editor counts UTF-16 units. */
function select(editor, from, to) {
  if (from !== undefined) {
    const characters = [...editor.text];
    const unitsOf = (offset) => characters.slice(0, Number(offset)).join("").length;
    editor.view.dispatch({ selection: { anchor: unitsOf(from), head: unitsOf(to) }, scrollIntoView: true });
  }
  editor.focus();
}

function showTab(tab) {
  const result = document.getElementById("result");
  result.dispatchEvent(new CustomEvent("result:show", { detail: { tab }, bubbles: true }));
  result.scrollIntoView({ block: "nearest" });
}
