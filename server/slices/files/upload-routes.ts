// `/v1/uploads`: https://platform.openai.com/docs/api-reference/uploads. An upload is a file in the state `sending`,
// and counts as one from its start.
import { ofOwner, ownerFields } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import { markedName } from '#server/objects/marked-name.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createServer, type StoredAnswer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { isRetryable } from '#server/exchange/failure-consequences.ts';
import { freeCutParts } from '#server/objects/interrupted-uploads.ts';
import { beginFile, longestRetention, mostFiles, presentFile } from '#server/objects/file-store.ts';
import { checkFilename, filesAreOff, lifetimes, purposesOf, withPart } from '#server/objects/read-upload.ts';
import { retainSent, staysAt } from '#server/objects/retained-files.ts';
import { channelsWithFiles, errorOf } from '#server/objects/upstream-files.ts';
import { beginThere, cancelThere, completeThere, sendPart } from './upstream-uploads.ts';

const path = '/v1/uploads/:upload';
/** The vendor's limits: bytes in total, and of a part. */
const largest = { all: 8 * 1024 ** 3, part: 64 * 1024 ** 2 };
const mostParts = 1000;
/** Seconds in which parts are accepted, as at the vendor. */
const openSeconds = 3600;

export function mountUploads(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const serve = createServer(host, services, surfaces.openai);
  const add = (at: string, work: (caller: StoredCaller) => Promise<StoredAnswer>) =>
    host.addDirect(
      'POST',
      at,
      serve((caller) => {
        if (mostFiles(context).count === 0) throw filesAreOff(caller.path);
        return work(caller);
      }),
    );

  add('/v1/uploads', async (caller) => {
    await checkMeans(services, caller.admission);
    return { json: await beginUpload(services, caller, await caller.readBody()) };
  });
  add(`${path}/parts`, async (caller) => {
    const file = await openUpload(context, caller);
    return { json: await withPart(services, caller, (part) => addPart(context, file, part)) };
  });
  add(`${path}/complete`, async (caller) => {
    const file = await openUpload(context, caller);
    const upstream = await completeThere(context, file, readParts(context, file, await caller.readBody()));
    const stored = await retainSent(context, file, upstream);
    return { json: { ...presentUpload(file, 'completed'), file: presentFile(stored) } };
  });
  add(`${path}/cancel`, async (caller) => {
    const file = await openUpload(context, caller);
    await cancelThere(context, file);
    await context.db.collection('files').remove({ id: file.id, state: 'sending' });
    return { json: presentUpload(file, 'cancelled') };
  });
}

/**
 * Starts an upload at the first channel that accepts it.
 * @throws {AppError}
 */
async function beginUpload({ context }: RelayServices, { userId, memberId, admission }: StoredCaller, body: unknown): Promise<object> {
  const { group, pinnedChannel } = admission;
  const { mime, ...requested } = readRequest(context, body);
  const longest = longestRetention(context);
  const seconds = Math.min(requested.seconds ?? longest, longest);
  const channels = channelsWithFiles(context, { group, pinned: pinnedChannel, purpose: requested.purpose, isInParts: true });
  const [first] = channels;
  if (first === undefined) throw new AppError('no_file_channel', { group });
  const at = (channel: typeof first) => ({ channel_id: channel.id, key: keyBehind(context.secrets, channel) });
  const files = context.db.collection('files');
  const begun = await beginFile(context, { ...ownerFields({ userId, memberId }), ...requested, seconds, ...at(first) });
  const { filename, purpose, bytes } = requested;
  let failure: AppError | undefined;
  for (const channel of channels.slice(0, context.settings.get('RetryTimes') + 1)) {
    const stays = staysAt(context, channel, requested);
    const retention = stays ? { filename: markedName(filename, begun.id) } : { filename, expires_after: { anchor: 'created_at', seconds } };
    const answer = await beginThere(context, channel, { ...retention, purpose, bytes, mime_type: mime });
    if ('reported' in answer && typeof answer.reported['id'] === 'string') {
      const times = { sent_bytes: 0, upload_until: begun.created_at + openSeconds };
      const set = { ...at(channel), upload_id: answer.reported['id'], ...times, ...(stays ? { stays } : {}) };
      const open = await files.patch({ id: begun.id, state: 'sending' }, { set, unset: ['process'] });
      if (open === null) throw notThere(begun);
      return presentUpload(open, 'pending');
    }
    failure = 'failure' in answer ? errorOf(context, answer.failure) : new AppError('invalid_upstream_response');
    if (!('failure' in answer) || !isRetryable(answer.failure, channel.provider)) break;
  }
  await files.remove({ id: begun.id });
  throw failure ?? new AppError('no_file_channel', { group });
}

/**
 * Counts the bytes before they are sent, so that concurrent parts cannot exceed the limit.
 * @throws {AppError}
 */
