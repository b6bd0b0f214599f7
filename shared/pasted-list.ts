// A pasted list of people: `name, mail, group, balance`, one a line, with commas, tabs or semicolons between, quotes where a field holds
// one of them, and a head or none.

export interface PastedLine {
  /** From 1, as the text has it. */
  number: number;
  /** As it was pasted, without the line end. */
  source: string;
  username: string;
  email: string;
  group: string;
  /** As it is written. */
  balance: string;
  /** Fields beyond the fourth. */
  hasMore: boolean;
}

/** Characters of a text that is read. */
export const pastedListLimit = 500_000;

/** Words that a head begins with. */
const heads: ReadonlySet<string> = new Set(['name', 'username', 'user', 'login', '名称', '姓名', '用户名', '用户']);

/** The lines that hold anything. What is behind `pastedListLimit` is not read. */
export function readPastedList(text: string): PastedLine[] {
  const records = recordsOf(text.slice(0, pastedListLimit).replace(/^\uFEFF/, ''));
  const first = records[0]?.fields[0]?.trim().toLowerCase();
  if (first !== undefined && heads.has(first)) records.shift();
  return records.map(({ number, source, fields }) => {
    const [username = '', email = '', group = '', balance = '', ...more] = fields.map((field) => field.trim());
    return { number, source, username, email, group, balance, hasMore: more.some((field) => field !== '') };
  });
}

/**
 * An amount as people write it: `5`, `$1,000.50`, `1 000`, `12.5 USD`. Empty is 0, null is none. A comma before three digits parts
 * thousands, before others the fraction.
 */
export function readAmount(text: string): number | null {
  const bare = text.replaceAll(/[\s$￥¥]|usd/gi, '');
  if (bare === '') return 0;
  const plain = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare) ? bare.replaceAll(',', '') : bare.replace(/^(\d+),(\d{1,2})$/, '$1.$2');
  return /^\d{1,15}(\.\d{0,9})?$/.test(plain) ? Number(plain) : null;
}

interface PastedRecord {
  number: number;
  source: string;
  fields: string[];
}

/** Quotes (RFC 4180) may hold separators and line ends; a quote within a field is a character. One pass over the text. */
function recordsOf(text: string): PastedRecord[] {
  const records: PastedRecord[] = [];
  let number = 1;
  let line = 1;
  let start = 0;
  let fields: string[] = [];
  let field = '';
  let isQuoted = false;
  let separator = separatorAt(text, 0);
  const endField = (): void => {
    fields.push(field);
    field = '';
  };
  const endRecord = (end: number): void => {
    endField();
    if (fields.some((one) => one.trim() !== '')) records.push({ number, source: text.slice(start, end).replace(/\r$/, ''), fields });
    fields = [];
    number = line;
    start = end + 1;
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '\n') line += 1;
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && field.trim() === '') {
      field = '';
      isQuoted = true;
    } else if (character === separator) endField();
    else if (character === '\n') {
      endRecord(index);
      separator = separatorAt(text, index + 1);
    } else if (character !== '\r') field += character;
  }
  endRecord(text.length);
  return records;
}

function separatorAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  // Not within quotes.
  return separatorOf(text.slice(start, end === -1 ? undefined : end).replaceAll(/"[^"]*"/g, ''));
}

/** Of one line: a tab, or a semicolon, or a comma (a comma may stand in an amount, the others do not). Lines of several sources may differ. */
function separatorOf(line: string): string {
  for (const character of ['\t', ';', '；']) if (line.includes(character)) return character;
  return line.includes(',') || !line.includes('，') ? ',' : '，';
}
