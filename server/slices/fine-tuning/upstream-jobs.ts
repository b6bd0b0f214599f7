// Fine-tuning jobs at their provider. https://platform.openai.com/docs/api-reference/fine-tuning
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { storableText } from '#server/db/storable.ts';
import { requestAccount, type Requesting } from '#server/objects/upstream-files.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ReportedWork, Requested } from '#server/work/work-kind.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

export interface ReportedByProvider extends ReportedWork<TuningJobRecord> {
  trainingFile: string;
}

export type Verb = 'cancel' | 'pause' | 'resume';

export function createThere(context: Requesting, channel: PreparedChannel, job: TuningJobRecord): Promise<Requested<ReportedByProvider>> {
  const requested: Record<string, number> = JSON.parse(job.parameters);
  const body = {
    model: job.upstream_base,
    training_file: job.upstream_training,
    ...(job.upstream_validation === '' ? {} : { validation_file: job.upstream_validation }),
    seed: job.seed,
    method: { type: job.method, [job.method]: { hyperparameters: { ...requested, n_epochs: job.epochs } } },
  };
  return ask(context, channel, { method: 'POST', path: '', body: Buffer.from(JSON.stringify(body)), read: readReported });
}

export function readThere(context: Requesting, channel: PreparedChannel, id: string): Promise<Requested<ReportedByProvider>> {
  return ask(context, channel, { method: 'GET', path: `/${encodeURIComponent(id)}`, read: readReported });
}

export function changeThere(context: Requesting, channel: PreparedChannel, id: string, verb: Verb): Promise<Requested<ReportedByProvider>> {
  return ask(context, channel, { method: 'POST', path: `/${encodeURIComponent(id)}/${verb}`, read: readReported });
}

const pageSize = 100;
/** Ten thousand jobs of an account created since. */
const mostPages = 100;

/**
 * Finds a job whose creation got no response by its training file, which only it uses. Returns null if there is none,
 * undefined if not known.
 */
export async function findThere(
  context: Requesting,
  channel: PreparedChannel,
  job: TuningJobRecord,
): Promise<ReportedByProvider | null | undefined> {
  let after = '';
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await listThere(context, channel, `?limit=${pageSize}${after}`);
    if ('failure' in answer) return undefined;
    const { data, hasMore } = answer.reported;
    for (const item of data) {
      const reported = readReported(item);
      if (reported?.trainingFile === job.upstream_training) return reported;
    }
    const last = data.at(-1);
    if (!hasMore || typeof last?.['id'] !== 'string') return null;
    // Newest first: older jobs cannot match. One hour of tolerance for clock differences.
    if (countIn(last['created_at']) < job.created_at - 3600) return null;
    after = `&after=${encodeURIComponent(last['id'])}`;
  }
  return undefined;
}

/** Reports whether the job has no such list and never will; other refusals, such as rate limits, are temporary. */
export function isNever({ failure: { upstreamStatus: status } }: { failure: UpstreamFailure }): boolean {
  return status === 404 || status === 405 || status === 410;
}

export interface ListThere {
  data: readonly Readonly<Record<string, unknown>>[];
  hasMore: boolean;
}

/** @param path path after that of jobs */
export function listThere(context: Requesting, channel: PreparedChannel, path: string): Promise<Requested<ListThere>> {
  return ask(context, channel, { method: 'GET', path, read: readList });
}

function readList(object: Readonly<Record<string, unknown>>): ListThere | null {
  const { data } = object;
  return Array.isArray(data) ? { data: data.filter(isObject), hasMore: object['has_more'] === true } : null;
}

/** Bytes of a file; 0 if not known. */
export async function sizeThere(context: Requesting, channel: PreparedChannel, file: string): Promise<number> {
  const received = await requestAccount(context, channel, { method: 'GET', path: `/files/${encodeURIComponent(file)}` });
  if (received.kind === 'stream') received.stream.abort();
  return received.kind === 'whole' ? countIn(parseObject(received.body.toString('utf8'))?.['bytes']) : 0;
}

interface Question<Reported> {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer;
  read(object: Readonly<Record<string, unknown>>): Reported | null;
}

async function ask<Reported>(
  context: Requesting,
  channel: PreparedChannel,
  { method, path, body, read }: Question<Reported>,
): Promise<Requested<Reported>> {
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  const received = await requestAccount(context, channel, { method, path: `/fine_tuning/jobs${path}`, ...sent });
  if (received.kind === 'failed') {
    const { upstreamStatus: status } = received.failure;
    return { failure: received.failure, isUnknown: status < 400 || status >= 500 || status === 408 };
  }
  if (received.kind === 'stream') received.stream.abort();
  const object = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  const reported = object === null ? null : read(object);
  return reported === null ? { failure: invalidResponse(), isUnknown: true } : { reported };
}

const longestId = 256;
const mostResults = 20;

function readReported(object: Readonly<Record<string, unknown>>): ReportedByProvider | null {
  const { id, status, training_file: file, trained_tokens: trained, result_files: results, seed } = object;
  if (idIn(id) === '' || typeof status !== 'string' || !/^[a-z_]{1,40}$/.test(status)) return null;
  const set: Partial<TuningJobRecord> = {
    status,
    upstream_model: idIn(object['fine_tuned_model']),
    trained_tokens: typeof trained === 'number' && Number.isSafeInteger(trained) && trained >= 0 ? trained : -1,
    upstream_results: Array.isArray(results)
      ? results
          .map(idIn)
          .filter((one) => one !== '')
          .slice(0, mostResults)
      : [],
    finished_at: countIn(object['finished_at']),
    estimated_finish: countIn(object['estimated_finish']),
    error: errorIn(object['error']),
  };
  if (countIn(seed) > 0) set.seed = countIn(seed);
  return { id: idIn(id), trainingFile: idIn(file), set };
}

/** Returns an empty string if the value is no id. */
export function idIn(value: unknown): string {
  return typeof value === 'string' && value.length <= longestId && !/\p{Cc}/u.test(value) ? value : '';
}

/** Returns 0 for everything that is no positive integer. */
export function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

const longestError = 500;

function errorIn(reported: unknown): string {
  if (!isObject(reported)) return '';
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? storableText(value, longestError) : null);
  const error = { code: textOf(reported['code']), message: textOf(reported['message']), param: textOf(reported['param']) };
  return error.code === null && error.message === null ? '' : JSON.stringify(error);
}
