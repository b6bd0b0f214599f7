// Ends what stands still at the other side's will: a body that comes byte by byte, a response that nobody reads. One timer
// looks at all of them. What counts is what the other side took: where Node's own figure stands still, the system is asked for that.
import { readSendQueues } from './send-queues.ts';
import type { SendQueues } from './send-queues.ts';

/** Something that passes over a connection. */
export interface Passage {
  /** Bytes that have passed so far, or null while it is not the other side that is waited for. */
  passed(): number | null;
  /** Of the bytes that have passed: what the other side has not taken yet; undefined: the system does not say. Missing: nothing is kept. */
  untaken?(queues: SendQueues): number | undefined;
  /** Too little has passed for too long; it is no longer watched. */
  stuck(): void;
  /** Kept by the watch: where it stands in its list, -1 when it does not, and what it had passed at which time. */
  watchPlace: number;
  watchedBytes: number;
  watchedAt: number;
  /** Of a passage that stands still: what had been taken when the system was asked. */
  watchedTaken?: number | undefined;
}

export interface ProgressWatch {
  add(passage: Passage): void;
  remove(passage: Passage): void;
  stop(): void;
}

/** What must pass in the time allowed. Whoever sends or reads one byte a minute makes no progress. */
const leastBytes = 4096;

export function createProgressWatch(seconds: number, readQueues: () => Promise<SendQueues | null> = readSendQueues): ProgressWatch {
  const timeoutMs = seconds * 1000;
  /** One that stands still for so long is asked about, and how often the system is. */
  const doubtMs = timeoutMs / 4;
  const checkInterval = timeoutMs / 12;
  let isDoubtful = false;
  let isRequesting = false;
  let requestedAt = 0;
  let isStopped = false;
  // Not a Set: see `pending-work.ts`.
  const passages: Passage[] = [];

  /** @param queues undefined: nobody was asked; null: nobody knows */
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
    // From the end: whoever is removed meanwhile is replaced by one that had its turn.
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

/** Takes note of it: its reader has taken enough since it was asked about first. */
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
