// Progress of a cancelled job whose provider reports no trained tokens.
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import type { Requesting } from '#server/objects/upstream-files.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { countIn, isNever, listThere } from './upstream-jobs.ts';

/** Newest events first, one per step. */
const looked = 100;
const stepOfAll = /^Step (\d{1,12})\/(\d{1,12})\b/;

/**
 * Trained share from 0 to 1, by the steps in the job's events: trained steps of a cancelled job are billed. 0 if none
 * has begun; null if not known now. https://developers.openai.com/api/docs/guides/supervised-fine-tuning
 */
export async function trainedShare(context: Requesting, channel: PreparedChannel, job: TuningJobRecord): Promise<number | null> {
  const answer = await listThere(context, channel, `/${encodeURIComponent(job.upstream_id)}/events?limit=${looked}`);
  if ('failure' in answer) return isNever(answer) ? 0 : null;
  return Math.max(0, ...answer.reported.data.slice(0, looked).map(shareIn));
}

/** Reads the step from the event's data, or from its text: `Step 40/88: training loss=0.52`. */
function shareIn({ data, message }: Readonly<Record<string, unknown>>): number {
  const reported = isObject(data) ? data : {};
  const [, step, all] = (typeof message === 'string' ? stepOfAll.exec(message) : null) ?? [];
  const [done, total] = [countIn(reported['step']) || Number(step ?? 0), countIn(reported['total_steps']) || Number(all ?? 0)];
  return total === 0 ? 0 : Math.min(1, done / total);
}
