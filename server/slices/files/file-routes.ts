// `/v1/files`: https://platform.openai.com/docs/api-reference/files
import { ownerFields } from '#server/tokens/object-owner.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { AppError } from '#shared/errors.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { markedName } from '#server/objects/marked-name.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import { listOf } from '#server/objects/list-items.ts';
import { createServer, type StoredAnswer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { isRetryable } from '#server/exchange/failure-consequences.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { dropNotTaken, dropUnsent } from '#server/objects/interrupted-uploads.ts';
import {
  beginFile,
  type FilesPage,
  findFile,
  listFiles,
  longestRetention,
  mostFiles,
  presentFile,
  resultsPurpose,
} from '#server/objects/file-store.ts';
import { withoutBlocked } from '#server/objects/blocked-results.ts';
import { passFile } from '#server/objects/pass-file.ts';
import { filesAreOff, type Upload, withUpload } from '#server/objects/read-upload.ts';
import { restored, restoredLines } from '#server/objects/restored-lines.ts';
import { retainSent, releaseUpstream, staysAt } from '#server/objects/retained-files.ts';
import { channelsWithFiles, errorOf, readAtProvider, sendFile } from '#server/objects/upstream-files.ts';

const mostOfPage = 10_000;

/** @param beforeDeletion called before a file is deleted */
export function mountFiles(host: RouteHost, services: RelayServices, beforeDeletion: (file: FileRecord) => Promise<void>): void {
  const { context } = services;
  const serve = createServer(host, services, surfaces.openai);
  const path = '/v1/files/:file';
  const add = (method: string, at: string, work: (caller: StoredCaller) => Promise<StoredAnswer>) =>
    host.addDirect(
      method,
      at,
      serve((caller) => {
        if (mostFiles(context).count === 0) throw filesAreOff(caller.path);
        return work(caller);
      }),
    );
  const fileOf = (caller: StoredCaller): Promise<FileRecord> => findFile(context, caller, caller.params['file'] ?? '');

  add('POST', '/v1/files', async (caller) => {
    // Storing is free, but requires a balance.
    await checkMeans(services, caller.admission);
    return { json: await withUpload(services, caller, (upload) => storeFile(services, caller, upload)) };
  });
  add('GET', '/v1/files', async (caller) => {
    const page = readPage(caller.query);
    const found = await listFiles(context, caller, page);
    return { json: listOf(found.slice(0, page.limit).map(presentFile), found.length > page.limit) };
  });
  add('GET', path, async (caller) => ({ json: presentFile(await fileOf(caller)) }));
  add('GET', `${path}/content`, async (caller) => {
    const file = await fileOf(caller);
    const { asked_model: model, upstream_model: upstream } = file;
    const named = model === undefined ? undefined : (line: Buffer) => restored(line, model, upstream);
    const edit =
      file.purpose === resultsPurpose ? withoutBlocked(services.stages.guard, named, (error) => ({ response: null, error })) : undefined;
    const open = async () => {
      const reported = await readAtProvider(context, file);
      return edit === undefined ? reported : restoredLines(reported, edit);
    };
    return { response: await passFile(context, { userId: caller.userId, type: 'application/octet-stream', open }) };
  });
  add('DELETE', path, async (caller) => {
    const file = await fileOf(caller);
    const { id } = file;
    await beforeDeletion(file);
    // The owner no longer has the file. If the provider fails to delete it now, the job does.
    const left = await context.db.collection('files').patch({ id, state: 'stored' }, { set: { state: 'leaving' } });
    if (left === null) throw new AppError('file_not_found', { id });
    context.waitUntil(release(services, left));
    return { json: { id, object: 'file', deleted: true } };
  });
}

async function release({ context }: RelayServices, record: FileRecord): Promise<void> {
  if ((await releaseUpstream(context, record)) === 'gone') await context.db.collection('files').remove({ id: record.id });
}

/**
 * Uploads to the first channel that accepts the file.
 * @throws {AppError}
 */
async function storeFile(services: RelayServices, { userId, memberId, admission }: StoredCaller, upload: Upload): Promise<object> {
  const { context } = services;
  const { group, pinnedChannel } = admission;
  const { filename, purpose } = upload;
  const files = context.db.collection('files');
  const longest = longestRetention(context);
  const seconds = Math.min(upload.seconds ?? longest, longest);
  const channels = channelsWithFiles(context, { group, pinned: pinnedChannel, purpose }).slice(0, context.settings.get('RetryTimes') + 1);
  const known = { ...ownerFields({ userId, memberId }), filename, purpose, bytes: upload.file.content.size, seconds };
  let failure: AppError | undefined;
  for (const channel of channels) {
    const stays = staysAt(context, channel, upload);
    const place = { channel_id: channel.id, key: keyBehind(context.secrets, channel) };
    const record = await beginFile(context, { ...known, ...place, ...(stays ? { stays } : {}) });
    const { file } = upload;
    const sent = stays
      ? { ...upload, seconds: null, file: new MultipartFile({ ...file, filename: markedName(filename, record.id) }) }
      : { ...upload, seconds };
    const answer = await sendFile(context, channel, sent);
    if ('id' in answer) return presentFile(await retainSent(context, record, answer.id));
    failure = errorOf(context, answer.failure);
    // A refused file does not exist; without a response that is unknown.
    if (isRefusal(answer.failure)) await files.remove({ id: record.id });
    else if (answer.failure.upstreamStatus >= 500) await dropNotTaken(context, record, mostFiles(context).count);
    else await dropUnsent(context, { id: record.id });
    if (!isRetryable(answer.failure, channel.provider)) break;
  }
  throw failure ?? new AppError('no_file_channel', { group });
}

function isRefusal({ upstreamStatus: status }: UpstreamFailure): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

/** @throws {AppError} `invalid_request` with the invalid parameter */
function readPage(query: URLSearchParams): FilesPage {
  const limit = Number(query.get('limit') ?? mostOfPage);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostOfPage) throw badField('limit', fieldRules.wholeBetween(1, mostOfPage));
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw badField('order', fieldRules.oneOf(['asc', 'desc']));
  return { limit, isAscending: order === 'asc', after: query.get('after') ?? undefined, purpose: query.get('purpose') ?? undefined };
}
