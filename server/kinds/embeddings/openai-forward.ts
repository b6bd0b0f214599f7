// Returns embeddings in the encoding and length that the client requested, whatever the upstream returned. The official
// clients default to base64 and misread floats without an error. A long response is never parsed as a whole: short
// members are parsed, vectors are read row by row.
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import { outlineOf, type Span } from '#server/framing/json-outline.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsForward, ForwardedEmbeddings, LongEmbeddings } from './embeddings-parts.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { readVector, shortened, toBase64 } from './vectors.ts';

type Body = Readonly<Record<string, unknown>>;

/** Bytes within which the first vector ends. */
const headBytes = 1024 * 1024;
/** Maximum bytes of a vector. */
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
  // `responses` of the provider's record changes more than vectors.
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

/** Checks the first vector only; all of a response are alike. */
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

/** Fixes one row of `data`. */
function fixRow(row: JsonObject, request: Body): JsonObject {
  const vector = readVector(row.embedding);
  return vector === null ? row : { ...row, embedding: writeVector(vector, request) };
}

/** Writes a vector in the requested length and encoding. */
export function writeVector(vector: readonly number[], request: Body): string | readonly number[] {
  const cut = shortened(vector, dimensionsOf(request));
  return request.encoding_format === 'base64' ? toBase64(cut) : cut;
}

function dimensionsOf({ dimensions }: Body): number | undefined {
  return typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0 ? dimensions : undefined;
}

/** Returns null if a list item is no row. */
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
