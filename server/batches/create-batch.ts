// A batch from its file to its provider, top to bottom. Decision 89 says which crash between which two writes leads to what.
import { AppError } from '#shared/errors.ts';
import type { LogOther } from '#shared/logs.ts';
import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { badField } from '#server/dialects/strict-fields.ts';
import { batchPurpose, findFile, longestKept } from '#server/files/file-store.ts';
import { deleteAtProvider, errorOf, readAtProvider, sendFile } from '#server/files/upstream-files.ts';
import { FormFile } from '#server/framing/form-data.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { ChargeRow } from '#server/money/settlement/settlement.ts';
import type { Admission } from '#server/relay/admission/admission.ts';
import { reserveQuota } from '#server/relay/admission/reserve-call.ts';
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import { keyBehind } from '#server/relay/own-objects.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { KeptCaller } from '#server/responses/serve-caller.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { beginBatch, checkRoom, creationMs, roomFor } from './batch-store.ts';
import { checkRequests } from './check-requests.ts';
import type { CheckedBatch } from './check-requests.ts';
import { FileBroken } from './read-lines.ts';
import { concludeBatch, noResults, noteCharge } from './settle-batch.ts';
import { cancelUpstream, createUpstream } from './upstream-batches.ts';

export interface AskedBatch {
  endpoint: RelayEndpoint;
  inputFile: string;
  window: string;
  /** That its results are kept, as its caller wants; undefined: nothing was said. */
  seconds: number | undefined;
  /** JSON text; empty: none. */
  metadata: string;
}

/** Seconds after which a provider lets go of the requests by itself: well after their batch must be over. */
const inputSeconds = 3 * 24 * 3600;
const firstPollMs = 15_000;

/** @throws {AppError} of the file, its requests, the bounds, the balance and the provider */
export async function createBatch(services: RelayServices, caller: KeptCaller, asked: AskedBatch): Promise<BatchRecord> {
  const { context } = services;
  const { admission, userId, requestId } = caller;
  const input = await findFile(context, userId, asked.inputFile);
  if (input.purpose !== batchPurpose) throw badField('input_file_id', wrongPurpose);
  const begun = await beginBatch(
    context,
    {
      user_id: userId,
      username: admission.user.username,
      token_id: admission.token.id,
      token_name: admission.tokenName,
      group: admission.group,
      request_id: requestId,
      endpoint: asked.endpoint.path,
      input_file: input.id,
      completion_window: asked.window,
      output_seconds: Math.min(asked.seconds ?? Infinity, longestKept(context)),
      metadata: asked.metadata,
    },
    context.ledger.processId,
  );
  const spool = context.bodies.spool.open(`user:${userId}`);
  try {
    const mostRequests = await roomFor(context, userId);
    const source = await readAtProvider(context, input);
    const batch = { services, admission, endpoint: asked.endpoint, preferred: input.channel_id, mostRequests };
    const checked = await checkRequests(batch, source, spool);
    await context.db.collection('batches').patch({ id: begun.id, state: 'checking' }, { set: { requests: checked.requests } });
    await checkRoom(context, userId);
    return await payAndCreate(services, admission, { begun, checked, spool });
  } catch (failure) {
    // Where it came further than this, its record says how far.
    await context.db.collection('batches').remove({ id: begun.id, state: 'checking' });
    throw failure instanceof FileBroken ? new AppError('upstream_truncated', {}, { cause: failure }) : failure;
  } finally {
    spool.end();
  }
}

const wrongPurpose = { zh: '的用途（purpose）必须是 batch', en: 'must be a file whose purpose is batch' };

interface Prepared {
  begun: BatchRecord;
  checked: CheckedBatch;
  spool: SpoolFile;
}

