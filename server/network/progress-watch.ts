// Ends transfers that stall because of the other side: a body that arrives byte by byte, a response that is not read. One timer checks all of them.
// Bytes that the other side received count: where Node's figure does not move, the system's is read.
import { readSendQueues, type SendQueues } from './send-queues.ts';

/** Something that passes over a connection. */
export interface Passage {
  /** Bytes that have passed so far, or null while it is not the other side that is waited for. */
  passed(): number | null;
  /** Returns the bytes that the other side has not received yet; undefined: the system does not report it. Missing: nothing is buffered. */
  untaken?(queues: SendQueues): number | undefined;
  /** Too little has passed for too long; it is no longer watched. */
  stuck(): void;
  /** Set by the watch: the transfer's index in its list, -1 if it is in none, and its bytes at a time. */
  watchPlace: number;
  watchedBytes: number;
  watchedAt: number;
  /** For a stalled transfer: the bytes received when the system's figure was read. */
  watchedTaken?: number | undefined;
}

export interface ProgressWatch {
  add(passage: Passage): void;
  remove(passage: Passage): void;
  stop(): void;
}

/** Bytes that must pass in the time allowed. One byte a minute is no progress. */
const leastBytes = 4096;

export function createProgressWatch(seconds: number, readQueues: () => Promise<SendQueues | null> = readSendQueues): ProgressWatch {
  const timeoutMs = seconds * 1000;
  /** Time after which the system's figure is read for a stalled transfer, and the interval of reading it. */
  const doubtMs = timeoutMs / 4;
  const checkInterval = timeoutMs / 12;
  let isDoubtful = false;
  let isRequesting = false;
  let requestedAt = 0;
  let isStopped = false;
  // Not a Set: see `pending-work.ts`.
  const passages: Passage[] = [];

  /** @param queues undefined: not read; null: unknown */
  function look(passage: Passage, now: number, queues?: SendQueues | null): void {
    const bytes = passage.passed();
    if (bytes === null || bytes - passage.watchedBytes >= leastBytes) {
      passage.watchedAt = now;
      passage.watchedTaken = undefined;
      if (bytes !== null) passage.watchedBytes = bytes;
      return;
    }
    const standsFor = now - passage.watchedAt;
    if (passage.untaken !== undefined && standsFor >= doubtMs) {
      isDoubtful = true;
      if (queues === undefined || (queues !== null && hasTaken(passage, bytes, queues))) return;
    }
    if (standsFor < timeoutMs) return;
    removeFrom(passages, passage);
    passage.stuck();
  }

  function lookAll(queues?: SendQueues | null): void {
    isDoubtful = false;
    const now = performance.now();
    // From the end: a removed transfer is replaced by one that had its turn.
    for (let place = passages.length - 1; place >= 0; place -= 1) {
      const passage = passages[place];
      if (passage !== undefined) look(passage, now, queues);
    }
  }

  async function ask(): Promise<void> {
    isRequesting = true;
    requestedAt = performance.now();
    const queues = await readQueues().catch(() => null);
    isRequesting = false;
    if (!isStopped) lookAll(queues);
  }

  const timer = setInterval(
    () => {
      lookAll();
      if (isDoubtful && !isRequesting && performance.now() - requestedAt >= checkInterval) void ask();
    },
    Math.min(1000, timeoutMs / 4),
  );
  timer.unref();

  return {
    add(passage) {
      if (passage.watchPlace >= 0) return;
      passage.watchPlace = passages.length;
      passage.watchedAt = performance.now();
      passage.watchedTaken = undefined;
      passages.push(passage);
    },
    remove: (passage) => removeFrom(passages, passage),
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Records the progress: its reader has received enough since the first reading. */
function hasTaken(passage: Passage, bytes: number, queues: SendQueues): boolean {
  const untaken = passage.untaken?.(queues);
  if (untaken === undefined) return false;
  const taken = bytes - untaken;
  passage.watchedTaken ??= taken;
  if (taken - passage.watchedTaken < leastBytes) return false;
  passage.watchedTaken = taken;
  passage.watchedAt = performance.now();
  return true;
}

function removeFrom(passages: Passage[], passage: Passage): void {
  const place = passage.watchPlace;
  if (place < 0) return;
  passage.watchPlace = -1;
  const last = passages.pop();
  if (last === undefined || last === passage) return;
  passages[place] = last;
  last.watchPlace = place;
}
