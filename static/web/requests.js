// Says what went wrong where htmx swaps nothing in.
import { showToast } from "web/toast.js";

const HAS_OWN_ANSWER = [401, 409, 422, 429];

/**
 * Sends searches that were typed before the page could hear it, and shows a toast when a request fails or the server cannot be reached; the latter is `request:unreachable` of the element that
 * asked, and `htmx:finally:request` then has an answer with the status 0.
 */
export function watchRequests() {
  const unreachable = new WeakSet();
  // Once htmx, which waits as long, has taken up the page.
  document.addEventListener("DOMContentLoaded", () => setTimeout(sendEarlySearches));
  document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
    ctx.fetch = (...asked) => fetch(...asked).catch((error) => stepIn(error, () => unreachable.add(ctx)));
  });
  document.addEventListener("htmx:before:response", (event) => {
    const { ctx } = event.detail;
    if (unreachable.has(ctx)) {
      event.preventDefault();
      ctx.response.status = 0;
      const asker = ctx.sourceElement.isConnected ? ctx.sourceElement : document;
      asker.dispatchEvent(new CustomEvent("request:unreachable", { bubbles: true }));
    }
  });
  document.addEventListener("request:unreachable", () => showToast("error", texts().unreachable));
  document.addEventListener("htmx:response:error", (event) => {
    const { status } = event.detail.ctx.response;
    if (!HAS_OWN_ANSWER.includes(status)) {
      showToast("error", texts()[status] ?? texts().failed);
    }
  });
}

function sendEarlySearches() {
  for (const field of document.querySelectorAll("form[hx-get] input[type=search]")) {
    if (field.value !== field.defaultValue) {
      field.form.requestSubmit();
    }
  }
  for (const field of document.querySelectorAll("input[type=search][hx-get]")) {
    if (field.value !== field.defaultValue) {
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
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
