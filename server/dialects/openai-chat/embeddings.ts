// Embeddings in the encoding and length that the client asked for, whatever the upstream made of it. The official clients
// ask for base64 unless told otherwise, and read floats as rubbish without an error.
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

/** Looks at the first vector only: all of a response are alike. */
export function needsEmbeddingsFix(text: string, request: Body): boolean {
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

/** Changes `data[].embedding`; anything that is not a vector stays as it is. */
export function fixEmbeddings(response: Record<string, unknown>, request: Body): Record<string, unknown> {
  if (!Array.isArray(response.data)) return response;
  return { ...response, data: response.data.map((row: unknown) => (isObject(row) ? fixRow(row, request) : row)) };
}

/** One of `data`. */
export function fixRow(row: JsonObject, request: Body): JsonObject {
  const vector = readVector(row.embedding);
  return vector === null ? row : { ...row, embedding: writeVector(shortened(vector, dimensionsOf(request)), request) };
}

function readVector(value: unknown): number[] | null {
  if (Array.isArray(value)) return value.every((part) => typeof part === 'number') ? value : null;
  if (typeof value !== 'string') return null;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

/** Base64 of little-endian 32-bit floats, or a list. */
function writeVector(vector: readonly number[], request: Body): string | readonly number[] {
  if (request.encoding_format !== 'base64') return vector;
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [index, part] of vector.entries()) bytes.writeFloatLE(part, index * 4);
  return bytes.toString('base64');
}

/** Cut and brought back to length 1, as OpenAI does for `dimensions`. https://platform.openai.com/docs/guides/embeddings */
function shortened(vector: number[], dimensions: number | undefined): number[] {
  if (dimensions === undefined || vector.length <= dimensions) return vector;
  const cut = vector.slice(0, dimensions);
  const length = Math.hypot(...cut);
  return length === 0 ? cut : cut.map((part) => part / length);
}

function dimensionsOf(request: Body): number | undefined {
  const { dimensions } = request;
  return typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0 ? dimensions : undefined;
}
