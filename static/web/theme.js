// Changes the colours at once; the server stores the same cookie for pages without JavaScript.
const YEAR_S = 365 * 86_400;

/** Makes the theme's menu work without loading the page again. */
export function watchTheme() {
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-theme-form]") && event.submitter) {
      event.preventDefault();
      choose(event.target, event.submitter);
    }
  });
}

function choose(form, button) {
  const theme = button.value;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `theme=${theme}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`;
  document.documentElement.dataset.theme = theme;
  for (const each of form.querySelectorAll("button")) {
    each.removeAttribute("aria-current");
  }
  button.setAttribute("aria-current", "true");
  form.closest("details").open = false;
}
