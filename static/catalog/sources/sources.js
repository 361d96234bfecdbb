// Copies the SQL of a role, and shows what became of a form. Pages work without it.

/** Into the clipboard; where the page may not (plain HTTP), by way of the selection. */
async function copyText(element) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(element.textContent);
    return;
  }
  getSelection().selectAllChildren(element);
  document.execCommand("copy");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (source) {
    await copyText(source);
    button.querySelector("span").textContent = button.dataset.done;
  }
});

// The outcome stands above the form, the buttons below it.
document.addEventListener("htmx:after:swap", () => {
  const outcome = document.getElementById("form-outcome");
  if (outcome?.childElementCount) {
    outcome.scrollIntoView({ block: "start" });
  }
});
