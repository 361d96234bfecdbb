// Shows what became of a form. Pages work without it.

// The outcome stands above the form, the buttons below it.
document.addEventListener("htmx:after:swap", () => {
  const outcome = document.getElementById("form-outcome");
  if (outcome?.childElementCount) {
    outcome.scrollIntoView({ block: "start" });
  }
});
