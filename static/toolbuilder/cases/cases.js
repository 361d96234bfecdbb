// Publishing although a case is red: the button waits for the box and the reason. Tabs that a link leads to.

document.addEventListener("htmx:after:swap", judgeAll);
document.addEventListener("input", (event) => judge(event.target.closest("[data-override]")));
document.addEventListener("change", (event) => judge(event.target.closest("[data-override]")));
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-result-tab]");
  if (link) {
    document.getElementById(`result-tab-${link.dataset.resultTab}`)?.click();
  }
});
if (location.hash === "#result-panel-cases") {
  document.getElementById("result-tab-cases")?.click();
}
judgeAll();

function judgeAll() {
  document.querySelectorAll("[data-override]").forEach(judge);
}

function judge(area) {
  const button = area?.closest("dialog")?.querySelector("[data-override-button]");
  if (button) {
    const isTicked = area.querySelector("[data-override-box]").checked;
    button.disabled = !isTicked || !area.querySelector("[data-override-reason]").value.trim();
  }
}
