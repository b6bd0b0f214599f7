// Forms with files (`multipart/form-data`), read without copying what they hold. Readers of forms differ in what they make of odd ones: what is read here is
// written anew before it goes anywhere, and what is odd is refused. https://www.rfc-editor.org/rfc/rfc7578
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';

export interface FormPart {
  name: string;
  value: string | FormFile;
}

/** A file as it was sent. */
export class FormFile {
  readonly filename: string;
  /** As the caller has it; empty: it says none. */
  readonly type: string;
  readonly bytes: Buffer;

  constructor({ filename, type, bytes }: Pick<FormFile, 'filename' | 'type' | 'bytes'>) {
    this.filename = filename;
    this.type = type;
    this.bytes = bytes;
  }
}

const mostParts = 100;
const longestHead = 8 * 1024;
const longestName = 100;
const longestText = 1024 * 1024;
const [carriageReturn, lineFeed, dash] = [0x0d, 0x0a, 0x2d];
const blankLine = Buffer.from('\r\n\r\n');
const decoder = new TextDecoder('utf-8', { fatal: true });

/** What stands between the parts; undefined: it is no form. */
export function boundaryOf(contentType: string | null): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\\\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? [];
  return quoted ?? plain;
}

/** @throws {AppError} `invalid_request` */
export function readForm(bytes: Buffer, boundary: string): FormPart[] {
  const mark = Buffer.from(`--${boundary}`);
  const between = Buffer.from(`\r\n--${boundary}`);
  if (!bytes.subarray(0, mark.length).equals(mark)) throw badForm(noBeginning);
  const parts: FormPart[] = [];
  for (let at = mark.length; ;) {
    if (bytes[at] === dash && bytes[at + 1] === dash) return parts;
    if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) throw badForm(noEnd);
    const end = bytes.indexOf(between, at);
    if (end < 0) throw badForm(noEnd);
    if (parts.length >= mostParts) throw badForm(tooMany);
    parts.push(readPart(bytes, at, end));
    at = end + between.length;
  }
}

/** @param from of the line break before its head */
function readPart(bytes: Buffer, from: number, to: number): FormPart {
  const headEnd = bytes.indexOf(blankLine, from);
  if (headEnd < 0 || headEnd > to - blankLine.length || headEnd - from > longestHead) throw badForm(badHead);
  const head = new Map<string, string>();
  for (const line of textOf(bytes.subarray(from + 2, headEnd)).split('\r\n')) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === '' || head.has(name.toLowerCase())) throw badForm(badHead);
    head.set(name.toLowerCase(), value);
  }
  const { name, filename } = dispositionOf(head.get('content-disposition') ?? '');
  if (!/^(?:7bit|8bit|binary)?$/i.test(head.get('content-transfer-encoding') ?? '')) throw badForm(badHead);
  const content = bytes.subarray(headEnd + blankLine.length, to);
  if (filename !== undefined) return { name, value: new FormFile({ filename, type: head.get('content-type') ?? '', bytes: content }) };
  if (content.length > longestText) throw badForm(tooLong);
  return { name, value: textOf(content) };
}

const disposition = /^form-data((?:\s*;\s*[\w*]+=(?:"(?:[^"\\]|\\.)*"|[^\s;"]+))+)\s*$/i;
const parameter = /;\s*([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

function dispositionOf(value: string): { name: string; filename: string | undefined } {
  const [, parameters = ''] = disposition.exec(value) ?? [];
  const found = new Map<string, string>();
  for (const [, key = '', quoted, plain = ''] of parameters.matchAll(parameter)) {
    if (found.has(key.toLowerCase())) throw badForm(badHead);
    found.set(key.toLowerCase(), quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"'));
  }
  const name = found.get('name');
  if (name === undefined || name === '' || name.length > longestName || /\p{Cc}/u.test(name)) throw badForm(badHead);
  return { name, filename: found.get('filename') ?? (found.has('filename*') ? '' : undefined) };
}

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_utf8', {}, { cause });
  }
}

/** @param boundary that of a form which held all files of this one: it is in none of them */
export function writeForm(parts: readonly FormPart[], boundary: string): Buffer {
  const pieces: Buffer[] = [];
  for (const { name, value } of parts) {
    const file = typeof value === 'string' ? '' : `; filename="${escaped(value.filename)}"`;
    const type = typeof value === 'string' || value.type === '' ? '' : `\r\nContent-Type: ${value.type.replace(/[\r\n]/g, ' ')}`;
    pieces.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${file}${type}\r\n\r\n`));
    pieces.push(typeof value === 'string' ? Buffer.from(value) : value.bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** As browsers do. https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function escaped(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

const noBeginning = { zh: '表单不以分隔行开头', en: 'the form does not begin with its boundary' };
const noEnd = { zh: '表单不完整', en: 'the form is not complete' };
const badHead = { zh: '表单中有一部分的头无法识别', en: 'the head of a part of the form cannot be read' };
const tooMany = { zh: `表单最多有 ${mostParts} 个部分`, en: `the form must have at most ${mostParts} parts` };
const tooLong = { zh: '表单中有过长的文本', en: 'a text of the form is too long' };

function badForm(detail: LocalText): AppError {
  return new AppError('invalid_request', { detail });
}
