// Reads uploaded files: multipart forms. https://platform.openai.com/docs/api-reference/files/create
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import { type CriticalMembers, criticalMembers } from '#server/formats/critical-members.ts';
import { type MultipartFields, multipartToBody } from '#server/formats/multipart-body.ts';
import { badField, type Body } from '#server/framing/strict-fields.ts';
import { sourceOf } from '#server/framing/byte-source.ts';
import { boundaryOf, MultipartFile } from '#server/framing/multipart.ts';
import { readBody } from '#server/http/read-body.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from './serve-caller.ts';
import { batchPurpose, tuningPurpose } from './file-store.ts';

export interface Upload {
  file: MultipartFile;
  filename: string;
  purpose: string;
  /** Lifetime that the caller requested; undefined if not set. */
  seconds: number | undefined;
  boundary: string;
}

const anchor = 'expires_after[anchor]';
const seconds = 'expires_after[seconds]';
const names = criticalMembers(['file', 'purpose', anchor, seconds]);
const fields = { numbers: [seconds], flags: [], files: ['file'] };
/** Purposes of files that a prompt can reference. */
const purposes = ['assistants', 'user_data', 'vision'];
const partNames = criticalMembers(['data']);
const partFields = { numbers: [], flags: [], files: ['data'] };

/** Allowed purposes. */
export function purposesOf({ settings }: Pick<AppContext, 'settings'>): readonly string[] {
  const more = [
    ...(settings.get('BatchesPerUser') > 0 ? [batchPurpose] : []),
    ...(settings.get('FineTuningJobsPerUser') > 0 ? [tuningPurpose] : []),
  ];
  return [...purposes, ...more];
}

const longestName = 255;
/** The vendor's limits, in seconds. */
export const lifetimes = { least: 3600, most: 2_592_000 };

type Sending = Pick<StoredCaller, 'request' | 'connection' | 'userId'>;

/**
 * Passes the upload to `use`, and frees it afterwards.
 * @throws {AppError} as `readBody`, and `invalid_request`
 */
export function withUpload<Result>(services: RelayServices, caller: Sending, use: (upload: Upload) => Promise<Result>): Promise<Result> {
  const allowed = purposesOf(services.context);
  return withForm(services, caller, { fields, names }, (body, boundary) => use({ ...readUpload(body, allowed), boundary }));
}

/** Same for a part of an upload. https://platform.openai.com/docs/api-reference/uploads/add-part */
export function withPart<Result>(
  services: RelayServices,
  caller: Sending,
  use: (part: { data: MultipartFile; boundary: string }) => Promise<Result>,
): Promise<Result> {
  return withForm(services, caller, { fields: partFields, names: partNames }, (body, boundary) => {
    const { data: parts } = body;
    const [data, second]: unknown[] = Array.isArray(parts) ? parts : [];
    if (!(data instanceof MultipartFile) || data.content.size === 0) throw badField('data', fieldRules.required);
    if (second !== undefined) throw badField('data', fieldRules.standsOnce);
    return use({ data, boundary });
  });
}

async function withForm<Result>(
  { context }: RelayServices,
  { request, connection, userId }: Sending,
  form: { fields: MultipartFields; names: CriticalMembers },
  use: (body: Body, boundary: string) => Promise<Result>,
): Promise<Result> {
  const { bodies, env } = context;
  const boundary = boundaryOf(request.headers.get('content-type'));
  if (boundary === undefined) throw badField(form.fields.files[0] ?? 'file', aFile);
  const owner = `user:${userId}`;
  const [hold, spool] = [bodies.open(owner), bodies.spool.open(owner)];
  try {
    const raw = await readBody({ request, connection, limit: env.MAX_REQUEST_BODY_MB * 1_000_000, hold, watch: bodies.watch, spool });
    return await use(await multipartToBody(raw.file ?? sourceOf(raw.bytes), boundary, form), boundary);
  } finally {
    hold.shrinkTo(0);
    spool.end();
  }
}

const aFile = { zh: '必须是表单（multipart/form-data）中的文件', en: 'must be a file of a form (multipart/form-data)' };

function readUpload(body: Body, allowed: readonly string[]): Omit<Upload, 'boundary'> {
  const { file: files, purpose } = body;
  const [file, second]: unknown[] = Array.isArray(files) ? files : [];
  if (!(file instanceof MultipartFile) || file.content.size === 0) throw badField('file', fieldRules.required);
  if (second !== undefined) throw badField('file', fieldRules.standsOnce);
  const { filename } = file;
  if (filename === '') throw badField('file', fieldRules.required);
  checkFilename(filename);
  if (typeof purpose !== 'string' || !allowed.includes(purpose)) throw badField('purpose', fieldRules.oneOf(allowed));
  return { file, filename, purpose, seconds: lifetimeIn(body) };
}

/** @throws {AppError} `invalid_request` */
export function checkFilename(filename: string): void {
  if (filename.length > longestName) throw badField('filename', fieldRules.longest(longestName));
  if (/\p{Cc}/u.test(filename)) throw badField('filename', fieldRules.noControls);
}

function lifetimeIn(body: Body): number | undefined {
  if (body[anchor] === undefined && body[seconds] === undefined) return undefined;
  if (body[anchor] !== 'created_at') throw badField(anchor, fieldRules.oneOf(['created_at']));
  const reported = body[seconds];
  const { least, most } = lifetimes;
  if (typeof reported !== 'number' || !Number.isInteger(reported) || reported < least || reported > most)
    throw badField(seconds, fieldRules.wholeBetween(least, most));
  return reported;
}

export function filesAreOff(path: string): AppError {
  return new AppError('verb_unknown', { path });
}
