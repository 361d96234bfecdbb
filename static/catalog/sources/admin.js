// Shows the fields of the chosen engine only, and copies the SQL of a role. Pages work without it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const engine = document.querySelector("select#id_engine");
  if (engine) {
    const show = () => {
      for (const fieldset of document.querySelectorAll("fieldset[class*='engine-']")) {
        const fits = fieldset.classList.contains(`engine-${engine.value}`);
        // What has an error stays in sight, whatever it belongs to.
        fieldset.hidden = !fits && !fieldset.querySelector(".errorlist");
      }
    };
    engine.addEventListener("change", show);
    show();
  }

  for (const button of document.querySelectorAll("button[data-copy]")) {
    if (!navigator.clipboard) {
      continue;
    }
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.done;
    });
  }
});
