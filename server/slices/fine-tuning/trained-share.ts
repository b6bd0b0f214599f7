// How far a training came that was cancelled, where its provider does not tell how many tokens it has used.
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { countIn, isNever, listThere } from './upstream-jobs.ts';

/** The newest come first, and each step is one. */
const looked = 100;
const stepOfAll = /^Step (\d{1,12})\/(\d{1,12})\b/;

/**
 * From 0 to 1, by the steps that the events of it tell: trained steps of a cancelled job are billed. 0: it has begun none. Null: that is not known now.
 * https://developers.openai.com/api/docs/guides/supervised-fine-tuning
 */
export async function trainedShare(context: Requesting, channel: PreparedChannel, job: TuningJobRecord): Promise<number | null> {
  const answer = await listThere(context, channel, `/${encodeURIComponent(job.upstream_id)}/events?limit=${looked}`);
  if ('failure' in answer) return isNever(answer) ? 0 : null;
  return Math.max(0, ...answer.reported.data.slice(0, looked).map(shareIn));
}

/** In its data, or else in its text: `Step 40/88: training loss=0.52`. */
function shareIn({ data, message }: Readonly<Record<string, unknown>>): number {
  const reported = isObject(data) ? data : {};
  const [, step, all] = (typeof message === 'string' ? stepOfAll.exec(message) : null) ?? [];
  const [done, total] = [countIn(reported['step']) || Number(step ?? 0), countIn(reported['total_steps']) || Number(all ?? 0)];
  return total === 0 ? 0 : Math.min(1, done / total);
}
