// Says what went wrong where htmx swaps nothing in.
import { showToast } from "web/toast.js";

const HAS_OWN_ANSWER = [401, 409, 422, 429];

/**
 * Shows a toast when a request fails or the server cannot be reached; the latter is `request:unreachable` of the element that asked,
 * and `htmx:finally:request` then has an answer with the status 0.
 */
export function watchRequests() {
  const unreachable = new WeakSet();
  document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
    ctx.fetch = (...asked) => fetch(...asked).catch((error) => stepIn(error, () => unreachable.add(ctx)));
  });
  document.addEventListener("htmx:before:response", (event) => {
    const { ctx } = event.detail;
    if (unreachable.has(ctx)) {
      event.preventDefault();
      ctx.response.status = 0;
      const isTakenBack = takeBack(ctx.sourceElement);
      const asker = ctx.sourceElement.isConnected ? ctx.sourceElement : document;
      asker.dispatchEvent(new CustomEvent("request:unreachable", { bubbles: true, detail: { isTakenBack } }));
    }
  });
  document.addEventListener("request:unreachable", ({ detail }) => {
    showToast("error", detail?.isTakenBack ? texts().unsaved : texts().unreachable);
  });
  document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
    const { status } = ctx.response;
    takeBack(ctx.sourceElement);
    if (!HAS_OWN_ANSWER.includes(status)) {
      showToast("error", texts()[status] ?? texts().failed);
    }
  });
}

/** Shows again what is kept, where the asker is a form or a box that is saved as it is changed; true if it is. */
function takeBack(asker) {
  const isSavedAtOnce = asker.matches("[hx-post][hx-trigger$=change]");
  if (isSavedAtOnce && asker instanceof HTMLFormElement) {
    asker.reset();
  } else if (isSavedAtOnce) {
    asker.checked = asker.defaultChecked;
  }
  return isSavedAtOnce;
}

/** An answer that nobody sees in place of a network's error, which htmx would print with its stack. */
function stepIn(error, note) {
  if (!(error instanceof TypeError)) {
    throw error;
  }
  note();
  return new Response(null, { status: 503 });
}

function texts() {
  return document.getElementById("request-texts").dataset;
}
