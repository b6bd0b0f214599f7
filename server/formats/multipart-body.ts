// Reads a multipart form as the body of a call: texts by name, files in lists. Fields that affect billing must occur once,
// under their exact name.
import { fieldRules } from '#shared/field-rules.ts';
import type { ByteSource } from '#server/framing/byte-source.ts';
import { MultipartFile, type MultipartPart, readMultipart } from '#server/framing/multipart.ts';
import { refuseAccountObject } from './provider-objects.ts';
import type { CriticalMembers } from './critical-members.ts';
import { badField, type Body } from '#server/framing/strict-fields.ts';

/** Fields of a call's form that are not plain text. */
export interface MultipartFields {
  readonly numbers: readonly string[];
  readonly flags: readonly string[];
  /** Names of file fields: `name`, and `name[]` if several files are allowed. */
  readonly files: readonly string[];
  /** Inspects the files before the body is validated. */
  look?(body: Body): Promise<void>;
}

/** Symbol under which a body stores the boundary of its form. */
const boundaryKey = Symbol('boundary');

/** @throws {AppError} `invalid_request`, `invalid_utf8`, `account_object_refused` */
export async function multipartToBody(
  source: ByteSource,
  boundary: string,
  { fields, names }: { fields: MultipartFields; names: CriticalMembers },
): Promise<Record<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const { name, value } of await readMultipart(source, boundary)) {
    // Vendors parse `images[0][file_id]` like JSON.
    refuseAccountObject(name.split(/[[\].]+/).some((piece) => /^file_ids?$/i.test(piece)) ? name : undefined);
    const plain = name.replace(/\[\d*\]$/, '');
    if (fields.files.includes(plain)) {
      if (!(value instanceof MultipartFile)) throw badField(plain, aFile);
      const files: unknown[] = listIn(found, plain);
      files.push(value);
      continue;
    }
    const intended = names.intended(plain);
    if (intended !== undefined && intended !== name) throw badField(name, fieldRules.spelled(intended));
    if (value instanceof MultipartFile) throw badField(name, fieldRules.text);
    if (name.endsWith('[]')) listIn(found, name).push(value);
    else if (found.has(name)) throw badField(name, fieldRules.standsOnce);
    else found.set(name, typed(name, value, fields));
  }
  const body = multipartBody(Object.fromEntries(found), boundary);
  await fields.look?.(body);
  return body;
}

/**
 * Returns fields as a form body.
 * @param boundary boundary, which must not occur in the files
 */
export function multipartBody(fields: Body, boundary: string): Record<string, unknown> {
  return { ...fields, [boundaryKey]: boundary };
}

const aFile = { zh: '必须是文件', en: 'must be a file' };

function listIn(found: Map<string, unknown>, name: string): unknown[] {
  const list: unknown = found.get(name);
  if (Array.isArray(list)) return list;
  const made: unknown[] = [];
  found.set(name, made);
  return made;
}

/** Converts the text of a field to its type. Invalid values remain texts and fail validation. */
function typed(name: string, text: string, { numbers, flags }: MultipartFields): unknown {
  if (numbers.includes(name) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (flags.includes(name) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Returns the boundary of a form body; undefined for other bodies. */
export function boundaryIn(body: Body): string | undefined {
  const boundary: unknown = Reflect.get(body, boundaryKey);
  return typeof boundary === 'string' ? boundary : undefined;
}

/** Returns the parts of a form body, files unchanged. */
export function partsOf(body: Body): MultipartPart[] {
  return Object.entries(body).flatMap(([name, value]): MultipartPart[] => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return [{ name, value: textOf(value) }];
    const items: unknown[] = value;
    const several = items.length > 1 && items[0] instanceof MultipartFile ? `${name}[]` : name;
    return items.map((item) => ({ name: several, value: item instanceof MultipartFile ? item : textOf(item) }));
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
