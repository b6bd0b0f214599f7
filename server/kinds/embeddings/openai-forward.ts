// Embeddings in the encoding and length that the client asked for, whatever the upstream made of it. The official clients
// ask for base64 unless told otherwise, and read floats as rubbish without an error. A long response is never parsed as a whole:
// what must be known of it stands in its short members, and vectors are read row by row.
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import { outlineOf } from '#server/framing/json-outline.ts';
import type { Span } from '#server/framing/json-outline.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsForward, ForwardedEmbeddings, LongEmbeddings } from './embeddings-parts.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { readVector, shortened, toBase64 } from './vectors.ts';

type Body = Readonly<Record<string, unknown>>;

/** Where the first vector ends, as long as vectors are. */
const headBytes = 1024 * 1024;
/** No vector is longer. */
const longestRow = 4 * 1024 * 1024;

export const openaiForward: EmbeddingsForward = { whole: forwardWhole, long: forwardLong };

function forwardWhole(input: DecodeInput, text: string, reported: Body): ForwardedEmbeddings | null {
  const usage = readPromptUsage(reported['usage']);
  if (!Array.isArray(reported['data']) || usage === undefined) return null;
  const { responseFields } = input;
  const isRenamed = input.route.provider.responses?.tunedModel === true;
  const isFixed = needsFix(text, responseFields);
  const rows: readonly unknown[] = reported['data'];
  const isEmpty = rows.length === 0;
  if (!isFixed && !isRenamed) return { usage, isEmpty, body: input.body };
  const data = isFixed ? rows.map((row) => (isObject(row) ? fixRow(row, responseFields) : row)) : rows;
  const body = { ...reported, data, ...(isRenamed ? { model: input.upstreamModel } : {}) };
  return { usage, isEmpty, body: Buffer.from(JSON.stringify(body)) };
}

function* forwardLong(input: DecodeInput): Generator<void, LongEmbeddings | null> {
  const { body, responseFields, route } = input;
  const read = yield* outlineOf(body, 'data');
  if (read === null || read.isDeep) return null;
  const { text: outline, rows } = read;
  const short = readAtOnce({ ...input, body: Buffer.from(outline) });
  if (short === null) return { outline, forwarded: null };
  // The provider's record changes more of it than vectors.
  if (route.provider.responses?.tunedModel === true) return { outline, forwarded: readAtOnce(input) };
  if (!needsFix(body.toString('utf8', 0, headBytes), responseFields)) return { outline, forwarded: { ...short, body } };
  const fixed = yield* fixRows(body, rows, responseFields);
  return { outline, forwarded: fixed === null ? null : { ...short, body: fixed } };
}

function readAtOnce(input: DecodeInput): ForwardedEmbeddings | null {
  const text = input.body.toString('utf8');
  const reported = parseObject(text);
  return reported === null ? null : forwardWhole(input, text, reported);
}

/** Looks at the first vector only: all of a response are alike. */
function needsFix(text: string, request: Body): boolean {
  const first = /"embedding"\s*:\s*(?:(\[)|")/.exec(text);
  if (first === null) return false;
  const isList = first[1] !== undefined;
  if (isList === (request.encoding_format === 'base64')) return true;
  const wanted = dimensionsOf(request);
  if (wanted === undefined) return false;
  const start = first.index + first[0].length;
  const vector = text.slice(start, text.indexOf(isList ? ']' : '"', start));
  return (isList ? vector.split(',').length : Buffer.byteLength(vector, 'base64') / 4) > wanted;
}

/** One of `data`. */
function fixRow(row: JsonObject, request: Body): JsonObject {
  const vector = readVector(row.embedding);
  return vector === null ? row : { ...row, embedding: writeVector(vector, request) };
}

/** In the length and the encoding that the request asks for. */
export function writeVector(vector: readonly number[], request: Body): string | readonly number[] {
  const cut = shortened(vector, dimensionsOf(request));
  return request.encoding_format === 'base64' ? toBase64(cut) : cut;
}

function dimensionsOf({ dimensions }: Body): number | undefined {
  return typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0 ? dimensions : undefined;
}

/** Null: there is something in the list that is no row. */
function* fixRows(body: Buffer, rows: readonly Span[], request: Body): Generator<void, Buffer | null> {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { start, end } of rows) {
    const row = end - start > longestRow ? null : parseObject(body.toString('utf8', start, end));
    if (row === null) return null;
    pieces.push(body.subarray(copied, start), Buffer.from(JSON.stringify(fixRow(row, request))));
    copied = end;
    yield;
  }
  pieces.push(body.subarray(copied));
  return Buffer.concat(pieces);
}
