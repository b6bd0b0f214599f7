// Creates a batch: from the file to the provider, top to bottom. Decision 89 lists the effect of a crash between any
// two writes.
import { AppError } from '#shared/errors.ts';
import type { LogOther } from '#shared/logs.ts';
import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { badField } from '#server/formats/strict-fields.ts';
import { batchPurpose, findFile, longestRetention } from '#server/slices/files/file-store.ts';
import { errorOf, readAtProvider } from '#server/slices/files/upstream-files.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { ChargeRow } from '#server/money/settlement/settlement.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/slices/responses/serve-caller.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import type { BatchFormat } from './batch-format.ts';
import { beginBatch, checkRoom, creationMs, roomFor } from './batch-store.ts';
import { checkRequests } from './check-requests.ts';
import type { CheckedBatch, RequestSource } from './check-requests.ts';
import { tagLength } from './claude-batches.ts';
import { FileBroken } from './read-lines.ts';
import { concludeBatch, noResults, noteCharge, returnLateCharge } from './settle-batch.ts';

export interface BatchRequest {
  form: BatchFormat;
  endpoint: RelayEndpoint;
  /** Model that the path names. If undefined, each request names it. */
  model?: string;
  /** File of the caller, or inline requests. */
  requests: { file: string } | { items: readonly unknown[] };
  window: string;
  /** Lifetime of the results that the caller requested; undefined if not set. */
  seconds: number | undefined;
  /** JSON text; empty if not set. */
  metadata: string;
}

const firstPollMs = 15_000;

/** @throws {AppError} for the file, its requests, the limits, the balance and the provider */
export async function createBatch(services: RelayServices, caller: StoredCaller, requested: BatchRequest): Promise<BatchRecord> {
  const { context } = services;
  const { admission, userId, requestId } = caller;
  const { form, endpoint, requests } = requested;
  const input = 'file' in requests ? await findFile(context, userId, requests.file) : null;
  if (input !== null && input.purpose !== batchPurpose) throw badField('input_file_id', wrongPurpose);
  const known = {
    form: form.name,
    user_id: userId,
    username: admission.user.username,
    token_id: admission.token.id,
    token_name: admission.tokenName,
    group: admission.group,
    request_id: requestId,
    endpoint: endpoint.path,
    input_file: input?.id ?? '',
    upstream_input: input === null ? context.randomText(tagLength) : '',
    completion_window: requested.window,
    output_seconds: Math.min(requested.seconds ?? Infinity, longestRetention(context)),
    metadata: requested.metadata,
  };
  const begun = await beginBatch(context, known, context.ledger.processId);
  const spool = context.bodies.spool.open(`user:${userId}`);
  try {
    const mostRequests = await roomFor(context, userId);
    const source: RequestSource =
      'items' in requests ? requests : { file: input === null ? Buffer.alloc(0) : await readAtProvider(context, input) };
    const { model } = requested;
    const batch = { services, admission, form, endpoint, model, input: begun.upstream_input, preferred: input?.channel_id, mostRequests };
    const checked = await checkRequests(batch, source, spool);
    await context.db.collection('batches').patch({ id: begun.id, state: 'checking' }, { set: { requests: checked.requests } });
    await checkRoom(context, userId);
    return await payAndCreate(services, admission, { form, begun: { ...begun, requests: checked.requests }, checked, spool });
  } catch (failure) {
    // A batch that got further is no longer `checking`, and stays.
    await context.db.collection('batches').remove({ id: begun.id, state: 'checking' });
    throw failure instanceof FileBroken ? new AppError('upstream_truncated', {}, { cause: failure }) : failure;
  } finally {
    spool.end();
  }
}

const wrongPurpose = { zh: '的用途（purpose）必须是 batch', en: 'must be a file whose purpose is batch' };

interface Prepared {
  form: BatchFormat;
  begun: BatchRecord;
  checked: CheckedBatch;
  spool: SpoolFile;
}

