// Reads requests about stores and their files strictly. https://platform.openai.com/docs/api-reference/vector-stores
import { fieldRules } from '#shared/field-rules.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';

/**
 * The vendor's limit per request: https://platform.openai.com/docs/api-reference/vector-stores-file-batches/createBatch
 */
const mostFiles = 2000;
const mostExpiryDays = 365;
const chunk = { least: 100, most: 4096, usual: 800, overlap: 400 };
/** Limits of a file's attributes. */
const mostPairs = 16;
const longestKey = 64;
const longestValue = 512;
/** Bytes of a chunk's vector, and of a token. */
const vectorBytes = 1024;
const tokenBytes = 4;

/** Chunking of files. */
export interface Chunking {
  /** Strategy sent to the provider; undefined for its default. */
  reported: object | undefined;
  /** Bytes of a store per byte of a file, with a margin. */
  factor: number;
}

/** @throws {AppError} `invalid_request` for fields outside `known` */
export function strictFields(body: unknown, known: ReadonlySet<string>): StrictFields {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  const other = Object.keys(body).find((name) => !known.has(name));
  if (other !== undefined) throw badField(other.slice(0, 100).replace(/\p{Cc}/gu, '?'), fieldRules.invalid);
  return new StrictFields(body);
}

export function shortText(fields: StrictFields, field: string, longest: number): string {
  const text = fields.text(field) ?? '';
  if (text.length > longest) throw badField(fields.path(field), fieldRules.longest(longest));
  if (!text.isWellFormed() || text.includes('\0')) throw badField(fields.path(field), fieldRules.characters);
  return text;
}

/** Days after the last use; 0 for no expiry. */
export function expiryIn(fields: StrictFields): number {
  const reported = fields.fields('expires_after');
  if (reported === undefined) return 0;
  if (reported.text('anchor') !== 'last_active_at') throw badField(reported.path('anchor'), fieldRules.oneOf(['last_active_at']));
  const days = reported.integer('days', 1, mostExpiryDays);
  if (days === undefined) throw badField(reported.path('days'), fieldRules.required);
  return days;
}

export function chunkingIn(fields: StrictFields): Chunking {
  const reported = fields.fields('chunking_strategy');
  if (reported === undefined) return { reported: undefined, factor: factorOf(chunk.usual, chunk.overlap) };
  if (reported.oneOf('type', ['auto', 'static']) === 'auto')
    return { reported: { type: 'auto' }, factor: factorOf(chunk.usual, chunk.overlap) };
  const sizes = reported.fields('static');
  if (sizes === undefined) throw badField(reported.path('static'), fieldRules.required);
  const size = sizes.integer('max_chunk_size_tokens', chunk.least, chunk.most);
  if (size === undefined) throw badField(sizes.path('max_chunk_size_tokens'), fieldRules.required);
  const overlap = sizes.integer('chunk_overlap_tokens', 0, Math.floor(size / 2));
  if (overlap === undefined) throw badField(sizes.path('chunk_overlap_tokens'), fieldRules.required);
  const strategy = { type: 'static', static: { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap } };
  return { reported: strategy, factor: factorOf(size, overlap) };
}

function factorOf(size: number, overlap: number): number {
  return Math.ceil((size + vectorBytes / tokenBytes) / (size - overlap)) + 1;
}

export function fileNames(fields: StrictFields): string[] {
  const names = fields.list('file_ids') ?? [];
  if (names.length > mostFiles) throw badField(fields.path('file_ids'), fieldRules.most(mostFiles));
  return names.map((name, index) => {
    if (typeof name !== 'string') throw badField(fields.path(`file_ids.${index}`), fieldRules.text);
    return name;
  });
}

/** Undefined if absent; null to remove all. */
export function attributesIn(fields: StrictFields): Body | null | undefined {
  if (fields.plain['attributes'] === null) return null;
  const reported = fields.object('attributes');
  if (reported === undefined) return undefined;
  const pairs = Object.entries(reported);
  const path = fields.path('attributes');
  if (pairs.length > mostPairs) throw badField(path, fieldRules.most(mostPairs));
  for (const [name, value] of pairs) {
    if (name.length > longestKey) throw badField(path, fieldRules.longest(longestKey));
    if (!isScalar(value)) throw badField(path, fieldRules.scalar);
    if (typeof value === 'string' && value.length > longestValue) throw badField(path, fieldRules.longest(longestValue));
  }
  return reported;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

export interface StoreFileRequest {
  name: string;
  attributes: Body | null | undefined;
  chunking: Chunking;
}

const ofFile = new Set(['file_id', 'attributes', 'chunking_strategy']);
const ofBatch = new Set(['file_ids', 'files', 'attributes', 'chunking_strategy']);

export function readFileRequest(body: unknown): StoreFileRequest {
  return fileIn(strictFields(body, ofFile));
}

function fileIn(fields: StrictFields): StoreFileRequest {
  return { name: fields.requiredText('file_id'), attributes: attributesIn(fields), chunking: chunkingIn(fields) };
}

/** Files of a batch, each with the shared or its own fields. */
export function readBatchRequest(body: unknown): StoreFileRequest[] {
  const fields = strictFields(body, ofBatch);
  const list = fields.objects('files');
  const names = fileNames(fields);
  if (list.length > 0 && names.length > 0) throw badField('files', besideNames);
  if (list.length === 0 && names.length === 0) throw badField('file_ids', fieldRules.required);
  if (list.length > mostFiles) throw badField('files', fieldRules.most(mostFiles));
  if (list.length > 0) return list.map((one) => fileIn(strictFieldsAt(one)));
  const all = { attributes: attributesIn(fields), chunking: chunkingIn(fields) };
  return names.map((name) => ({ name, ...all }));
}

const besideNames = { zh: '不能与 file_ids 同时给出', en: 'cannot be given together with file_ids' };

function strictFieldsAt(fields: StrictFields): StrictFields {
  const [other] = fields.others(ofFile);
  if (other !== undefined) throw badField(fields.path(other.slice(0, 100).replace(/\p{Cc}/gu, '?')), fieldRules.invalid);
  return fields;
}
