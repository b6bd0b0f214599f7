// Bodies that come compressed. Codecs run in the thread pool, a piece at a time; what a decoder needs for itself counts as held.
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Transform } from 'node:stream';
import { AppError } from '#shared/errors.ts';

export interface Decoder {
  name: string;
  stream: Transform;
  /** Bytes that it holds while it runs, at most. */
  memory: number;
}

/** Bytes that come out of a decoder at once. */
const chunkSize = 64 * 1024;
/** RFC 8878, 3.1.1.1.2: what every decoder must take. The format allows windows of terabytes. */
const zstdWindowLog = 23;

const decoders: Record<string, { memory: number; create(): Transform }> = {
  gzip: { memory: 128 * 1024, create: () => createGunzip({ chunkSize }) },
  deflate: { memory: 128 * 1024, create: () => createInflate({ chunkSize }) },
  br: { memory: 16 * 1024 * 1024, create: () => createBrotliDecompress({ chunkSize }) },
  zstd: {
    memory: 2 ** zstdWindowLog,
    create: () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
  },
};

/** What the hungriest decoder holds. */
export const decoderMemory = Math.max(...Object.values(decoders).map(({ memory }) => memory));

/** Null: the body is not compressed. @throws {AppError} `unsupported_encoding`, also for several at once */
export function decoderFor(header: string | undefined): Decoder | null {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  const known = Object.hasOwn(decoders, name === 'x-gzip' ? 'gzip' : name) ? decoders[name === 'x-gzip' ? 'gzip' : name] : undefined;
  if (known === undefined) throw new AppError('unsupported_encoding');
  return { name, stream: known.create(), memory: known.memory };
}
