// Answers that arrive while somebody types: nothing that was entered, opened or focused is lost.

const PARAMETERS = "parameters";

/** Keeps fields, open drawers and the focus through the answers of the server; `saving` knows what was sent. */
export function keepTyping(saving) {
  let focused = null;
  document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
    focused = placeOfFocus();
    tasks.forEach(({ fragment }) => keepOpen(fragment));
    const at = tasks.findIndex(isOf(PARAMETERS));
    const isOlder = saving.isOlder(ctx);
    saving.noteAnswer(ctx, { isSaved: tasks.some(isOf("saved")), isJudged: tasks.some(isOf("status")), isMerged: at >= 0 && !isOlder });
    if (at >= 0 && isOlder) {
      // The next answer is about what is in the fields now.
      tasks.splice(at, 1);
    }
  });
  document.addEventListener("htmx:after:swap", () => {
    replaceNewRows();
    restoreFocus(focused);
    const fault = document.getElementById("name-fault").textContent.trim();
    document.getElementById("name").ariaInvalid = String(fault !== "");
  });
}

/** Drawers of an answer are as open as those that they take the place of. */
function keepOpen(fragment) {
  for (const drawer of fragment?.querySelectorAll("details[id]") ?? []) {
    drawer.open = document.getElementById(drawer.id)?.open ?? drawer.open;
  }
}

function isOf(id) {
  return ({ target }) => target === `#${id}` || target?.id === id;
}

/** The parameter and the field that have the focus; their ids change with the parameter's name. */
function placeOfFocus() {
  const element = document.activeElement;
  const row = element?.closest(".parameter-row");
  if (!row) {
    return null;
  }
  const { selectionStart, selectionEnd } = element;
  return { element, name: nameOf(row), field: element.id.slice(row.id.length), selection: [selectionStart, selectionEnd] };
}

/** The name that stands in a row's field now. */
export function nameOf(row) {
  return row.querySelector('[name$="-name"]').value.trim();
}

function restoreFocus(place) {
  if (!place || (place.element.isConnected && document.activeElement === place.element)) {
    return;
  }
  const row = findRow(place.name);
  const field = row && document.getElementById(`${row.id}${place.field}`);
  (field ?? row)?.focus();
  if (field?.setSelectionRange && place.selection[0] !== null && place.selection[0] !== undefined) {
    field.setSelectionRange(...place.selection);
  }
}

/** Rows that were added here give way to those that the server made of them. */
function replaceNewRows() {
  for (const row of document.querySelectorAll("#new-parameters > .parameter-row")) {
    const name = nameOf(row);
    if (name && findRow(name)) {
      row.remove();
    }
  }
}

function findRow(name) {
  const rows = [...document.querySelectorAll(`#${PARAMETERS} > .parameter-row`)];
  return rows.findLast((row) => row.dataset.name === name);
}
