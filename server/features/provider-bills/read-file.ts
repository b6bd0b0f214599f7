// Reads an uploaded bill piece by piece: a table of a known format, a table by a remembered mapping, or JSON.
import type { DecimalSign } from '#shared/bill-amounts.ts';
import { type ColumnsOfFields, findHeader, fitsMapping, mostRowsBefore } from '#shared/bill-formats.ts';
import { CsvError, type CsvLine, CsvReader } from '#shared/csv-reader.ts';
import type { BillImportFailure } from '#shared/provider-bills.ts';
import type { BillTerms, RowResult } from './entries.ts';
import { parseExact, rowsOfJson } from './read-json.ts';
import { mappedReader, type RowReader, tableReader } from './read-table.ts';

/** A row's line in the file, and what it says. */
export interface FileRow {
  line: number;
  result: RowResult;
}

export interface Mapping {
  name: string;
  columns: ColumnsOfFields;
  decimal: DecimalSign;
}

export interface FileReading {
  terms: BillTerms;
  mappings: readonly Mapping[];
  /** Name of the requested mapping; if undefined, the header determines the format. */
  chosen?: string | undefined;
  onFormat(format: string): void;
}

/** The whole file cannot be read. */
export class BillFileError extends Error {
  readonly code: BillImportFailure;
  constructor(code: BillImportFailure, text = '') {
    super(text);
    this.name = 'BillFileError';
    this.code = code;
  }
}

/** JSON that is one value is parsed at once. Lines of JSON, one for each row, may be any number. */
const largestJson = 32 * 1024 * 1024;
const longestJsonLine = 1024 * 1024;
const rowsAtOnce = 500;

/** @throws {BillFileError} */
export async function* readBillFile(parts: AsyncIterable<Uint8Array>, reading: FileReading): AsyncGenerator<FileRow[]> {
  const texts = decoded(parts);
  let head = '';
  for (;;) {
    const { value, done } = await texts.next();
    if (done === true) break;
    head += value;
    if (value.trim() !== '') break;
    if (head.length > longestJsonLine) throw new BillFileError('empty');
  }
  if (head.trim() === '') throw new BillFileError('empty');
  const rest = before(head, texts);
  yield* inPages(/^\s*[[{]/.test(head) ? jsonRows(rest, reading) : tableRows(rest, reading));
}

async function* before(head: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* texts;
}

/** UTF-8, or UTF-16 with its mark, as spreadsheets save it. */
async function* decoded(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let held: Buffer = Buffer.alloc(0);
  try {
    for await (const part of parts) {
      held = held.length === 0 ? Buffer.from(part) : Buffer.concat([held, part]);
      if (decoder === undefined && held.length < 3) continue;
      decoder ??= new TextDecoder(encodingOf(held), { fatal: true });
      yield decoder.decode(held, { stream: true });
      held = Buffer.alloc(0);
    }
    decoder ??= new TextDecoder(encodingOf(held), { fatal: true });
    yield decoder.decode(held);
  } catch (cause) {
    if (cause instanceof TypeError) throw new BillFileError('encoding');
    throw cause;
  }
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

async function* inPages(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let page: FileRow[] = [];
  for await (const row of rows) {
    if (page.push(row) < rowsAtOnce) continue;
    yield page;
    page = [];
  }
  yield page;
}

async function* tableRows(texts: AsyncIterable<string>, reading: FileReading): AsyncGenerator<FileRow> {
  let read: RowReader | undefined;
  const first: CsvLine[] = [];
  const begin = function* (row: CsvLine): Generator<FileRow> {
    if (read !== undefined) yield { line: row.line, result: read(row.cells) };
    else {
      first.push(row);
      read = readerFor(row, reading);
      if (read === undefined && first.length > mostRowsBefore) throw unknownFormat(first);
    }
  };
  const reader = new CsvReader();
  try {
    for await (const text of texts) for (const row of reader.push(text)) yield* begin(row);
    for (const row of reader.end()) yield* begin(row);
  } catch (cause) {
    if (cause instanceof CsvError) throw new BillFileError('csv', String(cause.line));
    throw cause;
  }
  if (read === undefined) throw unknownFormat(first);
}

function readerFor(row: CsvLine, { terms, mappings, chosen, onFormat }: FileReading): RowReader | undefined {
  if (chosen !== undefined) {
    const mapping = mappings.find(({ name, columns }) => name === chosen && fitsMapping(row.cells, columns));
    if (mapping !== undefined) onFormat(mapping.name);
    return mapping && mappedReader(mapping, row.cells, terms);
  }
  const found = findHeader([row], mappings);
  if (found === undefined) return undefined;
  if ('mapping' in found) {
    onFormat(found.mapping);
    const mapping = mappings.find(({ name }) => name === found.mapping);
    return mapping && mappedReader(mapping, row.cells, terms);
  }
  onFormat(found.format);
  const reader = tableReader(found.format, row.cells, terms);
  if (reader === undefined) throw new BillFileError('zone');
  return reader;
}

/** The text has the first row's columns. */
function unknownFormat([first]: readonly CsvLine[]): BillFileError {
  return new BillFileError('unknown_format', (first?.cells ?? []).slice(0, 20).join(', ').slice(0, 400));
}

async function* jsonRows(texts: AsyncIterable<string>, reading: FileReading): AsyncGenerator<FileRow> {
  let line = 1;
  let byLines: boolean | undefined;
  /** Text without a line break, or one value in the pieces in which it came. */
  let held: string[] = [];
  let length = 0;
  for await (const text of texts) {
    let from = 0;
    for (let end = byLines === false ? -1 : text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const one = [...held, text.slice(from, end)].join('').trim();
      const value = one === '' ? undefined : parseExact(one);
      // The first line of one value is not whole.
      byLines ??= one === '' ? undefined : value !== undefined && !Array.isArray(value);
      if (byLines === false) break;
      [held, length, from] = [[], 0, end + 1];
      if (one !== '') yield* rowsOf(value, line, reading);
      line += 1;
    }
    held.push(text.slice(from));
    length += text.length - from;
    if (byLines === true && length > longestJsonLine) throw new BillFileError('json', String(line));
    if (length > largestJson) throw new BillFileError('too_large');
  }
  const rest = held.join('');
  if (rest.trim() !== '') yield* rowsOf(parseExact(rest), line, reading);
}

function* rowsOf(value: unknown, line: number, { terms, onFormat }: FileReading): Generator<FileRow> {
  if (value === undefined) throw new BillFileError('json', String(line));
  const found = rowsOfJson(value);
  if (found === undefined) throw new BillFileError('unknown_format');
  onFormat(found.format);
  if (found.format !== 'google_json' && !terms.isUtc) throw new BillFileError('zone');
  let count = 0;
  for (const row of found.rows) {
    // Rows of one value are numbered, because their lines are not known.
    yield { line: line + count, result: row(terms) };
    count += 1;
  }
}
