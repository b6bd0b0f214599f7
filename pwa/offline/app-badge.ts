// The number of edits that wait, on the icon of the installed console.
import { onOutboxChange, outboxEntries } from './outbox-store.ts';

/** Shows the size of the queue as the badge. Returns a function that stops and removes it. */
export function showBadge(): () => void {
  draw();
  const stop = onOutboxChange(draw);
  return () => {
    stop();
    set(0);
  };
}

function draw(): void {
  set(outboxEntries().length);
}

/** Browsers without badges have no such function, and some refuse it to pages that are not installed. */
function set(count: number): void {
  if (!('setAppBadge' in navigator)) return;
  (count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)).catch(() => undefined);
}
