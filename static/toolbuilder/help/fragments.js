// Parts of the page that are fetched when they are first used, shown once their styles are there.

/** The element of an answer; throws where there is none, as when the session has ended. */
export async function fetchPart(address, selector) {
  const response = await fetch(address, { headers: { "HX-Request": "true" } });
  const part = new DOMParser().parseFromString(response.ok ? await response.text() : "", "text/html").querySelector(selector);
  if (!part) {
    throw new Error(`${address} answered ${response.status}`);
  }
  return document.adoptNode(part);
}

/** Puts it at the end of the page and shows it above all of it. */
export async function showPart(part) {
  const style = part.querySelector("link");
  const isStyled = new Promise((resolve) => ["load", "error"].forEach((name) => style.addEventListener(name, resolve)));
  document.body.append(part);
  await isStyled;
  part.showPopover();
}
