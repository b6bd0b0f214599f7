// Creates a fine-tuning job: from the files to the provider, top to bottom. Decision 97 lists the effect of a crash
// between any two writes.
import { AppError } from '#shared/errors.ts';
import type { LogOther } from '#shared/logs.ts';
import { LogType } from '#shared/logs.ts';
import { FileBroken } from '#server/slices/batches/read-lines.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { badField } from '#server/formats/strict-fields.ts';
import { findFile, tuningPurpose } from '#server/slices/files/file-store.ts';
import { errorOf, readAtProvider, sendFile } from '#server/slices/files/upstream-files.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { ChargeRow } from '#server/money/settlement/settlement.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/slices/responses/serve-caller.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { checkExamples } from './check-examples.ts';
import type { CheckedExamples } from './check-examples.ts';
import { usualEpochs } from './epochs.ts';
import { findTrainer } from './find-trainer.ts';
import { beginJob, creationMs } from './job-store.ts';
import { deleteProviderFiles } from './delete-provider-files.ts';
import type { JobRequest } from './read-job-request.ts';
import { concludeJob, noteCharge, returnLateCharge } from './settle-job.ts';
import { changeThere, createThere } from './upstream-jobs.ts';

const firstPollMs = 15_000;
/** Seconds until the examples expire at the provider, well after training must have ended. */
const inputSeconds = 30 * 24 * 3600;
/** Length of the boundary, which must not occur in the content. */
const boundaryLength = 48;

/** @throws {AppError} for the files, their examples, the limits, the balance and the provider */
export async function createJob(services: RelayServices, caller: StoredCaller, requested: JobRequest): Promise<TuningJobRecord> {
  const { context } = services;
  const { admission, userId, requestId } = caller;
  const training = await fileNamed(context, userId, 'training_file', requested.trainingFile);
  const validation = requested.validationFile === '' ? null : await fileNamed(context, userId, 'validation_file', requested.validationFile);
  const { channel, base, upstreamBase } = await findTrainer(services, admission, requested.model, training.channel_id);
  if (context.quotes.priceOfTraining(base, admission.group) === null)
    throw new AppError('tuning_not_priced', { model: base }, { field: 'model' });
  const known = {
    user_id: userId,
    username: admission.user.username,
    token_id: admission.token.id,
    token_name: admission.tokenName,
    group: admission.group,
    request_id: requestId,
    model: requested.model,
    base,
    upstream_base: upstreamBase,
    channel_id: channel.id,
    key: keyBehind(context.secrets, channel),
    method: requested.method,
    parameters: JSON.stringify(requested.parameters),
    suffix: requested.suffix,
    seed: requested.seed ?? Math.floor(context.random() * 2 ** 31),
    metadata: requested.metadata,
    training_file: training.id,
    validation_file: validation?.id ?? '',
  };
  const begun = await beginJob(context, known, context.ledger.processId);
  const spools = [context.bodies.spool.open(`user:${userId}`), context.bodies.spool.open(`user:${userId}`)] as const;
  try {
    const look = async (file: FileRecord, field: string, spool: SpoolFile) =>
      checkExamples({ services, admission, field, base, method: requested.method }, await readAtProvider(context, file), spool);
    const checked = await look(training, 'training_file', spools[0]);
    if (validation !== null) await look(validation, 'validation_file', spools[1]);
    const files = { training: spools[0], validation: validation === null ? null : spools[1] };
    return await payAndCreate(services, admission, {
      begun,
      channel,
      checked,
      files,
      epochs: requested.epochs ?? usualEpochs(checked.examples),
    });
  } catch (failure) {
    // A job that got further is no longer `checking`, and stays.
    await context.db.collection('tuning_jobs').remove({ id: begun.id, state: 'checking' });
    throw failure instanceof FileBroken ? new AppError('upstream_truncated', {}, { cause: failure }) : failure;
  } finally {
    for (const spool of spools) spool.end();
  }
}

const wrongPurpose = { zh: '的用途（purpose）必须是 fine-tune', en: 'must be a file whose purpose is fine-tune' };

async function fileNamed(context: AppContext, userId: number, field: string, id: string): Promise<FileRecord> {
  const file = await findFile(context, userId, id);
  if (file.purpose !== tuningPurpose) throw badField(field, wrongPurpose);
  return file;
}

interface Prepared {
  begun: TuningJobRecord;
  channel: PreparedChannel;
  checked: CheckedExamples;
  files: { training: SpoolFile; validation: SpoolFile | null };
  epochs: number;
}

