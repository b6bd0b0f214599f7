// A file as callers send it: a form. https://platform.openai.com/docs/api-reference/files/create
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { decidingNames } from '#server/dialects/deciding-names.ts';
import { bodyOfForm } from '#server/dialects/form-body.ts';
import { badField } from '#server/dialects/strict-fields.ts';
import type { Body } from '#server/dialects/strict-fields.ts';
import { sourceOf } from '#server/framing/byte-source.ts';
import { boundaryOf, FormFile } from '#server/framing/form-data.ts';
import { readBody } from '#server/http/read-body.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { KeptCaller } from '#server/responses/serve-caller.ts';
import { batchPurpose } from './file-store.ts';

export interface Upload {
  file: FormFile;
  filename: string;
  purpose: string;
  /** Until it goes, as its caller wants; undefined: nothing was said. */
  seconds: number | undefined;
  boundary: string;
}

const anchor = 'expires_after[anchor]';
const seconds = 'expires_after[seconds]';
const names = decidingNames(['file', 'purpose', anchor, seconds]);
const fields = { numbers: [seconds], flags: [], files: ['file'] };
/** What a prompt can name, and requests of a batch. */
const purposes = ['assistants', 'user_data', 'vision'];
const longestName = 255;
/** Seconds that the vendor takes. */
const lifetimes = { least: 3600, most: 2_592_000 };

/** Lends the upload to `use`, and holds nothing of it afterwards. @throws {AppError} as `readBody`, and `invalid_request` */
export async function withUpload<Result>(
  { context }: RelayServices,
  { request, connection, userId }: Pick<KeptCaller, 'request' | 'connection' | 'userId'>,
  use: (upload: Upload) => Promise<Result>,
): Promise<Result> {
  const { bodies, env } = context;
  const boundary = boundaryOf(request.headers.get('content-type'));
  if (boundary === undefined) throw badField('file', aFile);
  const owner = `user:${userId}`;
  const [hold, spool] = [bodies.open(owner), bodies.spool.open(owner)];
  try {
    const raw = await readBody({ request, connection, limit: env.MAX_REQUEST_BODY_MB * 1_000_000, hold, watch: bodies.watch, spool });
    const body = await bodyOfForm(raw.file ?? sourceOf(raw.bytes), boundary, { fields, names });
    const allowed = context.settings.get('BatchesPerUser') > 0 ? [...purposes, batchPurpose] : purposes;
    return await use({ ...readUpload(body, allowed), boundary });
  } finally {
    hold.shrinkTo(0);
    spool.end();
  }
}

const aFile = { zh: '必须是表单（multipart/form-data）中的文件', en: 'must be a file of a form (multipart/form-data)' };

function readUpload(body: Body, allowed: readonly string[]): Omit<Upload, 'boundary'> {
  const { file: files, purpose } = body;
  const [file, second]: unknown[] = Array.isArray(files) ? files : [];
  if (!(file instanceof FormFile) || file.content.size === 0) throw badField('file', fieldRules.required);
  if (second !== undefined) throw badField('file', fieldRules.standsOnce);
  const { filename } = file;
  if (filename === '') throw badField('file', fieldRules.required);
  if (filename.length > longestName) throw badField('filename', fieldRules.longest(longestName));
  if (/\p{Cc}/u.test(filename)) throw badField('filename', fieldRules.noControls);
  if (typeof purpose !== 'string' || !allowed.includes(purpose)) throw badField('purpose', fieldRules.oneOf(allowed));
  return { file, filename, purpose, seconds: lifetimeIn(body) };
}

function lifetimeIn(body: Body): number | undefined {
  if (body[anchor] === undefined && body[seconds] === undefined) return undefined;
  if (body[anchor] !== 'created_at') throw badField(anchor, fieldRules.oneOf(['created_at']));
  const told = body[seconds];
  const { least, most } = lifetimes;
  if (typeof told !== 'number' || !Number.isInteger(told) || told < least || told > most)
    throw badField(seconds, fieldRules.wholeBetween(least, most));
  return told;
}

export function filesAreOff(path: string): AppError {
  return new AppError('verb_unknown', { path });
}
