// What a person chose of the look of the pages, sent to the server, which keeps it for their other browsers too.

/** Sends `values` to `address`; a choice that cannot be kept holds for this page. */
export function remember(address, values) {
  if (address) {
    const headers = JSON.parse(document.body.getAttribute("hx-headers:inherited"));
    // It outlives the page, which may be left at once.
    fetch(address, { method: "POST", headers, body: new URLSearchParams(values), keepalive: true }).catch(() => {});
  }
}
