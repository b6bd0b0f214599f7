// Creates a batch: from the file to the provider, top to bottom.
import type { BatchRecord } from '#server/db/records/batch.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { batchPurpose, findFile, longestRetention } from '#server/objects/file-store.ts';
import { errorOf, readAtProvider } from '#server/objects/upstream-files.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import { createOrRemove, ownedBy } from '#server/work/begin-work.ts';
import { createWork } from '#server/work/create-work.ts';
import type { BatchFormat } from './batch-format.ts';
import type { BatchCount } from './batch-limits.ts';
import { batchWork } from './batch-work.ts';
import { beginBatch, checkRoom, roomFor } from './batch-store.ts';
import { type CheckedBatch, checkRequests, type RequestSource } from './check-requests.ts';
import { tagLength } from './claude-batches.ts';

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

/** @throws {AppError} for the file, its requests, the limits, the balance and the provider */
export async function createBatch(services: RelayServices, caller: StoredCaller, requested: BatchRequest): Promise<BatchRecord> {
  const { context } = services;
  const { admission, userId } = caller;
  const { form, endpoint, requests } = requested;
  const input = 'file' in requests ? await findFile(context, caller, requests.file) : null;
  if (input !== null && input.purpose !== batchPurpose) throw badField('input_file_id', wrongPurpose);
  const known = {
    form: form.name,
    ...ownedBy(caller),
    endpoint: endpoint.path,
    input_file: input?.id ?? '',
    upstream_input: input === null ? context.randomText(tagLength) : '',
    completion_window: requested.window,
    output_seconds: Math.min(requested.seconds ?? Infinity, longestRetention(context)),
    metadata: requested.metadata,
  };
  const begun = await beginBatch(context, known);
  const spool = context.bodies.spool.open(`user:${userId}`);
  try {
    return await createOrRemove(context, batchWork, begun, async () => {
      const mostRequests = await roomFor(context, userId);
      const source: RequestSource =
        'items' in requests ? requests : { file: input === null ? Buffer.alloc(0) : await readAtProvider(context, input) };
      const { model } = requested;
      const batch = { services, admission, form, endpoint, model, input: begun.upstream_input, preferred: input?.channel_id, mostRequests };
      const checked = await checkRequests(batch, source, spool);
      await context.db.collection('batches').patch({ id: begun.id, state: 'checking' }, { set: { requests: checked.requests } });
      await checkRoom(context, userId);
      const counted = { ...begun, requests: checked.requests };
      return checked.limits.within((count) => payAndCreate(services, admission, { form, begun: counted, checked, spool, count }));
    });
  } finally {
    spool.end();
  }
}

const wrongPurpose = { zh: '的用途（purpose）必须是 batch', en: 'must be a file whose purpose is batch' };

/** Charges the largest cost and lets the provider begin. */
function payAndCreate(
  services: RelayServices,
  admission: Admission,
  { form, begun, checked, spool, count }: Prepared,
): Promise<BatchRecord> {
  const { context } = services;
  const { channel, route, model, quoted, amount } = checked;
  return createWork(services, admission, batchWork, {
    begun,
    model,
    amount,
    other: {
      group_ratio: quoted.groupRatio,
      quota_per_unit: quoted.quotaPerUnit,
      batch: { id: begun.id, requests: begun.requests },
    },
    async handIn() {
      const sent = await form.handIn(context, channel, begun, spool);
      if (!('id' in sent)) throw errorOf(context, sent.failure);
      return {
        channel_id: channel.id,
        key: keyBehind(context.secrets, channel),
        upstream_input: sent.id,
        model,
        upstream_model: route.upstreamModel,
        quoted: JSON.stringify(quoted),
        ...count.handOver(),
      };
    },
    create: (paid) => form.create(context, channel, paid, spool),
    cancel: (id) => form.cancel(context, channel, id),
  });
}

interface Prepared {
  form: BatchFormat;
  begun: BatchRecord;
  checked: CheckedBatch;
  spool: SpoolFile;
  count: BatchCount;
}
