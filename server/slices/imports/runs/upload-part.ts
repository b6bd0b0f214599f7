// Receives a file in parts, so that an upload of hours survives a lost connection, and proxies with a size limit let it pass.
import { open } from 'node:fs/promises';
import { AppError } from '#shared/errors.ts';
import type { ImportRun } from '#shared/imports.ts';
import type { AppContext } from '#server/context.ts';
import { failureReason } from '#server/http/spool.ts';
import { importFile, isFileHere } from './import-folder.ts';
import { presentRun, readRun } from './run-records.ts';

/** https://www.sqlite.org/fileformat2.html#magic_header_string */
const magic = Buffer.from('SQLite format 3\0');

export interface Part {
  /** Bytes before it. */
  at: number;
  bytes: AsyncIterable<Buffer>;
}

/** @throws {AppError} `not_found`, `import_part_order`, `import_file_elsewhere`, `import_not_sqlite`, `spool_failed`, and as the body */
export async function uploadPart(context: AppContext, id: number, { at, bytes }: Part): Promise<ImportRun> {
  const imports = context.db.collection('imports');
  const run = await readRun(context, id);
  if (run.source_kind !== 'file' || run.state !== 'draft' || at !== run.received) throw new AppError('import_part_order');
  if (at > 0 && !(await isFileHere(context, run.file))) throw new AppError('import_file_elsewhere');
  const file = await open(importFile(context, run.file), at === 0 ? 'w' : 'r+', 0o600);
  let size = 0;
  try {
    for await (const chunk of bytes) {
      if (at + size === 0) checkMagic(chunk);
      if (at + size + chunk.length > run.bytes) throw new AppError('import_part_order');
      await write(file, chunk, at + size);
      size += chunk.length;
    }
    if (at === 0 && size < Math.min(magic.length, run.bytes)) throw new AppError('import_not_sqlite');
    await file.datasync();
  } finally {
    await file.close();
  }
  // Of two parts from the same place, one counts.
  const next = await imports.patch({ id, state: 'draft', received: at }, { set: { received: at + size } });
  if (next === null) throw new AppError('import_part_order');
  return presentRun(context, next);
}

function checkMagic(chunk: Buffer): void {
  const length = Math.min(chunk.length, magic.length);
  if (length === 0 || !chunk.subarray(0, length).equals(magic.subarray(0, length))) throw new AppError('import_not_sqlite');
}

async function write(file: Awaited<ReturnType<typeof open>>, chunk: Buffer, at: number): Promise<void> {
  try {
    // A nearly full disk writes a part and fails at the next write.
    for (let written = 0; written < chunk.length;)
      written += (await file.write(chunk, written, chunk.length - written, at + written)).bytesWritten;
  } catch (cause) {
    throw new AppError('spool_failed', { reason: failureReason(cause) }, { cause });
  }
}
