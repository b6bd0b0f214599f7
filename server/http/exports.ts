// Files that are written as they are read: a few at a time for each account, and only while their reader has access.
import { AppError } from '#shared/errors.ts';
import { Download } from './call.ts';
import type { RouteHost } from './mount.ts';
import { mayStillRead, type StreamReader } from './reader-rights.ts';

/** Of one account at a time; each holds a page. */
const mostExports = 2;

const lines = 'application/x-ndjson; charset=utf-8';
const fileTypes = { csv: 'text/csv; charset=utf-8', json: lines, jsonl: lines } as const;

export interface ExportedFile {
  fileName: string;
  format: keyof typeof fileTypes;
  /** Begun when the file is read. The rights of the reader are checked before each part, also an empty one. */
  parts(): AsyncIterable<string>;
}

/** Returns the download of a file. @throws {AppError} `exports_running` */
export type OpenExport = (reader: StreamReader, file: ExportedFile) => Download;

export function createExports(host: RouteHost): OpenExport {
  /** Running exports by user. */
  const running = new Map<number, number>();
  const change = (userId: number, by: number): void => {
    const count = (running.get(userId) ?? 0) + by;
    if (count > 0) running.set(userId, count);
    else running.delete(userId);
  };

  async function* write(reader: StreamReader, { parts }: ExportedFile): AsyncGenerator<string> {
    change(reader.userId, 1);
    try {
      for await (const part of parts()) {
        // A file that lacks its end is not taken for a whole one: its connection is cut.
        if (!(await mayStillRead(host, reader))) throw new AppError('not_logged_in');
        if (part !== '') yield part;
      }
    } finally {
      change(reader.userId, -1);
    }
  }

  return (reader, file) => {
    if ((running.get(reader.userId) ?? 0) >= mostExports) throw new AppError('exports_running', {}, { retryAfter: 5 });
    return new Download({ type: fileTypes[file.format], fileName: file.fileName, parts: write(reader, file) });
  };
}
