// Creates a fine-tuning job: from the files to the provider, top to bottom.
import type { ObjectOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { findFile, tuningPurpose } from '#server/objects/file-store.ts';
import { errorOf, readAtProvider, sendFile } from '#server/objects/upstream-files.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { createOrRemove, ownedBy } from '#server/work/begin-work.ts';
import { createWork } from '#server/work/create-work.ts';
import { type CheckedExamples, checkExamples } from './check-examples.ts';
import { usualEpochs } from './epochs.ts';
import { findTrainer } from './find-trainer.ts';
import { beginJob } from './job-store.ts';
import type { JobRequest } from './read-job-request.ts';
import { tuningWork } from './tuning-work.ts';
import { changeThere, createThere } from './upstream-jobs.ts';

/** Seconds until the examples expire at the provider, well after training must have ended. */
const inputSeconds = 30 * 24 * 3600;
/** Length of the boundary, which must not occur in the content. */
const boundaryLength = 48;

/** @throws {AppError} for the files, their examples, the limits, the balance and the provider */
export async function createJob(services: RelayServices, caller: StoredCaller, requested: JobRequest): Promise<TuningJobRecord> {
  const { context } = services;
  const { admission, userId } = caller;
  const training = await fileNamed(context, caller, 'training_file', requested.trainingFile);
  const validation = requested.validationFile === '' ? null : await fileNamed(context, caller, 'validation_file', requested.validationFile);
  const { channel, base, upstreamBase } = await findTrainer(services, admission, requested.model, training.channel_id);
  if (context.quotes.priceOfTraining(base, admission.group, admission.user) === null)
    throw new AppError('tuning_not_priced', { model: base }, { field: 'model' });
  const known = {
    ...ownedBy(caller),
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
  const begun = await beginJob(context, known);
  const spools = [context.bodies.spool.open(`user:${userId}`), context.bodies.spool.open(`user:${userId}`)] as const;
  try {
    return await createOrRemove(context, tuningWork, begun, async () => {
      const look = async (file: FileRecord, field: string, spool: SpoolFile) =>
        checkExamples({ services, admission, field, base, method: requested.method }, await readAtProvider(context, file), spool);
      const checked = await look(training, 'training_file', spools[0]);
      if (validation !== null) await look(validation, 'validation_file', spools[1]);
      const files = { training: spools[0], validation: validation === null ? null : spools[1] };
      return payAndCreate(services, admission, {
        begun,
        channel,
        checked,
        files,
        epochs: requested.epochs ?? usualEpochs(checked.examples),
      });
    });
  } finally {
    for (const spool of spools) spool.end();
  }
}

const wrongPurpose = { zh: '的用途（purpose）必须是 fine-tune', en: 'must be a file whose purpose is fine-tune' };

async function fileNamed(context: AppContext, owner: ObjectOwner, field: string, id: string): Promise<FileRecord> {
  const file = await findFile(context, owner, id);
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

/** Charges the largest cost and lets the provider begin. */
async function payAndCreate(services: RelayServices, admission: Admission, prepared: Prepared): Promise<TuningJobRecord> {
  const { context } = services;
  const { begun, channel, checked, epochs } = prepared;
  const quoted = context.quotes.priceOfTraining(begun.base, admission.group, admission.user);
  if (quoted === null) throw new AppError('tuning_not_priced', { model: begun.base }, { field: 'model' });
  const { perMillion, ...price } = quoted;
  return createWork(services, admission, tuningWork, {
    begun,
    model: begun.base,
    amount: Math.max(1, context.quotes.charge(price, { promptTokens: checked.tokens * epochs, completionTokens: 0 })),
    other: {
      group_ratio: price.groupRatio,
      quota_per_unit: context.settings.get('QuotaPerUnit'),
      tuning: { id: begun.id, examples: checked.examples, epochs, tokens: checked.tokens, price: perMillion },
    },
    handIn: async () => ({
      ...(await sendExamples(context, prepared)),
      ...checked,
      epochs,
      quoted: JSON.stringify(price),
      told_at: begun.created_at,
    }),
    create: (paid) => createThere(context, channel, paid),
    cancel: (id) => changeThere(context, channel, id, 'cancel'),
  });
}

/** @throws {AppError} */
async function sendExamples(
  context: AppContext,
  { begun, channel, files }: Prepared,
): Promise<Pick<TuningJobRecord, 'upstream_training' | 'upstream_validation'>> {
  const sent = { upstream_training: '', upstream_validation: '' };
  try {
    sent.upstream_training = await send(context, channel, `${begun.id}.jsonl`, files.training);
    if (files.validation !== null)
      sent.upstream_validation = await send(context, channel, `${begun.id}_validation.jsonl`, files.validation);
    return sent;
  } catch (failure) {
    context.waitUntil(tuningWork.removeInput(context, { ...begun, ...sent }));
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