async function payAndCreate(services: RelayServices, admission: Admission, prepared: Prepared): Promise<BatchRecord> {
  const { context } = services;
  const { checked } = prepared;
  const { channel, amount } = checked;
  const reservation = await reserveQuota(services, admission, { amount, least: amount });
  let paid: BatchRecord;
  try {
    const creating = await handIn(context, prepared, reservation);
    await context.ledger.settle(reservation, batchRow(services, admission, creating, checked));
    services.use.add(channel.id, amount);
    const { paid: charged } = await chargeOf(context.db, creating);
    // The books were closed without the charge, so it will not be applied.
    if (charged === null) throw new AppError('internal_error');
    paid = await noteCharge(context.db, creating, charged);
    if (paid.charge === 'none') {
      await returnLateCharge(context, paid, charged);
      throw new AppError('upstream_timeout');
    }
  } finally {
    // Has no effect after settlement.
    context.ledger.release(reservation);
  }
  context.lowBalance.spent(paid.user_id);
  if (paid.charge !== 'done' || paid.reserved < amount)
    return giveUp(context, paid, new AppError('insufficient_user_quota', { detail: '' }));
  return createThere(context, prepared, paid);
}

/**
 * Uploads the requests and records that a charge is pending.
 * @throws {AppError}
 */
async function handIn(context: AppContext, { form, begun, checked, spool }: Prepared, reservation: Reservation): Promise<BatchRecord> {
  const { channel, route, model, quoted, amount } = checked;
  const sent = await form.handIn(context, channel, begun, spool);
  if (!('id' in sent)) throw errorOf(context, sent.failure);
  const there = { channel_id: channel.id, key: keyBehind(context.secrets, channel), upstream_input: sent.id };
  const creating = await context.db.collection('batches').patch(
    { id: begun.id, state: 'checking' },
    {
      set: {
        ...there,
        model,
        upstream_model: route.upstreamModel,
        quoted: JSON.stringify(quoted),
        reserved: amount,
        token_reserved: reservation.isTokenLimited ? amount : 0,
        charge: 'open',
        process: context.ledger.processId,
        state: 'creating',
        asked_at: Math.floor(context.now() / 1000),
        poll_at: context.now() + creationMs,
      },
    },
  );
  if (creating !== null) return creating;
  // The batch timed out and was concluded meanwhile.
  context.waitUntil(form.release(context, { ...begun, ...there }));
  throw new AppError('upstream_timeout');
}

async function createThere(context: AppContext, { form, checked: { channel }, spool }: Prepared, paid: BatchRecord): Promise<BatchRecord> {
  const batches = context.db.collection('batches');
  const answer = await form.create(context, channel, paid, spool);
  if ('failure' in answer) {
    if (!answer.isUnknown) return giveUp(context, paid, errorOf(context, answer.failure));
    // The polling job resolves it.
    const requested = { asked_at: Math.floor(context.now() / 1000), poll_at: context.now() + firstPollMs };
    return (await batches.patch({ id: paid.id, state: 'creating' }, { set: requested })) ?? paid;
  }
  const { id, set } = answer.reported;
  const running = { ...set, upstream_id: id, state: 'running' as const, poll_at: context.now() + firstPollMs };
  const record = await batches.patch({ id: paid.id, state: 'creating' }, { set: running });
  if (record !== null) return record;
  const known = await batches.get(paid.id);
  if (known?.upstream_id === id) return known;
  // The batch timed out and was refunded meanwhile.
  context.waitUntil(form.cancel(context, channel, id));
  throw new AppError('upstream_timeout');
}

/**
 * Concludes the batch and refunds it in full.
 * @throws {AppError} always
 */
async function giveUp(context: AppContext, batch: BatchRecord, error: AppError): Promise<never> {
  const set = { status: 'failed', failed_at: Math.floor(context.now() / 1000) };
  await concludeBatch(context, batch, { sums: { ...noResults, failed: 0 }, set });
  throw error;
}

/** Log row with one price and no tokens; the final cost is in another row. */
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
