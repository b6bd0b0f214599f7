import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { promisify } from 'node:util';
import { AppError } from '#shared/errors.ts';

/** Bytes that are read beyond the limit for the sake of a clean answer. */
const mostDropped = 64 * 1024 * 1024;

const decoders = { gzip: promisify(gunzip), br: promisify(brotliDecompress), deflate: promisify(inflate) };

/**
 * The whole body as text, decompressed, never more than `limit` bytes.
 * @throws {AppError} `body_too_large`, `unsupported_encoding`, `broken_encoding`, `invalid_utf8`
 */
export async function readText(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limit) throw new AppError('body_too_large', { limit });
  let bytes: Uint8Array = await readBytes(request, limit);
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') bytes = await decode(bytes, encoding, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_utf8', {}, { cause });
  }
}

/** @throws {AppError} as `readText`, and `invalid_json` */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  const value = parseJson(text);
  if (escapedSurrogate.test(text) && !isWellFormed(value)) throw new AppError('invalid_utf8');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_json', {}, { cause });
  }
}

const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** JSON can escape half a character, which no UTF-8 text holds: stored and read back it would be another text. */
function isWellFormed(value: unknown): boolean {
  // Not recursive: a body may be nested deeper than the stack.
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

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      void dropRest(reader);
      throw new AppError('body_too_large', { limit });
    }
    chunks.push(value);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

/** Cancelling would cut the connection before the client has read why: what still comes is read and dropped, within reason. */
async function dropRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let size = 0;
    while (size < mostDropped) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client has gone.
  }
}

async function decode(bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  if (encoding !== 'gzip' && encoding !== 'br' && encoding !== 'deflate') throw new AppError('unsupported_encoding');
  try {
    return await decoders[encoding](bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (cause instanceof RangeError) throw new AppError('body_too_large', { limit }, { cause });
    throw new AppError('broken_encoding', { encoding }, { cause });
  }
}
