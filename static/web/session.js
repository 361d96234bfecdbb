// An ended session: sign in within the page, so that nothing that was entered is lost.
import { showToast } from "web/toast.js";

/** Opens the dialog at `session:ended` and goes on at `session:renewed`. */
export function watchSession() {
  const dialog = document.getElementById("session-dialog");
  if (!dialog) {
    return;
  }
  document.addEventListener("session:ended", () => open(dialog));
  document.addEventListener("session:renewed", (event) => {
    const { token, username } = event.detail;
    if (username !== document.body.dataset.username) {
      // The page shows what the other person may see.
      location.reload();
      return;
    }
    renewTokens(token);
    dialog.close();
    showToast("success", document.getElementById("request-texts").dataset.signedIn);
  });
}

async function open(dialog) {
  if (dialog.open) {
    return;
  }
  dialog.showModal();
  await htmx.ajax("GET", dialog.dataset.url, { target: "#session-form", swap: "innerHTML" });
  const form = dialog.querySelector("form");
  form.elements.username.value = document.body.dataset.username;
  form.elements.password.focus();
}

// The token changes with each sign-in; the page's old one would be refused.
function renewTokens(token) {
  document.body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRFToken": token }));
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) {
    field.value = token;
  }
}