async function payAndCreate(services: RelayServices, admission: Admission, prepared: Prepared): Promise<TuningJobRecord> {
  const { context } = services;
  const { begun, channel, checked, epochs } = prepared;
  const quoted = context.quotes.priceOfTraining(begun.base, admission.group);
  if (quoted === null) throw new AppError('tuning_not_priced', { model: begun.base }, { field: 'model' });
  const { perMillion, ...price } = quoted;
  const amount = Math.max(1, context.quotes.charge(price, { promptTokens: checked.tokens * epochs, completionTokens: 0 }));
  const reservation = await reserveQuota(services, admission, { amount, least: amount });
  let paid: TuningJobRecord;
  try {
    const creating = await handIn(context, prepared, reservation, JSON.stringify(price));
    await context.ledger.settle(reservation, jobRow(services, creating, { amount, perMillion, groupRatio: price.groupRatio }));
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
  return createAtProvider(context, channel, paid);
}

/**
 * Uploads the examples and records that a charge is pending.
 * @throws {AppError}
 */
async function handIn(context: AppContext, prepared: Prepared, reservation: Reservation, quoted: string): Promise<TuningJobRecord> {
  const { begun, channel, checked, files, epochs } = prepared;
  const sent = { upstream_training: '', upstream_validation: '' };
  try {
    sent.upstream_training = await send(context, channel, `${begun.id}.jsonl`, files.training);
    if (files.validation !== null)
      sent.upstream_validation = await send(context, channel, `${begun.id}_validation.jsonl`, files.validation);
    const creating = await context.db.collection('tuning_jobs').patch(
      { id: begun.id, state: 'checking' },
      {
        set: {
          ...sent,
          ...checked,
          epochs,
          quoted,
          reserved: reservation.amount,
          token_reserved: reservation.isTokenLimited ? reservation.amount : 0,
          charge: 'open',
          process: context.ledger.processId,
          state: 'creating',
          told_at: begun.created_at,
          poll_at: context.now() + creationMs,
        },
      },
    );
    // The job timed out and was concluded meanwhile.
    if (creating === null) throw new AppError('upstream_timeout');
    return creating;
  } catch (failure) {
    context.waitUntil(deleteProviderFiles(context, { ...begun, ...sent }));
    throw failure;
  }
}

async function send(context: AppContext, channel: PreparedChannel, filename: string, content: SpoolFile): Promise<string> {
  const file = new MultipartFile({ filename, type: 'application/jsonl', content });
  const boundary = context.randomText(boundaryLength);
  const sent = await sendFile(context, channel, { file, purpose: tuningPurpose, seconds: inputSeconds, boundary });
  if (!('id' in sent)) throw errorOf(context, sent.failure);
  return sent.id;
}

async function createAtProvider(context: AppContext, channel: PreparedChannel, paid: TuningJobRecord): Promise<TuningJobRecord> {
  const jobs = context.db.collection('tuning_jobs');
  const answer = await createThere(context, channel, paid);
  if ('failure' in answer) {
    if (!answer.isUnknown) return giveUp(context, paid, errorOf(context, answer.failure));
    // The polling job resolves it.
    return (await jobs.patch({ id: paid.id, state: 'creating' }, { set: { poll_at: context.now() + firstPollMs } })) ?? paid;
  }
  const { id, set } = answer.reported;
  const running = { ...set, upstream_id: id, state: 'running' as const, poll_at: context.now() + firstPollMs };
  const record = await jobs.patch({ id: paid.id, state: 'creating' }, { set: running });
  if (record !== null) return record;
  const known = await jobs.get(paid.id);
  if (known?.upstream_id === id) return known;
  // The job timed out and was refunded meanwhile.
  context.waitUntil(changeThere(context, channel, id, 'cancel'));
  throw new AppError('upstream_timeout');
}

/**
 * Concludes the job and refunds it in full.
 * @throws {AppError} always
 */
async function giveUp(context: AppContext, job: TuningJobRecord, error: AppError): Promise<never> {
  await concludeJob(context, job, { cost: 0, set: { status: 'failed', finished_at: Math.floor(context.now() / 1000) } });
  throw error;
}

/** Log row with one price and no tokens; the final cost is in another row. */
function jobRow(
  services: RelayServices,
  job: TuningJobRecord,
  { amount, perMillion, groupRatio }: { amount: number; perMillion: number; groupRatio: number },
): ChargeRow {
  const { settings } = services.context;
  const { id, examples, epochs, tokens } = job;
  const other: LogOther = {
    group_ratio: groupRatio,
    quota_per_unit: settings.get('QuotaPerUnit'),
    tuning: { id, examples, epochs, tokens, price: perMillion },
    admin_info: { use_channel: [String(job.channel_id)] },
  };
  return {
    user_id: job.user_id,
    created_at: Math.floor(services.context.now() / 1000),
    type: LogType.consumption,
    username: job.username,
    token_name: job.token_name,
    model_name: job.model,
    quota: amount,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: job.channel_id,
    token_id: job.token_id,
    group: job.group,
    other,
    request_id: job.request_id,
    ...(settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}
