// Reads a backup in constant memory. Nothing of it is believed before it was read to its end once: see `checkBackup`.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import type { CollectionName } from '#server/db/database.ts';
import { pageBytes, pageRows, type Row } from '#server/db/rows/rows.ts';
import {
  BackupEnd,
  BackupFileError,
  BackupHeader,
  collectionMark,
  countersMark,
  endMark,
  formatVersion,
  headerBytes,
  lineBytes,
} from '#server/transfer/backup-format.ts';
import { type CopySource, isCollection } from '#server/transfer/copy-rows.ts';
import type { OnProgress } from '#server/transfer/progress.ts';

const newline = 10;

/** @throws {BackupFileError} if the file is no backup, or of a newer format */
export async function readHeader(file: string): Promise<{ header: BackupHeader; line: Buffer }> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new BackupFileError(`${file} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  try {
    const buffer = Buffer.alloc(headerBytes);
    const { bytesRead } = await handle.read(buffer, 0, headerBytes, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(newline);
    const header = end < 0 ? undefined : BackupHeader.safeParse(parsed(buffer.toString('utf8', 0, end))).data;
    if (header === undefined) throw new BackupFileError(`${file} is not a backup of Tidegate, or its beginning is damaged`);
    if (header.tidegate_backup !== formatVersion)
      throw new BackupFileError(
        `${file} has the format ${header.tidegate_backup} of a newer version of Tidegate (known is ${formatVersion})`,
      );
    return { header, line: buffer.subarray(0, end + 1) };
  } finally {
    await handle.close();
  }
}

type Part =
  | { kind: 'collection'; name: string }
  | { kind: 'rows'; docs: string[] }
  | { kind: 'counters'; counters: Map<string, number> }
  | { kind: 'end'; rows: number };

/** @throws {BackupFileError} at the first damage; the end is only yielded if the checksum fits */
async function* partsOf(file: string): AsyncGenerator<Part> {
  const head = await readHeader(file);
  const hash = createHash('sha256').update(head.line);
  let docs: string[] = [];
  let size = 0;
  let rows = 0;
  let hasEnded = false;
  for await (const line of linesOf(file, head.line.length)) {
    if (hasEnded) throw new BackupFileError(`${file} is damaged: it continues after its end`);
    const isMark = line[0] === 35;
    const text = line.toString('utf8');
    if ((isMark || docs.length >= pageRows || size >= pageBytes) && docs.length > 0) {
      yield { kind: 'rows', docs };
      [docs, size] = [[], 0];
    }
    if (text.startsWith(endMark)) {
      const end = BackupEnd.safeParse(parsed(text.slice(endMark.length))).data;
      if (end === undefined || end.rows !== rows || end.sha256 !== hash.digest('hex'))
        throw new BackupFileError(`${file} is damaged: its checksum does not fit`);
      hasEnded = true;
      yield { kind: 'end', rows };
      continue;
    }
    hash.update(line).update('\n');
    if (!isMark) {
      docs.push(text);
      size += line.length;
      rows += 1;
    } else if (text.startsWith(collectionMark)) yield { kind: 'collection', name: text.slice(collectionMark.length) };
    else if (text.startsWith(countersMark)) yield { kind: 'counters', counters: countersIn(file, text.slice(countersMark.length)) };
    else throw new BackupFileError(`${file} is damaged: it has an unknown line`);
  }
  if (!hasEnded) throw new BackupFileError(`${file} is truncated: its end is missing`);
}

function countersIn(file: string, text: string): Map<string, number> {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw new BackupFileError(`${file} is damaged: its counters cannot be read`);
  return new Map(Object.entries(value).map(([name, count]) => [name, Number(count)]));
}

async function* linesOf(file: string, start: number): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { start });
  const decompress = createZstdDecompress();
  source.on('error', (error) => decompress.destroy(error));
  source.pipe(decompress);
  let parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decompress) {
      const bytes: Buffer = chunk;
      let from = 0;
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
        const tail = bytes.subarray(from, end);
        yield parts.length === 0 ? tail : Buffer.concat([...parts, tail]);
        [parts, size] = [[], 0];
        from = end + 1;
      }
      if (from === bytes.length) continue;
      parts.push(bytes.subarray(from));
      size += bytes.length - from;
      if (size > lineBytes) throw new BackupFileError(`${file} is damaged: a record is too long`);
    }
  } catch (cause) {
    if (cause instanceof BackupFileError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new BackupFileError(`${file} is truncated or damaged: ${message}`, { cause });
  } finally {
    source.destroy();
    decompress.destroy();
  }
  if (size > 0) throw new BackupFileError(`${file} is truncated: it ends within a record`);
}

export interface CheckedBackup {
  header: BackupHeader;
  /** Records by collection. */
  rows: ReadonlyMap<string, number>;
}

/** Reads the whole file: every record is JSON of a known shape, the end exists and the checksum fits. @throws {BackupFileError} */
export async function checkBackup(file: string, onProgress: OnProgress): Promise<CheckedBackup> {
  const { header } = await readHeader(file);
  const all = Object.values(header.counts).reduce((sum, count) => sum + count, 0);
  const rows = new Map<string, number>();
  let done = 0;
  let name = '';
  for await (const part of partsOf(file)) {
    if (part.kind === 'collection') ({ name } = part);
    if (part.kind !== 'rows') continue;
    rows.set(name, (rows.get(name) ?? 0) + part.docs.length);
    for (const doc of part.docs) rowOf(file, doc);
    done += part.docs.length;
    onProgress({ step: 'Checking the backup', done, all: Math.max(all, done) });
  }
  return { header, rows };
}

function rowOf(file: string, doc: string): Row {
  const record = parsed(doc);
  const id: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, 'id') : undefined;
  if (typeof id !== 'number' && typeof id !== 'string') throw new BackupFileError(`${file} is damaged: a record has no id`);
  return { id, doc };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface BackupSource extends CopySource {
  /** Collections in the order of the file, which is the only order of reading. */
  names: readonly CollectionName[];
  /** Reads to the end, which proves the checksum. @throws {BackupFileError} */
  counters(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** Source of a restore. Collections that this version no longer has are skipped. */
export async function openBackup(file: string): Promise<BackupSource> {
  const { header } = await readHeader(file);
  const parts = partsOf(file);
  let current: string | undefined;
  let counters: ReadonlyMap<string, number> = new Map();
  let isAtEnd = false;

  async function next(): Promise<Part | undefined> {
    const result = await parts.next();
    if (result.done === true) return undefined;
    if (result.value.kind === 'collection') current = result.value.name;
    if (result.value.kind === 'counters') ({ counters } = result.value);
    isAtEnd ||= result.value.kind === 'end';
    return result.value;
  }

  return {
    names: Object.keys(header.counts).filter(isCollection),
    count: async (name) => header.counts[name] ?? 0,
    async *pages(name) {
      while (current !== name) if ((await next()) === undefined) return;
      for (let part = await next(); part?.kind === 'rows'; part = await next()) yield part.docs.map((doc) => rowOf(file, doc));
    },
    async counters() {
      while (!isAtEnd) if ((await next()) === undefined) break;
      return counters;
    },
    async close() {
      await parts.return(undefined);
    },
  };
}
