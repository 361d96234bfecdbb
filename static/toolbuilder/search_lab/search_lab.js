// Shows the weight beside its slider while it is moved; without this it follows with the answer.

document.addEventListener("input", (event) => {
  if (event.target.matches(".weight input[type='range']")) {
    event.target.parentElement.querySelector("output").value = event.target.value;
  }
});
