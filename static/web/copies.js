// Copies what a button names, and says so on the button.

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // No clipboard without TLS: by way of the selection, which can be copied by hand.
    getSelection().selectAllChildren(source);
    if (!document.execCommand("copy")) {
      return;
    }
  }
  const label = button.querySelector("span");
  // Pressed again in this time, it says that it was copied already.
  button.dataset.label ??= label.textContent;
  label.textContent = button.dataset.copied;
  setTimeout(() => (label.textContent = button.dataset.label), 2_000);
}

/** Makes the buttons with `data-copy` work. */
export function watchCopies() {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy]");
    if (button) {
      copy(button);
    }
  });
}
