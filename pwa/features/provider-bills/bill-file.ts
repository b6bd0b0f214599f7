// What a file is, before it is uploaded: its format, the mapping that fits it, or its columns.
import { type ColumnsOfFields, findHeader, mostRowsBefore } from '#shared/bill-formats.ts';
import { CsvError, CsvReader } from '#shared/csv-reader.ts';

export type FileKind =
  | { kind: 'known'; format: string }
  | { kind: 'mapped'; mapping: string }
  /** A table of no known format: `columns` of its first row, and an example of each. */
  | { kind: 'table'; columns: string[]; example: string[] }
  | { kind: 'json' }
  | { kind: 'unreadable' };

/** Bytes at the beginning that are looked at. */
const lookedAt = 64 * 1024;

export async function kindOfFile(file: Blob, mappings: readonly { name: string; columns: ColumnsOfFields }[]): Promise<FileKind> {
  const bytes = new Uint8Array(await file.slice(0, lookedAt).arrayBuffer());
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  if (/^\s*[[{]/.test(text)) return { kind: 'json' };
  const rows = rowsOf(text, file.size <= lookedAt);
  const [first, second] = rows;
  if (first === undefined) return { kind: 'unreadable' };
  const found = findHeader(rows.slice(0, mostRowsBefore), mappings);
  if (found === undefined)
    return first.cells.length < 2 ? { kind: 'unreadable' } : { kind: 'table', columns: first.cells, example: second?.cells ?? [] };
  return 'format' in found ? { kind: 'known', format: found.format } : { kind: 'mapped', mapping: found.mapping };
}

function rowsOf(text: string, isWhole: boolean) {
  const reader = new CsvReader();
  try {
    const rows = reader.push(text);
    return isWhole ? [...rows, ...reader.end()] : rows;
  } catch (failure) {
    if (failure instanceof CsvError) return [];
    throw failure;
  }
}
