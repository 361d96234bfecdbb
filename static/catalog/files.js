// Takes a file that is dragged onto the form, and says before it is sent that it is too large. The page works without it.

const form = document.querySelector(".file-form");
const drop = form.querySelector(".file-drop");
const input = form.elements.file;
const tooLarge = document.getElementById("file-too-large");

function judge() {
  tooLarge.hidden = !(input.files[0]?.size > Number(form.dataset.limit));
  input.setCustomValidity(tooLarge.hidden ? "" : tooLarge.textContent.trim());
}

for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("is-over");
  });
}

for (const name of ["dragleave", "drop"]) {
  drop.addEventListener(name, () => drop.classList.remove("is-over"));
}

drop.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) {
    input.files = event.dataTransfer.files;
    judge();
  }
});

input.addEventListener("change", judge);
