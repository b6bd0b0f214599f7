// Reports when the log may have new rows: by the server's stream of them, and by polling where streams do not come through. Pauses while
// the page is hidden, and then resumes.
import type { ServerEvent } from '#pwa/api/event-stream.ts';

export const pollMs = 2_500;
const retryMs = 3_000;
/** A stream that held so long was no failure. */
const steadyMs = 30_000;
/** So many failures one after the other, and streams are taken for impossible for a while. */
const mostFailures = 2;
const pollingMs = 120_000;

export interface LogWatch {
  /** Opens the stream: with what is newer than the event of that id. */
  events: (after: string | undefined, signal: AbortSignal) => AsyncIterable<ServerEvent>;
  /** Reads what is new. Never rejects. */
  look: () => Promise<void>;
  signal: AbortSignal;
}

export async function watchLog({ events, look, signal }: LogWatch): Promise<void> {
  let after: string | undefined;
  let failures = 0;
  for (;;) {
    if (!isVisible()) await untilVisible(signal);
    if (signal.aborted) return;
    if (failures >= mostFailures) {
      await poll(look, signal);
      // Once more.
      failures = mostFailures - 1;
      continue;
    }
    const startedAt = performance.now();
    const sight = whileVisible(signal);
    try {
      for await (const event of events(after, sight.signal)) {
        if (sight.signal.aborted) break;
        after = event.id ?? after;
        // Also when it opens: rows may have come before.
        await look();
        if (event.name === 'end') return;
      }
    } catch {
      // Refused, cut or silent; the list itself says when the server is away.
    } finally {
      sight.stop();
    }
    if (signal.aborted) return;
    if (!isVisible()) continue;
    failures = performance.now() - startedAt >= steadyMs ? 0 : failures + 1;
    await pause(retryMs, signal);
    await look();
  }
}

async function poll(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const endAt = performance.now() + pollingMs;
  while (!signal.aborted && isVisible() && performance.now() < endAt) {
    await look();
    await pause(pollMs, signal);
  }
}

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const handleChange = (): void => {
      if (!isVisible() && !signal.aborted) return;
      document.removeEventListener('visibilitychange', handleChange);
      signal.removeEventListener('abort', handleChange);
      resolve();
    };
    document.addEventListener('visibilitychange', handleChange);
    signal.addEventListener('abort', handleChange);
  });
}

/** Signal that aborts with the given one, and when the page is hidden. */
function whileVisible(signal: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const hidden = new AbortController();
  const handleChange = (): void => {
    if (!isVisible()) hidden.abort();
  };
  document.addEventListener('visibilitychange', handleChange);
  return { signal: AbortSignal.any([signal, hidden.signal]), stop: () => document.removeEventListener('visibilitychange', handleChange) };
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
