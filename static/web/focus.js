// The focus is never lost: it goes on to what took the place of its element, or to what surrounded it.
const FOCUSABLE = "a[href], button, input, select, textarea, summary, label, [tabindex], [contenteditable=true]";
let path = [];
let outsidePath = [];
let isAsked = false;

/** Leads the focus on when its element goes, is hidden or disabled; a page that another one led to begins with its content. */
export function watchFocus() {
  document.addEventListener("focusin", ({ target }) => note(target));
  document.addEventListener("pointerdown", ({ target }) => {
    // People may click beside everything.
    if (!target.closest?.(FOCUSABLE)) {
      path = outsidePath = [];
    }
  });
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden", "open"] };
  new MutationObserver(ask).observe(document.body, options);
  for (const name of ["htmx:finally:request", "close"]) {
    document.addEventListener(name, ask, true);
  }
  if (hasNone() && document.referrer.startsWith(`${location.origin}/`) && !document.querySelector("[autofocus]:not(dialog *)")) {
    begin();
  }
}

/** Whether nothing that people use has the focus: the body, or the content as a whole. */
export function isFocusFree() {
  return hasNone() || document.activeElement.id === "content";
}

function begin() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  // A place that the address names is where Tab goes on from by itself.
  if (!target) {
    document.getElementById("content")?.focus({ preventScroll: true });
  }
}

function note(element) {
  path = [];
  for (let each = element; each && each !== document.body; each = each.parentElement) {
    path.push(each);
  }
  if (!element.closest("dialog")) {
    outsidePath = path;
  }
}

/** Once the browser has taken the focus away, which it does before it draws. */
function ask() {
  if (!isAsked && path.length) {
    isAsked = true;
    requestAnimationFrame(() => setTimeout(restore));
  }
}

function restore() {
  isAsked = false;
  // A button that waits for its answer has the focus back when it came.
  if (!hasNone() || (path[0]?.disabled && document.querySelector(".htmx-request"))) {
    return;
  }
  const content = document.getElementById("content");
  for (const former of [...path, ...outsidePath]) {
    const place = former.isConnected ? former : former.id && document.getElementById(former.id);
    if (place && !place.contains(content) && isFocused(place)) {
      return;
    }
  }
  content?.focus({ preventScroll: true });
}

function isFocused(place) {
  if (!place.matches(FOCUSABLE) && !place.childElementCount) {
    return false;
  }
  place.focus({ preventScroll: true });
  if (document.activeElement !== place && !place.hasAttribute("tabindex") && !place.matches(FOCUSABLE)) {
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }
  return document.activeElement === place;
}

function hasNone() {
  return !document.activeElement || document.activeElement === document.body;
}
