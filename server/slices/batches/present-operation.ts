// Presents a batch to Gemini's callers: an operation, which contains the results if the requests were inline.
// https://ai.google.dev/api/batch-api
import type { BatchRecord } from '#server/db/records/batch.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { placeIn } from './gemini-batches.ts';

const types = 'type.googleapis.com/google.ai.generativelanguage.v1main.';
const states: Readonly<Record<string, string>> = {
  validating: 'PENDING',
  in_progress: 'RUNNING',
  finalizing: 'RUNNING',
  cancelling: 'RUNNING',
  completed: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
};

export function nameOfBatch({ id }: Pick<BatchRecord, 'id'>): string {
  return `batches/${id}`;
}

/** File name of the results. */
export function resultsFileOf({ id }: Pick<BatchRecord, 'id'>): string {
  return `files/batch-${id}`;
}

export function isOfVectors({ endpoint }: Pick<BatchRecord, 'endpoint'>): boolean {
  return endpoint.endsWith(':embedContent');
}

/** @param output inline results, or their file; undefined for none */
export function operationOf(record: BatchRecord, output?: object): Record<string, unknown> {
  const hasEnded = record.state === 'ended';
  const time = (at: number) => (at === 0 ? undefined : new Date(at * 1000).toISOString());
  const { model, requests, completed, failed, cancelled, expired, created_at: created } = record;
  // Results are available once the batch is settled.
  const state = states[hasEnded ? record.status : record.status === 'validating' ? 'validating' : 'in_progress'] ?? 'PENDING';
  const end = hasEnded ? time(record.ended_at ?? created) : undefined;
  const kind = isOfVectors(record) ? 'EmbedContentBatch' : 'GenerateContentBatch';
  const metadata = {
    '@type': `${types}${kind}`,
    name: nameOfBatch(record),
    model: `models/${model}`,
    displayName: displayNameOf(record),
    state: `BATCH_STATE_${state}`,
    createTime: time(created),
    updateTime: end ?? time(Math.max(created, record.in_progress_at)),
    endTime: end,
    batchStats: {
      requestCount: String(requests),
      successfulRequestCount: String(completed),
      failedRequestCount: String(failed),
      pendingRequestCount: String(hasEnded ? 0 : Math.max(0, requests - completed - failed - cancelled - expired)),
    },
    output,
  };
  const operation = { name: nameOfBatch(record), metadata };
  if (!hasEnded) return operation;
  if (record.status === 'completed' || output !== undefined)
    return { ...operation, done: true, response: { '@type': `${types}${kind}Output`, ...output } };
  return { ...operation, done: true, error: errorOfBatch(record) };
}

/** gRPC codes of the batch's end. */
const codes: Readonly<Record<string, number>> = { cancelled: 1, expired: 4 };

function errorOfBatch({ errors, status }: BatchRecord): object {
  const [first]: unknown[] = errors === '' ? [] : JSON.parse(errors);
  const message = isObject(first) && typeof first['message'] === 'string' ? first['message'] : `The batch has ${status}`;
  return { code: codes[status] ?? 13, message };
}

function displayNameOf({ metadata }: BatchRecord): string {
  const reported = metadata === '' ? null : parseObject(metadata);
  return typeof reported?.['displayName'] === 'string' ? reported['displayName'] : '';
}

/** Result of a list's request and its index; null if it is none. */
export function inlinedResult(line: Buffer): { index: number; text: Buffer } | null {
  const reported = parseObject(line.toString('utf8'));
  const place = typeof reported?.['key'] === 'string' ? placeIn(reported['key']) : null;
  if (reported === null || place === null) return null;
  const { response, error, status } = reported;
  const { metadata } = place;
  const said = isObject(response) ? { response } : { error: isObject(error) ? error : isObject(status) ? status : { code: 13 } };
  return { index: place.index, text: Buffer.from(JSON.stringify({ ...said, ...(metadata === undefined ? {} : { metadata }) })) };
}
