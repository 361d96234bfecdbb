// Help beside the page: "?" at a pane opens the drawer, [data-tour] the tour. What does it is fetched when it is first used.

/** Makes [data-help] and [data-tour] work; a link that cannot be shown here leads to its page. */
export function watchHelp() {
  document.addEventListener("click", async (event) => {
    const opener = event.target.closest("[data-help], [data-tour]");
    if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    try {
      const isTour = "tour" in opener.dataset;
      const { open } = await (isTour ? import("toolbuilder/help/tour.js") : import("toolbuilder/help/drawer.js"));
      await open(opener);
    } catch {
      location.assign(opener.href ?? location.href);
    }
  });
}
