// Writes a backup in constant memory: pages of a source, compressed into a file that appears under its name once whole.
import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { CollectionName } from '#server/db/database.ts';
import type { RowSource } from '#server/db/rows/rows.ts';
import { type BackupHeader, collectionMark, countersMark, endMark } from '#server/transfer/backup-format.ts';
import { collectionNames } from '#server/transfer/copy-rows.ts';
import type { OnProgress } from '#server/transfer/progress.ts';

/** Records of backups are about files, which a restored database may not have. */
const excluded: ReadonlySet<CollectionName> = new Set<CollectionName>(['backups']);
/**
 * Where reads do not see one moment, records that cause ledger entries are read before the ledger, so that no entry is
 * missing which they claim: the jobs that finish them repeat entries by their references. Log rows come last.
 */
const first: readonly CollectionName[] = ['processes'];
const last: readonly CollectionName[] = ['users', 'tokens', 'ledger', 'logs'];

export const backupOrder: readonly CollectionName[] = [
  ...first,
  ...collectionNames.filter((name) => !first.includes(name) && !last.includes(name) && !excluded.has(name)),
  ...last,
];

export interface WrittenBackup {
  bytes: number;
  rows: number;
  sha256: string;
}

export interface WriteOptions {
  source: RowSource;
  folder: string;
  name: string;
  header: Omit<BackupHeader, 'counts' | 'snapshot' | 'engine'>;
  onProgress: OnProgress;
  signal?: AbortSignal;
}

export async function writeBackup({ source, folder, name, onProgress, signal, ...options }: WriteOptions): Promise<WrittenBackup> {
  const counts: Record<string, number> = {};
  for (const collection of backupOrder) counts[collection] = await source.count(collection);
  const header: BackupHeader = { ...options.header, engine: source.kind, snapshot: source.isSnapshot, counts };
  const headLine = Buffer.from(`${JSON.stringify(header)}\n`);
  const hash = createHash('sha256').update(headLine);
  const file = path.join(folder, name);
  const draft = `${file}.partial`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, headLine, { flag: 'wx', mode: 0o600 });
    const written = { rows: 0, sha256: '' };
    const lines = linesOf({ source, hash, counts, onProgress, written });
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } });
    await pipeline(Readable.from(lines, { objectMode: false }), compress, createWriteStream(draft, { flags: 'a' }), { signal });
    await synced(draft);
    // A link does not replace an existing file.
    await link(draft, file);
    await synced(folder).catch(() => undefined);
    const { size } = await stat(file);
    return { bytes: size, ...written };
  } finally {
    await rm(draft, { force: true });
  }
}

interface Lines {
  source: RowSource;
  hash: Hash;
  counts: Readonly<Record<string, number>>;
  onProgress: OnProgress;
  written: { rows: number; sha256: string };
}

async function* linesOf({ source, hash, counts, onProgress, written }: Lines): AsyncGenerator<Buffer> {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const hashed = (text: string) => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    return bytes;
  };
  for (const name of backupOrder) {
    yield hashed(`${collectionMark}${name}\n`);
    for await (const rows of source.pages(name)) {
      yield hashed(rows.map(({ doc }) => `${oneLine(doc)}\n`).join(''));
      written.rows += rows.length;
      onProgress({ step: 'Writing rows', done: written.rows, all: Math.max(all, written.rows), item: name });
    }
  }
  // After all records, so that no id of theirs is drawn again.
  yield hashed(`${countersMark}${JSON.stringify(Object.fromEntries(await source.counters()))}\n`);
  written.sha256 = hash.digest('hex');
  yield Buffer.from(`${endMark}${JSON.stringify(written)}\n`);
}

/** Records are stored without line breaks; one that was written by another program is not. */
function oneLine(doc: string): string {
  return doc.includes('\n') ? JSON.stringify(JSON.parse(doc)) : doc;
}

async function synced(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
