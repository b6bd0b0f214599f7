// Work that lies at providers, looked at by the clock: a provider that says nothing holds up neither those of other channels nor other jobs.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { isOverdue } from './upstream-files.ts';
import type { Requesting } from './upstream-files.ts';

/** Channels that are asked at the same time. */
const channelsAtOnce = 8;

export interface TurnBounds {
  /** A run ends about then and the next one goes on: other jobs of the process come after it. */
  runMs: number;
  /** For which all that a provider says of one piece of work is waited. */
  questionMs: number;
}

export const turnBounds: TurnBounds = { runMs: 60_000, questionMs: 15_000 };

export interface Turns<Work> {
  context: AppContext;
  bounds: TurnBounds;
  /** Null: somebody else has it. */
  claim(work: Work): Promise<Work | null>;
  /** @param asking with the time until which its provider has to answer */
  look(claimed: Work, requesting: AppContext & Requesting): Promise<void>;
  /** It is looked at once more, a little later. */
  again(work: Work): Promise<void>;
}

/** Those of one channel one after the other. @throws the first failure that is no provider's, when all are through */
export async function pollInTurn<Work extends { channel_id: number }>(due: readonly Work[], turns: Turns<Work>): Promise<void> {
  const end = performance.now() + turns.bounds.runMs;
  const ofChannels = [...Map.groupBy(due, ({ channel_id }) => channel_id).values()];
  await inParallel(ofChannels, channelsAtOnce, (ofChannel) => pollChannel(ofChannel, turns, end));
}

/** One that says nothing is not waited for again. */
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
      // A provider that does not answer is no fault of the job's.
      if (!(failure instanceof AppError)) failures.push(failure);
    }
    if (!isOverdue(requesting)) continue;
    for (const left of all.slice(index + 1)) await again(left);
    break;
  }
  if (failures.length > 0) throw failures[0];
}
