// A form as the body of a call: texts under their names, files in lists. What decides stands once, under its own name.
import { fieldRules } from '#shared/field-rules.ts';
import type { ByteSource } from '#server/framing/byte-source.ts';
import { FormFile, readForm } from '#server/framing/multipart.ts';
import type { FormPart } from '#server/framing/multipart.ts';
import { refuseAccountObject } from './provider-objects.ts';
import type { DecidingNames } from './critical-members.ts';
import { badField } from './strict-fields.ts';
import type { Body } from './strict-fields.ts';

/** What of a call's form is more than text. */
export interface FormFields {
  readonly numbers: readonly string[];
  readonly flags: readonly string[];
  /** `name`, and `name[]` where there may be several. */
  readonly files: readonly string[];
  /** What has to be known of its files before it is judged. */
  look?(body: Body): Promise<void>;
}

/** Where a body keeps what stood between the parts of its form. */
const boundaryKey = Symbol('boundary');

/** @throws {AppError} `invalid_request`, `invalid_utf8`, `account_object_refused` */
export async function bodyOfForm(
  source: ByteSource,
  boundary: string,
  { fields, names }: { fields: FormFields; names: DecidingNames },
): Promise<Record<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const { name, value } of await readForm(source, boundary)) {
    // `images[0][file_id]` is to a vendor's reader what it is in JSON.
    refuseAccountObject(name.split(/[[\].]+/).some((piece) => /^file_ids?$/i.test(piece)) ? name : undefined);
    const plain = name.replace(/\[\d*\]$/, '');
    if (fields.files.includes(plain)) {
      if (!(value instanceof FormFile)) throw badField(plain, aFile);
      const files: unknown[] = listIn(found, plain);
      files.push(value);
      continue;
    }
    const meant = names.meant(plain);
    if (meant !== undefined && meant !== name) throw badField(name, fieldRules.spelled(meant));
    if (value instanceof FormFile) throw badField(name, fieldRules.text);
    if (name.endsWith('[]')) listIn(found, name).push(value);
    else if (found.has(name)) throw badField(name, fieldRules.standsOnce);
    else found.set(name, typed(name, value, fields));
  }
  const body = formBody(Object.fromEntries(found), boundary);
  await fields.look?.(body);
  return body;
}

/** These fields as such a body. @param boundary in none of its files */
export function formBody(fields: Body, boundary: string): Record<string, unknown> {
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

/** What is none stays a text, and is refused as one. */
function typed(name: string, text: string, { numbers, flags }: FormFields): unknown {
  if (numbers.includes(name) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (flags.includes(name) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Undefined: it did not come as a form. */
export function boundaryIn(body: Body): string | undefined {
  const boundary: unknown = Reflect.get(body, boundaryKey);
  return typeof boundary === 'string' ? boundary : undefined;
}

/** The parts of such a body; the files are those that came. */
export function partsOf(body: Body): FormPart[] {
  return Object.entries(body).flatMap(([name, value]): FormPart[] => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return [{ name, value: textOf(value) }];
    const items: unknown[] = value;
    const several = items.length > 1 && items[0] instanceof FormFile ? `${name}[]` : name;
    return items.map((item) => ({ name: several, value: item instanceof FormFile ? item : textOf(item) }));
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
