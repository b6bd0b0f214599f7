// The number of edits that wait, on the icon of the installed console.
import { onOutboxChange, outboxEntries } from './outbox-store.ts';

/** Keeps the badge as the queue is. Gives the way to stop, which takes it away. */
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
