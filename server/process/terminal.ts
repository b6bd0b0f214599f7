// SIGHUP has two senders: an operator who wants a reload, and a terminal that is closed.
import { closeSync, openSync } from 'node:fs';

/** Returns a test for the signal's reason: true if this process was started from a terminal that is gone now. */
export function watchTerminal(): () => boolean {
  const hadTerminal = process.stdin.isTTY || process.stdout.isTTY;
  return () => hadTerminal && !hasTerminal();
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
