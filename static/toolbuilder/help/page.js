// A page of the documentation: each block of code can be copied, and long lists are folded on narrow screens.
const button = document.getElementById("help-copy").content.firstElementChild;

document.querySelectorAll(".help-code > pre").forEach((block, index) => {
  block.id = `code-${index}`;
  const copy = button.cloneNode(true);
  copy.dataset.copy = block.id;
  block.after(copy);
});

if (matchMedia("(max-width: 860px)").matches) {
  for (const list of document.querySelectorAll(".help-frame details")) {
    list.open = false;
  }
}
