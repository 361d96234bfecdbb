// The rule behind a fault, on a card that is asked for.
import { Card } from "toolbuilder/editing/column_card.js";

let card = null;

/** Shows what the address answers beside the rectangle; Escape leads back to `back`, another place of the page leaves. */
export async function showExplanation(address, box, { label, back }) {
  const response = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!response?.ok) {
    return;
  }
  if (!card) {
    card = new Card(document.getElementById("announcement"), label);
    card.element.classList.add("explanation");
    document.addEventListener("pointerdown", ({ target }) => !card.element.contains(target) && card.hide());
  }
  card.show(await response.text(), box, { back, isBelow: true, stays: true });
  card.element.focus();
}
