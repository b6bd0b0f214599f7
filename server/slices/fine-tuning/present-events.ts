// Presents events and checkpoints of a job; the provider's ids and names are replaced.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { storableText } from '#server/db/storable.ts';
import { channelOf, errorOf } from '#server/objects/upstream-files.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { checkpointId, readTunedModelId } from '#server/model-facts/tuned-model-id.ts';
import { listOf } from '#server/objects/list-items.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { withoutTrailing } from '#shared/trailing.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { openName, sealName } from './sealed-ids.ts';
import { countIn, idIn, listThere } from './upstream-jobs.ts';

export interface ThingsPage {
  limit: number;
  after: string | undefined;
}

const prefixes = { events: 'ftevent-', checkpoints: 'ftckpt_' } as const;
const longestMessage = 2000;
/** Limits of an event's data: depth and number of members. */
const deepest = 6;
const mostMembers = 200;

type Kind = keyof typeof prefixes;

/** @throws {AppError} `invalid_request` for an unknown `after`, `tuning_out_of_reach`, and the provider's */
export async function listOfJob(context: AppContext, job: TuningJobRecord, kind: Kind, { limit, after }: ThingsPage): Promise<object> {
  const prefix = prefixes[kind];
  const owner = `${job.id} ${kind}`;
  const from =
    after === undefined ? undefined : after.startsWith(prefix) ? openName(context.secrets, owner, after.slice(prefix.length)) : null;
  if (from === null) throw badField('after', fieldRules.invalid);
  // The provider does not have the job (yet).
  if (job.upstream_id === '') return listOf([], false);
  const channel = channelOf(context, job);
  if (channel === null) throw new AppError('tuning_out_of_reach', { id: job.id });
  const query = `limit=${limit}${from === undefined ? '' : `&after=${encodeURIComponent(from)}`}`;
  const answer = await listThere(context, channel, `/${encodeURIComponent(job.upstream_id)}/${kind}?${query}`);
  if ('failure' in answer) throw errorOf(context, answer.failure);
  const report = kind === 'events' ? presentEvent : presentCheckpoint;
  const data = answer.reported.data
    .filter((one) => idIn(one['id']) !== '')
    .slice(0, limit)
    .map((one) => ({ id: `${prefix}${sealName(context.secrets, owner, idIn(one['id']))}`, ...report(job, one) }));
  return listOf(data, answer.reported.hasMore);
}

type Reported = Readonly<Record<string, unknown>>;

/** https://platform.openai.com/docs/api-reference/fine-tuning/event-object */
function presentEvent(job: TuningJobRecord, event: Reported): Record<string, unknown> {
  const { message, level, type } = event;
  return {
    object: 'fine_tuning.job.event',
    created_at: countIn(event['created_at']),
    level: level === 'warn' || level === 'error' ? level : 'info',
    message: typeof message === 'string' ? inOurWords(job, storableText(message, longestMessage)) : '',
    type: type === 'metrics' ? type : 'message',
    data: reportedData(job, event['data'] ?? null, deepest),
  };
}

/** https://platform.openai.com/docs/api-reference/fine-tuning/checkpoint-object */
function presentCheckpoint(job: TuningJobRecord, checkpoint: Reported): Record<string, unknown> {
  const step = countIn(checkpoint['step_number']);
  const metrics = isObject(checkpoint['metrics']) ? checkpoint['metrics'] : {};
  return {
    object: 'fine_tuning.job.checkpoint',
    created_at: countIn(checkpoint['created_at']),
    fine_tuned_model_checkpoint:
      job.upstream_model !== '' && checkpoint['fine_tuned_model_checkpoint'] === job.upstream_model
        ? job.tuned_model
        : checkpointId(job.tuned_model, step),
    fine_tuning_job_id: job.id,
    metrics: Object.fromEntries(
      Object.entries(metrics)
        .filter(([, value]) => typeof value === 'number')
        .slice(0, mostMembers),
    ),
    step_number: step,
  };
}

function reportedData(job: TuningJobRecord, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return inOurWords(job, storableText(value, longestMessage));
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.slice(0, mostMembers).map((item) => reportedData(job, item, depth - 1));
  const members = Object.entries(value).slice(0, mostMembers);
  return Object.fromEntries(members.map(([name, item]) => [inOurWords(job, name.slice(0, 200)), reportedData(job, item, depth - 1)]));
}

/** Replaces the provider's names within a text: known ones by ours, others by nothing. */
export function inOurWords(job: TuningJobRecord, text: string): string {
  const names = new Map([
    [job.upstream_id, job.id],
    [job.upstream_training, job.training_file],
    [job.upstream_validation, job.validation_file],
    [job.upstream_base, job.model],
    ...job.upstream_results.map((name, index) => [name, job.result_files[index] ?? ''] as const),
  ]);
  names.delete('');
  return text
    .replace(/ft:[^\s"'<>,;]+/g, (found) => {
      const name = withoutTrailing(found, '.!?:)]');
      const rest = found.slice(name.length);
      const { step } = readTunedModelId(name);
      const base = names.get(name);
      return `${base ?? (step === undefined ? job.tuned_model : checkpointId(job.tuned_model, step))}${rest}`;
    })
    .replace(/\b(ftjob|ft|file|org|proj|user|ftevent|ftckpt)([-_])([A-Za-z0-9_]{6,})/g, (found, kind: string, joint: string) => {
      if (isOurs(job, found)) return found;
      return names.get(found) ?? `${kind}${joint}…`;
    });
}

function isOurs(job: TuningJobRecord, name: string): boolean {
  return [job.id, job.training_file, job.validation_file, ...job.result_files].includes(name);
}
