// The line under the logic: what was found is shown over the very text that it was found of.

/** Shows `#status` while it is about what the form says; else that this is being checked, or why it is not. */
export function watchFindings(saving) {
  const status = document.getElementById("status");
  const unchecked = document.getElementById("unchecked");
  saving.onChange = () => {
    const { isJudged } = saving;
    status.hidden = !isJudged;
    unchecked.hidden = isJudged;
    const state = saving.state === "failed" ? (saving.failure === "unreachable" ? "unreachable" : "failed") : "checking";
    if (!isJudged && unchecked.dataset.state !== state) {
      unchecked.dataset.state = state;
      unchecked.querySelector("p").textContent = unchecked.dataset[state + "Text"];
    }
  };
}
