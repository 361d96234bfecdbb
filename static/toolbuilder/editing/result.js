// The result pane: its tabs, the state of a run and its end, the plan when it is looked at, last runs.

const TIMEOUT = "600s";
let chosen = "table";
let running = null;
let isPlanStale = true;
let hadFocus = false;
// Not an attribute: htmx gives an element that came those of the one before it, and takes them away again.
let arrived = null;
const shownRows = new WeakMap();

const pane = () => document.getElementById("result");
const isOfRun = (ctx) => ctx.target?.id === "result" || ctx.sourceElement?.hasAttribute("data-runs-cases");

document.addEventListener("click", (event) => {
  const tab = event.target.closest("#result [data-tab]");
  if (tab) {
    choose(tab.dataset.tab);
  }
  if (event.target.closest("#result [data-whole]")) {
    showWhole(!isWhole());
  }
  const past = event.target.closest("[data-arguments]");
  if (past) {
    repeat(JSON.parse(past.dataset.arguments));
  }
  const link = event.target.closest("#result .result-error a");
  if (link) {
    event.preventDefault();
    focusField(link.hash.slice(1));
  }
});

document.addEventListener("keydown", (event) => {
  const inPane = event.target.closest?.("#result");
  if (event.key === "Escape" && inPane && running) {
    event.preventDefault();
    pane().querySelector("[data-cancel]").click();
  } else if (event.key === "Escape" && isWhole() && !event.defaultPrevented && !document.querySelector("dialog[open], details[data-menu][open]")) {
    showWhole(false);
  } else if (inPane && event.target.matches("[role=tab]")) {
    moveAmongTabs(event);
  }
});

// Captured, as whoever sends it need not let it bubble.
document.addEventListener("result:show", (event) => choose(event.detail.tab), true);
document.addEventListener("tool:analysed", () => (isPlanStale = true));
document.addEventListener("tool:refused", (event) => markRefused(event.detail.parameter));
document.addEventListener("input", (event) => {
  if (event.target.form?.matches("#workbench, #try-form")) {
    isPlanStale = true;
    event.target.removeAttribute("data-refused");
    forgetMissing();
  }
});
document.addEventListener("change", ({ target }) => {
  forgetMissing();
  // Python has no plan.
  if (target.name === "tool_type" && chosen === "plan") {
    choose("table");
  }
});

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  if (!isOfRun(ctx)) {
    return;
  }
  if (running) {
    // One more press while it runs would only queue a second run.
    event.preventDefault();
  }
  // The tool's own limit ends a run; htmx's would leave it running unseen.
  ctx.request.timeout = TIMEOUT;
});
document.addEventListener("htmx:before:request", (event) => {
  if (isOfRun(event.detail.ctx)) {
    begin();
  }
});
document.addEventListener("htmx:finally:request", (event) => {
  if (isOfRun(event.detail.ctx)) {
    end();
  }
});
document.addEventListener("htmx:before:swap", () => (hadFocus = Boolean(pane()?.contains(document.activeElement))));
document.addEventListener("htmx:after:swap", () => {
  const now = pane();
  if (now && now !== arrived) {
    arrived = now;
    arrive(now);
  }
});

function choose(name, { focus = false } = {}) {
  if (!pane()) {
    return;
  }
  chosen = name;
  pane().dataset.tab = name;
  for (const tab of pane().querySelectorAll("[data-tab]")) {
    const isChosen = tab.dataset.tab === name;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    if (isChosen && focus) {
      tab.focus();
    }
  }
  for (const panel of pane().querySelectorAll("[data-panel]")) {
    panel.toggleAttribute("data-shown", panel.dataset.panel === name);
  }
  if (name === "chart") {
    showChart();
  }
  if (name === "plan" && isPlanStale) {
    isPlanStale = false;
    pane().querySelector("[data-plan]")?.click();
  }
}

function moveAmongTabs(event) {
  const shown = [...pane().querySelectorAll("[data-tab]")].filter((tab) => tab.checkVisibility());
  const names = shown.map((tab) => tab.dataset.tab);
  const place = names.indexOf(event.target.dataset.tab);
  const next = {
    ArrowRight: (place + 1) % names.length,
    ArrowLeft: (place + names.length - 1) % names.length,
    Home: 0,
    End: names.length - 1,
  }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    choose(names[next], { focus: true });
  }
}

function begin() {
  const began = performance.now();
  const line = pane().querySelector("[data-running]");
  const elapsed = line.querySelector("[data-elapsed]");
  line.hidden = false;
  pane().dataset.state = "running";
  pane().setAttribute("aria-busy", "true");
  document.getElementById("run")?.classList.add("is-running");
  running = setInterval(() => {
    elapsed.textContent = `${((performance.now() - began) / 1_000).toFixed(1)} s`;
  }, 100);
}

function end() {
  clearInterval(running);
  running = null;
  const now = pane();
  delete now.dataset.state;
  now.removeAttribute("aria-busy");
  now.querySelector("[data-running]").hidden = true;
  document.getElementById("run")?.classList.remove("is-running");
}

