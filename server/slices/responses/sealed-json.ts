// JSON at rest: encrypted, and split into pieces that fit a record.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppContext } from '#server/context.ts';
import { PiecedBody } from '#server/framing/byte-source.ts';
import { freeBytes } from '#server/framing/free-bytes.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import { jsonSize, type PartBudget } from '#server/framing/part-budget.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { measured } from '#server/objects/long-bodies.ts';

type Sealing = Pick<AppContext, 'secrets' | 'bodies'>;

/**
 * Bytes of JSON in a piece; sealing adds a third. MongoDB's limit is 16 MB, and one step of the event loop seals
 * several. Texts above a megabyte are stored outside V8's heap until a full collection.
 */
const pieceBytes = 700_000;
/** Characters from which texts are not copied when written. */
const leastApart = 4 * 1024;
/** Longer texts are processed in turn with other long work. */
export const longCharacters = 256 * 1024;
/** Milliseconds of work before yielding to the event loop. */
const stepMs = 5;

/** Memory hold for stored JSON that is read, and the budget that counts its parts before parsing. */
export interface Reading {
  hold: BodyHold;
  budget: PartBudget;
}

/** Serialized JSON to store; long JSON is in pieces. */
export interface WrittenJson {
  body: Buffer | PiecedBody;
  bytes: number;
  parts: number;
}

/**
 * Serializes a value for the store.
 * @param value parsed JSON, or an object built for writing
 */
export async function writeToStore(value: unknown): Promise<WrittenJson> {
  const texts = new LongTexts(undefined, leastApart);
  const json = texts.write(value);
  const body = texts.bytes(json);
  if (texts.length > longCharacters) await measured(body);
  return { body, bytes: body instanceof PiecedBody ? body.size : body.length, parts: jsonSize(json).parts };
}

/**
 * Seals each piece separately; returns at least one.
 * @param owner owner key of long work
 */
export async function sealJson(sealing: Sealing, owner: string, text: string): Promise<[string, ...string[]]> {
  const [first, ...more] = await Array.fromAsync(sealPieces(sealing, owner, Buffer.from(text)));
  if (first === undefined) throw new Error('Nothing was sealed');
  return [first, ...more];
}

/** Yields sealed pieces one by one, so that writers hold little memory. */
export async function* sealPieces({ secrets, bodies }: Sealing, owner: string, body: Buffer | PiecedBody): AsyncGenerator<string> {
  for await (const piece of cutPieces(body)) {
    const seal = () => secrets.encrypt(piece.toString('utf8'), 'kept_json');
    yield piece.length > longCharacters ? await bodies.inTurn(owner, seal) : seal();
  }
}

/** Splits a body into pieces, between characters. */
async function* cutPieces(body: Buffer | PiecedBody): AsyncGenerator<Buffer> {
  let stored: Buffer[] = [];
  let size = 0;
  const read = body instanceof PiecedBody ? body.open() : [body];
  for await (const bytes of read) {
    for (let from = 0; from < bytes.length;) {
      const taken = bytes.subarray(from, from + pieceBytes - size);
      // The buffer of a piece is reused.
      stored.push(body instanceof PiecedBody ? Buffer.from(taken) : taken);
      [from, size] = [from + taken.length, size + taken.length];
      if (size < pieceBytes) continue;
      const whole = Buffer.concat(stored);
      const end = wholeCharacters(whole);
      const rest = Buffer.from(whole.subarray(end));
      yield whole.subarray(0, end);
      if (body instanceof PiecedBody) for (const one of [whole, ...stored]) freeBytes(one);
      [stored, size] = [[rest], rest.length];
    }
  }
  yield stored.length === 1 ? (stored[0] ?? Buffer.alloc(0)) : Buffer.concat(stored);
}

/** Returns the number of bytes before a character that may continue in the next piece. */
function wholeCharacters(bytes: Buffer): number {
  let end = bytes.length - 1;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return (bytes[end] ?? 0) < 0x80 ? bytes.length : end;
}

/**
 * Opens a text that `sealJson` has sealed in pieces.
 * @param more further pieces, read while opening
 */
export async function openText(
  sealing: Sealing,
  owner: string,
  pieces: readonly string[],
  more: AsyncIterable<string> | readonly string[] = [],
): Promise<string> {
  const opened: string[] = [];
  /** Earlier versions sealed the whole text and then split it. */
  let cut: string[] | undefined;
  for await (const piece of inOrder(pieces, more)) {
    if (cut !== undefined) {
      cut.push(piece);
      continue;
    }
    try {
      opened.push(await openPiece(sealing, owner, piece));
    } catch (failure) {
      if (opened.length > 0) throw failure;
      cut = [piece];
    }
  }
  if (cut !== undefined) return openPiece(sealing, owner, cut.join(''));
  return opened.length === 1 ? (opened[0] ?? '') : opened.join('');
}

async function* inOrder(first: readonly string[], more: AsyncIterable<string> | readonly string[]): AsyncGenerator<string> {
  yield* first;
  yield* more;
}

async function openPiece({ secrets, bodies }: Sealing, owner: string, sealed: string): Promise<string> {
  const open = () => secrets.decrypt(sealed, 'kept_json');
  return sealed.length > longCharacters ? await bodies.inTurn(owner, open) : open();
}

/**
 * Parses opened JSON, in turn with other long work if long.
 * @param budget counts parts before parsing; undefined if the size was limited when written
 * @throws {AppError} the budget's errors
 */
export async function parseStored({ bodies }: Pick<Sealing, 'bodies'>, owner: string, text: string, budget?: PartBudget): Promise<unknown> {
  const parse = (): unknown => JSON.parse(text);
  if (text.length <= longCharacters) {
    budget?.takeText(text);
    return parse();
  }
  if (budget !== undefined) await bodies.inTurn(owner, () => budget.takeText(text));
  return bodies.inTurn(owner, parse);
}

/**
 * Opens and parses the result of `sealJson`.
 * @throws {AppError} as `parseStored`
 */
export async function openJson(sealing: Sealing, owner: string, pieces: readonly string[], budget?: PartBudget): Promise<unknown> {
  return parseStored(sealing, owner, await openText(sealing, owner, pieces), budget);
}

/** Returns a function to call between short pieces of work; it yields to the event loop after some time. */
export function createPauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < stepMs) return;
    await nextTurn();
    since = performance.now();
  };
}
