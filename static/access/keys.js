// Copies what a button names, and says so on the button.

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // No clipboard without TLS: marked text can be copied by hand.
    getSelection().selectAllChildren(source);
    return;
  }
  const label = button.querySelector("span");
  const text = label.textContent;
  label.textContent = button.dataset.copied;
  setTimeout(() => (label.textContent = text), 2_000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    copy(button);
  }
});
