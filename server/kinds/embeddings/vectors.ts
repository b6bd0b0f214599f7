// Vectors as lists of numbers and as base64 of little-endian 32-bit floats.

/** Returns null if the value is no vector. */
export function readVector(value: unknown): readonly number[] | null {
  if (Array.isArray(value)) return value.every((part) => typeof part === 'number') ? value : null;
  if (typeof value !== 'string') return null;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

export function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [index, part] of vector.entries()) bytes.writeFloatLE(part, index * 4);
  return bytes.toString('base64');
}

/**
 * Truncates to `dimensions` and normalizes to length 1, as OpenAI does.
 * https://platform.openai.com/docs/guides/embeddings
 */
export function shortened(vector: readonly number[], dimensions: number | undefined): readonly number[] {
  if (dimensions === undefined || vector.length <= dimensions) return vector;
  const cut = vector.slice(0, dimensions);
  const length = Math.hypot(...cut);
  return length === 0 ? cut : cut.map((part) => part / length);
}

/** Returns null if an item is no vector. */
export function readVectors(rows: unknown): readonly (readonly number[])[] | null {
  if (!Array.isArray(rows)) return null;
  const vectors = rows.map(readVector);
  return vectors.every((vector) => vector !== null) ? vectors : null;
}
