// Decompresses request bodies. Codecs run in the thread pool, chunk by chunk; a decoder's memory counts as held.
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Transform } from 'node:stream';
import { AppError } from '#shared/errors.ts';

export interface Decoder {
  name: string;
  stream: Transform;
  /** Maximum bytes of memory while it runs. */
  memory: number;
}

/** Maximum bytes per output chunk. */
const chunkSize = 64 * 1024;
/** Limit that every decoder must support (RFC 8878, 3.1.1.1.2). The format allows windows of terabytes. */
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

/** Largest memory of any decoder. */
export const decoderMemory = Math.max(...Object.values(decoders).map(({ memory }) => memory));

/**
 * Returns null if the body is not compressed.
 * @throws {AppError} `unsupported_encoding`, also for several encodings
 */
export function decoderFor(header: string | undefined): Decoder | null {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  const known = Object.hasOwn(decoders, name === 'x-gzip' ? 'gzip' : name) ? decoders[name === 'x-gzip' ? 'gzip' : name] : undefined;
  if (known === undefined) throw new AppError('unsupported_encoding');
  return { name, stream: known.create(), memory: known.memory };
}