async function addPart(context: AppContext, file: FileRecord, part: Parameters<typeof sendPart>[2]): Promise<object> {
  const { size } = part.data.content;
  if (size > largest.part) throw badField('data', tooLarge);
  const files = context.db.collection('files');
  const where = { id: file.id, state: 'sending' as const };
  const own = `part_bytes.${context.ledger.processId}` as const;
  const count = () => files.patch({ ...where, sent_bytes: { lte: file.bytes - size } }, { increment: { sent_bytes: size, [own]: size } });
  const counted = (await count()) ?? ((await freeCutParts(context, file)) ? await count() : null);
  if (counted === null) throw badField('data', beyond);
  // If this process was declared dead, the bytes have been freed already.
  const isCounted = { ...where, [own]: { gte: size } };
  try {
    const name = await sendPart(context, file, part);
    await files.patch(isCounted, { increment: { [own]: -size } });
    const id = `${partPrefix}${context.secrets.encrypt(JSON.stringify({ file: file.id, part: name }), 'upload_part')}`;
    return { id, object: 'upload.part', created_at: Math.floor(context.now() / 1000), upload_id: uploadId(file) };
  } catch (failure) {
    await files.patch(isCounted, { increment: { sent_bytes: -size, [own]: -size } });
    throw failure;
  }
}

const tooLarge = { zh: '不能超过 64 MB', en: 'must be 64 MB at the most' };
const beyond = { zh: '超出了创建时声明的大小（bytes）', en: 'goes beyond the bytes that were told at the beginning' };

/**
 * Finds an open upload of the caller.
 * @throws {AppError} `file_not_found`
 */
async function openUpload({ db, now }: AppContext, caller: StoredCaller): Promise<FileRecord> {
  const id = caller.params['upload'] ?? '';
  const open = { state: 'sending' as const, upload_until: { gt: Math.floor(now() / 1000) } };
  const found = id.startsWith(prefix)
    ? await db.collection('files').first({ id: id.replace(prefix, 'file-'), ...ofOwner(caller), ...open })
    : null;
  if (found === null) throw new AppError('file_not_found', { id });
  return found;
}

const prefix = 'upload_';
const partPrefix = 'part_';

function uploadId({ id }: FileRecord): string {
  return id.replace('file-', prefix);
}

function notThere(file: FileRecord): AppError {
  return new AppError('file_not_found', { id: uploadId(file) });
}

function presentUpload(file: FileRecord, status: 'pending' | 'completed' | 'cancelled'): object {
  const { bytes, created_at, upload_until: until, filename, purpose } = file;
  return {
    id: uploadId(file),
    object: 'upload',
    bytes,
    created_at,
    expires_at: until ?? created_at,
    filename,
    purpose,
    status,
    file: null,
  };
}

/** @throws {AppError} `invalid_request` */
function readRequest(context: AppContext, body: unknown) {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  const fields = new StrictFields(body);
  const filename = fields.requiredText('filename');
  if (filename === '') throw badField('filename', fieldRules.required);
  checkFilename(filename);
  const purpose = fields.requiredText('purpose');
  const allowed = purposesOf(context);
  if (!allowed.includes(purpose)) throw badField('purpose', fieldRules.oneOf(allowed));
  const bytes = fields.integer('bytes', 1, largest.all);
  if (bytes === undefined) throw badField('bytes', fieldRules.required);
  const mime = fields.requiredText('mime_type');
  if (!/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(mime)) throw badField('mime_type', fieldRules.invalid);
  const retention = fields.object('expires_after');
  const own = retention === undefined ? undefined : new StrictFields(retention, 'expires_after');
  if (own !== undefined && own.text('anchor') !== 'created_at') throw badField(own.path('anchor'), fieldRules.oneOf(['created_at']));
  return { filename, purpose, bytes, mime, seconds: own?.integer('seconds', lifetimes.least, lifetimes.most) };
}

/**
 * Maps part ids to the provider's.
 * @throws {AppError} `invalid_request`
 */
function readParts({ secrets }: AppContext, file: FileRecord, body: unknown): object {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  const fields = new StrictFields(body);
  const ids = fields.list('part_ids') ?? [];
  if (ids.length === 0) throw badField('part_ids', fieldRules.required);
  if (ids.length > mostParts) throw badField('part_ids', fieldRules.most(mostParts));
  const parts = ids.map((id) => partOf(secrets, file, id));
  const md5 = fields.text('md5');
  if (md5 !== undefined && !/^[0-9a-fA-F]{32}$/.test(md5)) throw badField('md5', fieldRules.invalid);
  return { part_ids: parts, ...(md5 === undefined ? {} : { md5 }) };
}

const longestPart = 1024;

function partOf(secrets: AppContext['secrets'], file: FileRecord, id: unknown): string {
  const sealed = typeof id === 'string' && id.startsWith(partPrefix) && id.length <= longestPart ? id.slice(partPrefix.length) : '';
  const opened = parseObject(openSeal(secrets, sealed));
  if (opened?.['file'] !== file.id || typeof opened['part'] !== 'string') throw badField('part_ids', fieldRules.invalid);
  return opened['part'];
}

function openSeal(secrets: AppContext['secrets'], sealed: string): string {
  try {
    return secrets.decrypt(sealed, 'upload_part');
  } catch {
    // Not an id issued here.
    return '';
  }
}
