// Stores large bodies other than JSON on disk, in files that are unlinked at creation, so that nothing remains after
// the process.
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { AppError } from '#shared/errors.ts';
import type { ByteSource, ReadBuffer } from '#server/framing/byte-source.ts';
import { createShares, type Shares } from '#server/queues/shares.ts';

export interface Spool {
  /** Creates no file before the first write. */
  open(owner: string): SpoolFile;
  /** Bytes on disk now. */
  readonly bytes: number;
}

export interface SpoolLimits {
  /** Maximum bytes in total, and per owner. */
  all: number;
  perOwner: number;
}

export interface SpoolOptions {
  folder: string;
  limits: SpoolLimits;
  log: Pick<Logger, 'warn'>;
}

const retrySeconds = 5;

/** Removes files left by a process killed while creating one. */
export function createSpool({ folder, limits, log }: SpoolOptions): Spool {
  const shares = createShares<string>();
  let made: Promise<void> | null = null;
  // Retried after a failure, so that a repaired disk needs no restart.
  const makeFolder = () =>
    (made ??= prepare(folder).catch((failure: unknown) => {
      made = null;
      throw failure;
    }));
  return {
    open: (owner) => new SpoolFile({ folder, limits, log, shares, owner, makeFolder }),
    get bytes() {
      return shares.total;
    },
  };
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const left = (await readdir(folder)).filter((name) => name.endsWith(ending));
  await Promise.all(left.map((name) => unlink(path.join(folder, name)).catch(() => {})));
}

/**
 * Creates the folder, and writes and removes a file in it.
 * @throws the file system's error
 */
export async function tryFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${randomUUID()}${ending}`);
  await writeFile(file, 'x', { flag: 'wx', mode: 0o600 });
  await unlink(file);
}

const reasons = {
  space: { zh: '磁盘空间不足', en: 'its disk is full' },
  permission: { zh: '目录不可写', en: 'its folder cannot be written' },
  other: { zh: '磁盘写入失败', en: 'its disk failed' },
} as const;

/** Reason of a file system error, as shown to callers. */
export function failureReason(failure: unknown): (typeof reasons)[keyof typeof reasons] {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  if (['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'].includes(code)) return reasons.space;
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EEXIST'].includes(code)) return reasons.permission;
  return reasons.other;
}

const ending = '.body';

interface FileParts extends SpoolOptions {
  owner: string;
  shares: Shares<string>;
  makeFolder(): Promise<void>;
}

/** A body on disk, or on its way there. */
export class SpoolFile implements ByteSource {
  size = 0;
  readonly #parts: FileParts;
  #file: Promise<FileHandle> | null = null;
  /** Bytes counted for its owner. */
  #counted = 0;
  #holds = 0;
  #hasEnded = false;

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /**
   * Calls must not overlap.
   * @throws {AppError} `bodies_of_caller`, `bodies_of_server`, `spool_failed`
   */
  async append(chunks: readonly Buffer[], bytes: number): Promise<void> {
    const { shares, limits, owner, log } = this.#parts;
    if (!shares.fits(owner, bytes, { perOwner: limits.perOwner })) throw new AppError('bodies_of_caller', {}, { retryAfter: retrySeconds });
    if (!shares.fits(owner, bytes, { all: limits.all })) throw new AppError('bodies_of_server', {}, { retryAfter: retrySeconds });
    shares.add(owner, bytes);
    this.#counted += bytes;
    const release = this.hold();
    try {
      this.#file ??= this.#make();
      const file = await this.#file;
      // A nearly full disk writes a part and fails at the next write.
      for (let written = 0; written < bytes;) written += await writeFrom(file, { chunks, skip: written, at: this.size + written });
      this.size += bytes;
    } catch (cause) {
      log.warn({ folder: this.#parts.folder, reason: String(cause) }, 'a body could not be written to the spool (SPOOL_DIR)');
      throw new AppError('spool_failed', { reason: failureReason(cause) }, { cause, retryAfter: retrySeconds });
    } finally {
      release();
    }
  }

  async read(from: number, to: number, into?: ReadBuffer): Promise<Buffer> {
    const file = await this.#file;
    if (file === null) throw new Error('A body of the spool is read before it is written');
    const bytes = into?.take(to - from) ?? Buffer.allocUnsafeSlow(to - from);
    for (let done = 0; done < bytes.length;) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, from + done);
      if (bytesRead === 0) throw new Error('A body of the spool is shorter than it was');
      done += bytesRead;
    }
    return bytes;
  }

  hold(): () => void {
    let isHeld = true;
    this.#holds += 1;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#closeIfUnused();
    };
  }

  /** Closes the file once its last reader is done. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#hasEnded || this.#holds > 0) return;
    const { shares, owner } = this.#parts;
    const file = this.#file;
    this.#file = null;
    shares.add(owner, -this.#counted);
    this.#counted = 0;
    file?.then((handle) => handle.close()).catch(() => {});
  }

  async #make(): Promise<FileHandle> {
    await this.#parts.makeFolder();
    const name = path.join(this.#parts.folder, `${randomUUID()}${ending}`);
    const file = await open(name, 'wx+', 0o600);
    try {
      await unlink(name);
    } catch (failure) {
      // Another starting process has removed it.
      if (!isMissing(failure)) {
        await file.close();
        throw failure;
      }
    }
    return file;
  }
}

async function writeFrom(file: FileHandle, { chunks, skip, at }: { chunks: readonly Buffer[]; skip: number; at: number }): Promise<number> {
  let left = skip;
  const rest = chunks.flatMap((chunk) => {
    const taken = Math.min(left, chunk.length);
    left -= taken;
    return taken === chunk.length ? [] : [taken === 0 ? chunk : chunk.subarray(taken)];
  });
  const { bytesWritten } = await file.writev(rest, at);
  return bytesWritten;
}

function isMissing(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
}
