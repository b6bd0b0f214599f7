// Parses the bytes of a body as JSON.
import { AppError } from '#shared/errors.ts';
import { placeOfFault } from '#shared/json-fault.ts';
import type { Bodies } from '#server/http/bodies.ts';
import { type BodyReading, type RawBody, readBody } from '#server/http/read-body.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** Beyond either limit, parsing takes milliseconds and is queued. */
const longBytes = 512 * 1024;
const longParts = 10_000;

/** @throws {AppError} `invalid_utf8` */
export function textOf({ bytes }: RawBody): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_utf8', {}, { cause });
  }
}

export function isLong({ bytes, parts }: RawBody): boolean {
  return bytes.length > longBytes || parts > longParts;
}

/** @throws {AppError} `body_empty`, `invalid_json` with the position, `invalid_json_long` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (text.trim() === '') throw new AppError('body_empty', {}, { cause });
    const place = placeOfFault(text, cause);
    throw place === null ? new AppError('invalid_json_long', {}, { cause }) : new AppError('invalid_json', { ...place }, { cause });
  }
}

export interface BodyText {
  text: string;
  value: unknown;
}

/**
 * Returns the text and value of a body; a promise only if it is long.
 * @param look further checks in the same step
 * @throws {AppError} `invalid_utf8`, `body_empty`, `invalid_json`, and the errors of `look`
 */
export function parseBody(raw: RawBody, bodies: Bodies, owner: string, look?: (body: BodyText) => void): BodyText | Promise<BodyText> {
  if (isLong(raw)) return parseInTurn(raw, bodies, owner, look);
  const text = textOf(raw);
  const body = { text, value: parseJson(text) };
  look?.(body);
  return body;
}

async function parseInTurn(raw: RawBody, bodies: Bodies, owner: string, look?: (body: BodyText) => void): Promise<BodyText> {
  const text = await bodies.inTurn(owner, () => textOf(raw));
  const body = { text, value: await bodies.inTurn(owner, () => parseJson(text)) };
  if (look !== undefined) await bodies.inTurn(owner, () => look(body));
  return body;
}

/**
 * Reads and parses a console call's body, and releases its memory.
 * @throws {AppError} as `readBody` and `parseBody`
 */
export async function readJson(reading: Omit<BodyReading, 'hold' | 'watch'>, bodies: Bodies, owner: string): Promise<unknown> {
  const hold = bodies.open(owner);
  try {
    const raw = await readBody({ ...reading, hold, watch: bodies.watch });
    const { text, value } = await parseBody(raw, bodies, owner);
    if (escapedSurrogate.test(text) && !isWellFormed(value)) throw new AppError('invalid_utf8');
    return value;
  } finally {
    hold.shrinkTo(0);
  }
}

const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** JSON can escape a lone surrogate, which UTF-8 cannot store: it would be read back as another text. */
function isWellFormed(value: unknown): boolean {
  // Iterative, because it is faster.
  const left = [value];
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part === 'string') {
      if (!part.isWellFormed()) return false;
    } else if (Array.isArray(part)) {
      for (const item of part) left.push(item);
    } else if (typeof part === 'object' && part !== null) {
      for (const [name, item] of Object.entries(part)) left.push(name, item);
    }
  }
  return true;
}
