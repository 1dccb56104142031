// SimCord's page, on which no press of a button is lost.
//
// It draws a message anew whenever something in it has changed, and takes no press while it waits for an answer. A browser
// makes no click of a press whose button was replaced before it was let go; on Discord it counts, and so does the next one.
import "./page.js";

const LOOK_MILLISECONDS = 50;

/** The button of a message that was hit, or null. */
const buttonAt = (target) =>
  target instanceof Element ? target.closest("button.component-button[data-control-key]") : null;
const messageOf = (button) => button.dataset.controlKey.split(":component:")[0];

/** The button that now stands for one that was drawn before, or undefined: at its place, else the only one of its message
 * with its label. A card that changes may have more or fewer parts above its buttons. */
const counterpart = (before) => {
  const alike = [...document.querySelectorAll("button.component-button[data-control-key]")]
    .filter((button) => messageOf(button) === messageOf(before) && button.textContent === before.textContent);
  const there = alike.find((button) => button.dataset.controlKey === before.dataset.controlKey);
  return there ?? (alike.length === 1 ? alike[0] : undefined);
};
const waits = (button) => !button.disabled && button.getAttribute("aria-disabled") === "true";

/** The button that the pointer went down on. */
let down = null;
/** The last button that was pressed while the page took no press. */
let held = null;

document.addEventListener("pointerdown", (event) => { down = buttonAt(event.target); }, true);
document.addEventListener("pointerup", (event) => {
  const up = buttonAt(event.target);
  if (down && up && !down.isConnected && up === counterpart(down)) up.click();
  down = null;
}, true);
document.addEventListener("click", (event) => {
  const button = buttonAt(event.target);
  if (button) held = waits(button) ? button : null;
}, true);
setInterval(() => {
  if (!held) return;
  const now = counterpart(held);
  if (now && waits(now)) return;
  held = null;
  now?.click();
}, LOOK_MILLISECONDS);