async function payAndCreate(services: RelayServices, admission: Admission, { begun, checked, spool }: Prepared): Promise<BatchRecord> {
  const { context } = services;
  const { channel, amount } = checked;
  const reservation = await reserveQuota(services, admission, { amount, least: amount });
  let paid: BatchRecord;
  try {
    const creating = await handIn(context, { begun, checked, spool }, reservation);
    await context.ledger.settle(reservation, batchRow(services, admission, creating, checked));
    services.use.add(channel.id, amount);
    const { paid: charged } = await chargeOf(context.db, creating);
    // Its books were closed without it, and it is charged by nobody.
    if (charged === null) throw new AppError('internal_error');
    paid = await noteCharge(context.db, creating, charged);
  } finally {
    // Nothing where it was settled.
    context.ledger.release(reservation);
  }
  context.lowBalance.spent(paid.user_id);
  if (paid.charge !== 'done' || paid.reserved < amount)
    return giveUp(context, paid, new AppError('insufficient_user_quota', { detail: '' }));
  return createThere(context, channel, paid);
}

/** The provider gets the requests; the record says that a charge is on its way. @throws {AppError} */
async function handIn(context: AppContext, { begun, checked, spool }: Prepared, reservation: Reservation): Promise<BatchRecord> {
  const { channel, way, model, quoted, amount } = checked;
  const file = new FormFile({ filename: `${begun.id}.jsonl`, type: 'application/jsonl', content: spool });
  const boundary = context.randomText(48);
  const sent = await sendFile(context, channel, { file, purpose: batchPurpose, seconds: inputSeconds, boundary });
  if (!('id' in sent)) throw errorOf(context, sent.failure);
  const there = { channel_id: channel.id, key: keyBehind(context.secrets, channel), upstream_input: sent.id };
  const creating = await context.db.collection('batches').patch(
    { id: begun.id, state: 'checking' },
    {
      set: {
        ...there,
        model,
        upstream_model: way.upstreamModel,
        quoted: JSON.stringify(quoted),
        reserved: amount,
        token_reserved: reservation.isTokenLimited ? amount : 0,
        charge: 'open',
        process: context.ledger.processId,
        state: 'creating',
        poll_at: context.now() + creationMs,
      },
    },
  );
  if (creating !== null) return creating;
  // It took so long that it was given up.
  context.waitUntil(deleteAtProvider(context, { ...there, upstream_id: sent.id }));
  throw new AppError('upstream_timeout');
}

async function createThere(context: AppContext, channel: PreparedChannel, paid: BatchRecord): Promise<BatchRecord> {
  const batches = context.db.collection('batches');
  const answer = await createUpstream(context, channel, paid);
  if ('failure' in answer) {
    if (!answer.isUnknown) return giveUp(context, paid, errorOf(context, answer.failure));
    // The job finds out.
    return (await batches.patch({ id: paid.id, state: 'creating' }, { set: { poll_at: context.now() + firstPollMs } })) ?? paid;
  }
  const { id, set } = answer.told;
  const running = { ...set, upstream_id: id, state: 'running' as const, poll_at: context.now() + firstPollMs };
  const record = await batches.patch({ id: paid.id, state: 'creating' }, { set: running });
  if (record !== null) return record;
  const known = await batches.get(paid.id);
  if (known?.upstream_id === id) return known;
  // It took so long that it was given up, and its money is back.
  context.waitUntil(cancelUpstream(context, channel, id));
  throw new AppError('upstream_timeout');
}

/** Nothing runs, and all of its money goes back. @throws {AppError} always */
async function giveUp(context: AppContext, batch: BatchRecord, error: AppError): Promise<never> {
  const set = { status: 'failed', failed_at: Math.floor(context.now() / 1000) };
  await concludeBatch(context, batch, { sums: { ...noResults, failed: 0 }, set });
  throw error;
}

/** One price, no tokens: what it has cost in the end is told by another row. */
function batchRow(services: RelayServices, admission: Admission, batch: BatchRecord, { quoted, amount }: CheckedBatch): ChargeRow {
  const other: LogOther = {
    group_ratio: quoted.groupRatio,
    quota_per_unit: quoted.quotaPerUnit,
    batch: { id: batch.id, requests: batch.requests },
    admin_info: { use_channel: [String(batch.channel_id)] },
  };
  return {
    user_id: batch.user_id,
    created_at: Math.floor(services.context.now() / 1000),
    type: LogType.consumption,
    username: batch.username,
    token_name: batch.token_name,
    model_name: batch.model,
    quota: amount,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: batch.channel_id,
    token_id: admission.token?.id ?? 0,
    group: batch.group,
    other,
    request_id: batch.request_id,
    ...(services.context.settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}
