// SimCord's page, extended so that no press of a button is lost.
//
// The page redraws a message whenever something in it has changed, and accepts no press while it waits for a reply. If the
// button is replaced between pointerdown and pointerup, the browser sends no click. On Discord, presses count in both cases.
import "./page.js";

const CHECK_MILLISECONDS = 50;

/** The button of a message that contains an event's target, or null. */
const buttonAt = (target) =>
  target instanceof Element ? target.closest("button.component-button[data-control-key]") : null;
const messageOf = (button) => button.dataset.controlKey.split(":component:")[0];

/** The button that replaces an earlier button, or undefined. Of the message's buttons with the same label, it is the button
 * with the same key or, if no button has that key, the only button. Keys change if an updated card has more or fewer parts
 * above its buttons. */
const counterpart = (earlier) => {
  const sameLabel = [...document.querySelectorAll("button.component-button[data-control-key]")]
    .filter((button) => messageOf(button) === messageOf(earlier) && button.textContent === earlier.textContent);
  const sameKey = sameLabel.find((button) => button.dataset.controlKey === earlier.dataset.controlKey);
  return sameKey ?? (sameLabel.length === 1 ? sameLabel[0] : undefined);
};
const isBlocked = (button) => !button.disabled && button.getAttribute("aria-disabled") === "true";

/** The button on which the pointer went down. */
let pressed = null;
/** The last button that was pressed while the page accepted no press. */
let postponed = null;

document.addEventListener("pointerdown", (event) => { pressed = buttonAt(event.target); }, true);
document.addEventListener("pointerup", (event) => {
  const released = buttonAt(event.target);
  if (pressed && released && !pressed.isConnected && released === counterpart(pressed)) released.click();
  pressed = null;
}, true);
document.addEventListener("click", (event) => {
  const button = buttonAt(event.target);
  if (button) postponed = isBlocked(button) ? button : null;
}, true);
setInterval(() => {
  if (!postponed) return;
  const replacement = counterpart(postponed);
  if (replacement && isBlocked(replacement)) return;
  postponed = null;
  replacement?.click();
}, CHECK_MILLISECONDS);
