// Says what went wrong where htmx swaps nothing in.
import { showToast } from "web/toast.js";

const HAS_OWN_ANSWER = [401, 409, 422, 429];

/** Shows a toast when a request fails or the server cannot be reached. */
export function watchRequests() {
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.error instanceof TypeError) {
      showToast("error", texts().unreachable);
    }
  });
  document.addEventListener("htmx:response:error", (event) => {
    const { status } = event.detail.ctx.response;
    if (!HAS_OWN_ANSWER.includes(status)) {
      showToast("error", texts()[status] ?? texts().failed);
    }
  });
}

function texts() {
  return document.getElementById("request-texts").dataset;
}
