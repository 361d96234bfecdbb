// Help beside the page: "?" at a pane opens the drawer, [data-tour] the tour. What does it is fetched when it is first used.
// Menus: <details data-menu> closes on Escape, on a choice, and on a click elsewhere.
// Native dialogs: opened by `command="show-modal" commandfor="id"`, closed by a click beside them.

/** Opens and closes dialogs, and asks `hx-confirm` questions in one of ours; `data-confirm` is what its button says. */
export function watchDialogs() {
  document.addEventListener("click", (event) => {
    if (!("commandForElement" in HTMLButtonElement.prototype)) {
      obeyCommand(event.target.closest("button[commandfor]"));
    }
  });
  // Before those who hear the click lead the focus to what the dialog covers.
  document.addEventListener("click", (event) => event.target.closest("[data-dialog-close]")?.closest("dialog")?.close(), true);
  document.addEventListener("mousedown", (event) => {
    const dialog = event.target;
    if (dialog instanceof HTMLDialogElement && dialog.open && !("keep" in dialog.dataset) && isBeside(dialog, event)) {
      dialog.close();
    }
  });
  document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => closeLeaving([ctx, ...tasks]));
  document.addEventListener("htmx:after:swap", openArrived);
  document.addEventListener("htmx:confirm", askFirst);
  document.addEventListener("dialog:close", () => {
    document.querySelector("dialog[open]")?.close();
  });
  openArrived();
}

function obeyCommand(button) {
  const dialog = button && document.getElementById(button.getAttribute("commandfor"));
  if (!(dialog instanceof HTMLDialogElement)) {
    return;
  }
  if (button.getAttribute("command") === "show-modal") {
    dialog.showModal();
  } else {
    dialog.close();
  }
}

function isBeside(dialog, { clientX, clientY }) {
  const box = dialog.getBoundingClientRect();
  return clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom;
}

function openArrived() {
  for (const dialog of document.querySelectorAll("dialog[data-open]:not([open])")) {
    dialog.removeAttribute("data-open");
    dialog.showModal();
  }
}

/** Dialogs whose place is filled anew are closed first, which gives the focus back to where it was. */
function closeLeaving(tasks) {
  for (const { target } of tasks) {
    const place = target instanceof Element ? target : typeof target === "string" && document.querySelector(target);
    for (const dialog of place ? place.querySelectorAll("dialog[open]") : []) {
      dialog.close();
    }
  }
}

function askFirst(event) {
  const dialog = document.getElementById("confirm-dialog");
  const { ctx, issueRequest, dropRequest } = event.detail;
  event.preventDefault();
  dialog.querySelector("#confirm-text").textContent = ctx.confirm;
  const answer = dialog.querySelector("[value=yes]");
  answer.dataset.text ??= answer.textContent;
  answer.textContent = ctx.sourceElement.dataset.confirm ?? answer.dataset.text;
  dialog.returnValue = "";
  dialog.addEventListener(
    "close",
    () => (dialog.returnValue === "yes" ? issueRequest() : dropRequest()),
    { once: true },
  );
  dialog.showModal();
}

/** Closes menus when people are done with them. */
export function watchMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) {
      if (!menu.contains(event.target)) {
        menu.open = false;
      }
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of openMenus()) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    }
  });
}

function openMenus() {
  return document.querySelectorAll("details[data-menu][open]");
}

/** Makes [data-help] and [data-tour] work; a link that cannot be shown here leads to its page. */
export function watchHelp() {
  document.addEventListener("click", async (event) => {
    const opener = event.target.closest("[data-help], [data-tour]");
    if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    try {
      const isTour = "tour" in opener.dataset;
      const { open } = await (isTour ? import("toolbuilder/help/tour.js") : import("toolbuilder/help/drawer.js"));
      await open(opener);
    } catch {
      location.assign(opener.href ?? location.href);
    }
  });
}