/** A new pane has come: the tab stays, so does the focus, and the figures are said aloud. */
function arrive(now) {
  isPlanStale = true;
  showWhole(isWhole());
  mount(now);
  if (chosen !== "table") {
    choose(now.querySelector(`[data-tab="${chosen}"]`) ? chosen : "table");
  }
  if (hadFocus) {
    now.querySelector("[role=tab][aria-selected=true]").focus();
  }
  const figures = now.querySelector("[data-figures]")?.textContent ?? "";
  say(figures.replace(/\s+/g, " "));
}

/** Puts the grid into a pane that has rows; its modules are loaded with the first. */
async function mount(now) {
  if (now.querySelector("#result-rows")) {
    const { mountTable } = await import("toolbuilder/result/table.js");
    shownRows.set(now, mountTable(now, say));
    if (chosen === "chart") {
      showChart();
    }
  }
}

async function showChart() {
  const now = pane();
  const rows = shownRows.get(now);
  if (rows) {
    const { mountChart } = await import("toolbuilder/result/chart.js");
    mountChart(now.querySelector("[data-panel=chart]"), rows, document.getElementById("kept-chart"));
  }
}

function isWhole() {
  return "whole" in (document.getElementById("panes")?.dataset ?? {});
}

/** The result takes the page, or gives it back. */
function showWhole(isShown) {
  document.getElementById("panes")?.toggleAttribute("data-whole", isShown);
  pane()?.querySelector("[data-whole]")?.setAttribute("aria-pressed", String(isShown));
}

function say(text) {
  let place = document.getElementById("result-said");
  if (!place) {
    place = document.createElement("p");
    place.id = "result-said";
    place.className = "visually-hidden";
    place.setAttribute("role", "status");
    (document.querySelector("dialog[open]") ?? document.body).append(place);
  }
  place.textContent = text;
}

function form() {
  return document.getElementById("try-form") ?? document.getElementById("workbench");
}

function fieldsOf(name) {
  const all = form()?.elements;
  const keys = [...(all ?? [])].filter((field) => field.name === "parameter").map((field) => field.value);
  const key = keys.find((one) => (all.namedItem(`${one}-name`)?.value || one) === name);
  return key && { test: all.namedItem(`${key}-test`), state: all.namedItem(`${key}-test_state`) };
}

function markRefused(name) {
  const field = fieldsOf(name)?.test;
  if (!field) {
    return;
  }
  field.dataset.refused = "";
  const active = document.activeElement;
  // Somebody who goes on writing elsewhere is not interrupted.
  if (active === document.body || active.id === "run" || pane()?.contains(active)) {
    field.focus();
  }
}

/** A run that waits for values no longer says so once they are all there. */
function forgetMissing() {
  const notice = pane()?.querySelector("[data-missing]");
  const isGiven = ({ test, state } = {}) => Boolean(test?.value || state?.value);
  if (notice?.dataset.missing.split(" ").every((name) => isGiven(fieldsOf(name)))) {
    notice.remove();
  }
}

function focusField(id) {
  const name = /^p-(.*)-test$/s.exec(id)?.[1];
  const field = (name && fieldsOf(name)?.test) || document.getElementById(id);
  const target = id === "definition" ? document.querySelector(".cm-content") ?? field : field;
  target?.focus();
}

/** Puts an earlier run's arguments into the test fields and runs again; others become absent. */
function repeat(given) {
  for (const field of [...form().elements].filter((one) => one.name === "parameter" && one.value)) {
    const name = form().elements.namedItem(`${field.value}-name`)?.value || field.value;
    const [text, state] = given[name] ?? ["", ""];
    fill(fieldsOf(name)?.test, text);
    fill(fieldsOf(name)?.state, state);
  }
  document.getElementById("run").click();
}

function fill(field, value) {
  if (field && field.value !== value) {
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

if (pane()) {
  arrived = pane();
  mount(pane());
}

// Publishing although a case is red: the button waits for the box and the reason. Tabs that a link leads to.
document.addEventListener("htmx:after:swap", judgeOverrides);
document.addEventListener("input", (event) => judgeOverride(event.target.closest("[data-override]")));
document.addEventListener("change", (event) => judgeOverride(event.target.closest("[data-override]")));
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-result-tab]");
  if (link) {
    document.getElementById(`result-tab-${link.dataset.resultTab}`)?.click();
  }
});
if (location.hash === "#result-panel-cases") {
  document.getElementById("result-tab-cases")?.click();
}
judgeOverrides();

function judgeOverrides() {
  document.querySelectorAll("[data-override]").forEach(judgeOverride);
}

function judgeOverride(area) {
  const button = area?.closest("dialog")?.querySelector("[data-override-button]");
  if (button) {
    const isTicked = area.querySelector("[data-override-box]").checked;
    button.disabled = !isTicked || !area.querySelector("[data-override-reason]").value.trim();
  }
}
