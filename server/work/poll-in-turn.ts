// Polls work at providers. A silent provider delays neither other channels nor other jobs.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { isOverdue, type Requesting } from '#server/objects/upstream-files.ts';

/** Maximum channels polled at a time. */
const channelsAtOnce = 8;

export interface TurnBounds {
  /** Approximate end of a run, after which other jobs of the process run; the next run continues. */
  runMs: number;
  /** Maximum time for all responses about one piece of work. */
  questionMs: number;
}

export const turnBounds: TurnBounds = { runMs: 60_000, questionMs: 15_000 };

export interface Turns<Work> {
  context: AppContext;
  bounds: TurnBounds;
  /** Returns null if another process has claimed it. */
  claim(work: Work): Promise<Work | null>;
  /** @param requesting context with the deadline of the provider's responses */
  look(claimed: Work, requesting: AppContext & Requesting): Promise<void>;
  /** Schedules another look a little later. */
  again(work: Work): Promise<void>;
}

/**
 * Polls the work of one channel in order.
 * @throws the first failure that is not a provider's, after all work was polled
 */
export async function pollInTurn<Work extends { channel_id: number }>(due: readonly Work[], turns: Turns<Work>): Promise<void> {
  const end = performance.now() + turns.bounds.runMs;
  const ofChannels = [...Map.groupBy(due, ({ channel_id }) => channel_id).values()];
  await inParallel(ofChannels, channelsAtOnce, (ofChannel) => pollChannel(ofChannel, turns, end));
}

/** Skips the rest of a channel after a timeout. */
async function pollChannel<Work>(all: readonly Work[], { context, bounds, claim, look, again }: Turns<Work>, end: number): Promise<void> {
  const failures: unknown[] = [];
  for (const [index, work] of all.entries()) {
    if (performance.now() > end) break;
    const claimed = await claim(work);
    if (claimed === null) continue;
    const requesting = { ...context, answerBy: performance.now() + bounds.questionMs };
    try {
      await look(claimed, requesting);
    } catch (failure) {
      if (failure instanceof DatabaseUnavailable) throw failure;
      await again(claimed);
      // Failures of a provider are not failures of the job.
      if (!(failure instanceof AppError)) failures.push(failure);
    }
    if (!isOverdue(requesting)) continue;
    for (const left of all.slice(index + 1)) await again(left);
    break;
  }
  if (failures.length > 0) throw failures[0];
}
