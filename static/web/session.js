// An ended session: sign in within the page, so that nothing that was entered is lost.
import { showToast } from "web/toast.js";

const ENTERED = "input:not([type=hidden]), textarea, select";
const MOST_AWAITED_MS = 10_000;

/**
 * Opens the dialog at `session:ended` and goes on at `session:renewed`; forms that load another page wait for a session. No page from
 * before a sign-out comes back.
 */
export function watchSession() {
  const dialog = document.getElementById("session-dialog");
  if (!dialog) {
    return;
  }
  document.addEventListener("session:ended", () => open(dialog));
  // By an issuer people sign in in another tab.
  document.addEventListener("visibilitychange", () => renewIfSignedIn(dialog));
  window.addEventListener("focus", () => renewIfSignedIn(dialog));
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
  watchForms(dialog);
  watchSignOut();
}

// Browsers keep pages that were left as they were, and *Back* shows them without asking anybody.
function watchSignOut() {
  const before = lastSignOut();
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && lastSignOut() !== before) {
      document.documentElement.hidden = true;
      location.replace(location.pathname + location.search);
    }
  });
}

function lastSignOut() {
  return /(?:^|; )signed_out=([^;]*)/.exec(document.cookie)?.[1];
}

// Without a session, or with the token of a former one, the next page would be another one, and what was entered gone.
function watchForms(dialog) {
  const waiting = new WeakSet();
  let sent;
  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form === sent || !loadsPage(form, submitter)) {
      return;
    }
    event.preventDefault();
    if (waiting.has(form)) {
      return;
    }
    waiting.add(form);
    const mayBeSent = await hasSession(dialog, form);
    waiting.delete(form);
    if (mayBeSent) {
      sent = form;
      form.requestSubmit(submitter);
      sent = undefined;
    }
  });
}

/** Whether the form takes what a person entered to another page. */
function loadsPage(form, submitter) {
  const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
  return method === "post" && [...form.elements].some((field) => field.matches(ENTERED));
}

async function renewIfSignedIn(dialog) {
  if (!dialog.open || document.hidden) {
    return;
  }
  const found = await readSession(dialog).catch(() => null);
  if (found?.username && dialog.open) {
    document.dispatchEvent(new CustomEvent("session:renewed", { detail: found }));
  }
}

/** Who is signed in, "" for nobody, and the token of forms; null where the server answers with an error. */
async function readSession(dialog) {
  const response = await fetch(dialog.dataset.session, { signal: AbortSignal.timeout(MOST_AWAITED_MS) });
  return response.ok ? response.json() : null;
}

async function hasSession(dialog, form) {
  let found;
  try {
    found = await readSession(dialog);
    if (!found) {
      // The page that the form leads to says what is wrong.
      return true;
    }
  } catch {
    // Nobody answers in time, or a page of something in between.
    form.dispatchEvent(new CustomEvent("request:unreachable", { bubbles: true }));
    return false;
  }
  const { username, token } = found;
  if (username === document.body.dataset.username) {
    renewTokens(token);
    return true;
  }
  const detail = { username, token };
  document.dispatchEvent(username ? new CustomEvent("session:renewed", { detail }) : new CustomEvent("session:ended"));
  return false;
}

async function open(dialog) {
  if (dialog.open) {
    return;
  }
  dialog.showModal();
  await htmx.ajax("GET", dialog.dataset.url, { target: "#session-form", swap: "innerHTML" });
  const form = dialog.querySelector("form");
  form.elements.username.value = document.body.dataset.username;
  // Whoever has no password here shall not be led to type that of the issuer.
  (dialog.querySelector("#session-form a") ?? form.elements.password).focus();
}

// The token changes with each sign-in; the page's old one would be refused.
function renewTokens(token) {
  document.body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRFToken": token }));
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) {
    field.value = token;
  }
}
