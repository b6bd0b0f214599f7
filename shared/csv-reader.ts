// Reads tables as text (RFC 4180) piece by piece: quoted cells with delimiters, quotes and line breaks, any line ending, and `,`, `;` or a tab
// between cells. Memory is bounded by the limits of a cell and a row.

export interface CsvLine {
  /** Line of the text in which the row begins, from 1. */
  line: number;
  cells: string[];
}

/** `open_quote`: the text ends within a quoted cell. */
export type CsvFault = 'cell_too_long' | 'too_many_cells' | 'open_quote';

export class CsvError extends Error {
  readonly fault: CsvFault;
  readonly line: number;
  constructor(fault: CsvFault, line: number) {
    super(`CSV: ${fault} in line ${line}`);
    this.name = 'CsvError';
    this.fault = fault;
    this.line = line;
  }
}

const longestCell = 32_768;
const mostCells = 256;
const delimiters = [',', ';', '\t'] as const;

export class CsvReader {
  #delimiter: string | undefined;
  /** Text before the delimiter is known, and whether it ends within quotes. */
  #head = '';
  #isHeadQuoted = false;
  #cell = '';
  #cells: string[] = [];
  /** `after`: a quote in a quoted cell, which ends it or stands for one quote. */
  #state: 'start' | 'plain' | 'quoted' | 'after' = 'start';
  #line = 1;
  #rowLine = 1;
  #isAfterReturn = false;

  /** @param delimiter If undefined, the most frequent one of the first line. */
  constructor(delimiter?: string) {
    this.#delimiter = delimiter;
  }

  /**
   * Returns the rows that the text completes; empty lines are left out.
   * @throws {CsvError}
   */
  push(text: string): CsvLine[] {
    if (this.#delimiter !== undefined) return this.#read(text);
    const end = this.#firstLineEnd(text);
    const known = this.#head.length;
    this.#head += text;
    if (end === -1) {
      if (this.#head.length > longestCell * 4) throw new CsvError('cell_too_long', 1);
      return [];
    }
    return this.#begin(known + end);
  }

  /** Index of the first line break outside quotes in what follows the head; -1: there is none. */
  #firstLineEnd(text: string): number {
    for (let at = 0; at < text.length; at += 1) {
      if (text[at] === '"') this.#isHeadQuoted = !this.#isHeadQuoted;
      else if (!this.#isHeadQuoted && (text[at] === '\n' || text[at] === '\r')) return at;
    }
    return -1;
  }

  /** Returns the last row. @throws {CsvError} */
  end(): CsvLine[] {
    const rows = this.#delimiter === undefined ? this.#begin(this.#head.length) : [];
    if (this.#state === 'quoted') throw new CsvError('open_quote', this.#rowLine);
    if (this.#cell !== '' || this.#cells.length > 0 || this.#state === 'after') this.#endRow(rows);
    return rows;
  }

  #begin(end: number): CsvLine[] {
    const text = this.#head;
    this.#head = '';
    this.#delimiter = delimiterOf(text.slice(0, end));
    return this.#read(text);
  }

  #read(text: string): CsvLine[] {
    const rows: CsvLine[] = [];
    const delimiter = this.#delimiter ?? ',';
    let from = 0;
    const take = (to: number) => {
      if (to > from) this.#cell += text.slice(from, to);
      if (this.#cell.length > longestCell) throw new CsvError('cell_too_long', this.#rowLine);
    };
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at];
      const wasReturn = this.#isAfterReturn;
      this.#isAfterReturn = sign === '\r';
      if (this.#state === 'quoted') {
        if (sign === '\n' && !wasReturn) this.#line += 1;
        else if (sign === '\r') this.#line += 1;
        if (sign === '"') {
          take(at);
          from = at + 1;
          this.#state = 'after';
        }
        continue;
      }
      if (sign === '\n' && wasReturn) {
        from = at + 1;
        continue;
      }
      if (sign === '"' && this.#state !== 'plain') {
        // The second of two quotes stands for one.
        if (this.#state === 'after') this.#cell += '"';
        this.#state = 'quoted';
        from = at + 1;
        continue;
      }
      if (sign === delimiter) {
        take(at);
        from = at + 1;
        this.#endCell();
      } else if (sign === '\n' || sign === '\r') {
        take(at);
        from = at + 1;
        this.#line += 1;
        this.#endRow(rows);
      } else if (this.#state !== 'plain') {
        // Text after a closing quote belongs to the cell, as spreadsheets read it.
        from = at;
        this.#state = 'plain';
      }
    }
    take(text.length);
    return rows;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
    if (this.#cells.length > mostCells) throw new CsvError('too_many_cells', this.#rowLine);
  }

  #endRow(rows: CsvLine[]): void {
    this.#endCell();
    if (this.#cells.some((cell) => cell.trim() !== '')) rows.push({ line: this.#rowLine, cells: this.#cells });
    this.#cells = [];
    this.#rowLine = this.#line;
  }
}

function delimiterOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
