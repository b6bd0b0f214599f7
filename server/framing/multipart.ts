// Reads forms with files (`multipart/form-data`) in place, in memory or on disk, without copying the files. Parsers
// differ on malformed forms, so forms are rewritten before they are forwarded, and malformed ones rejected.
// https://www.rfc-editor.org/rfc/rfc7578
import { AppError, type LocalText } from '#shared/errors.ts';
import { type ByteSource, indexIn, partOf, PiecedBody, ReadBuffer, sourceOf } from './byte-source.ts';

export interface MultipartPart {
  name: string;
  value: string | MultipartFile;
}

/** A file of a form. */
export class MultipartFile {
  readonly filename: string;
  /** Type set by the caller; empty if there is none. */
  readonly type: string;
  readonly content: ByteSource;

  constructor({ filename, type, content }: Pick<MultipartFile, 'filename' | 'type' | 'content'>) {
    this.filename = filename;
    this.type = type;
    this.content = content;
  }
}

const mostParts = 100;
const longestHead = 8 * 1024;
const longestName = 100;
const longestText = 1024 * 1024;
const [carriageReturn, lineFeed, dash] = [0x0d, 0x0a, 0x2d];
const blankLine = Buffer.from('\r\n\r\n');
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Boundary between the parts; undefined if it is no form. */
export function boundaryOf(contentType: string | null): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\\\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? [];
  return quoted ?? plain;
}

/** @throws {AppError} `invalid_request`, `invalid_utf8` */
export async function readMultipart(source: ByteSource, boundary: string): Promise<MultipartPart[]> {
  const mark = Buffer.from(`--${boundary}`);
  const between = Buffer.from(`\r\n--${boundary}`);
  if (!(await source.read(0, Math.min(mark.length, source.size))).equals(mark)) throw malformedMultipart(noBeginning);
  const parts: MultipartPart[] = [];
  const into = new ReadBuffer();
  try {
    for (let at = mark.length; ;) {
      const next = await source.read(Math.min(at, source.size), Math.min(at + 2, source.size), into);
      if (next[0] === dash && next[1] === dash) return parts;
      if (next[0] !== carriageReturn || next[1] !== lineFeed) throw malformedMultipart(noEnd);
      const end = await indexIn(source, between, at, into);
      if (end < 0) throw malformedMultipart(noEnd);
      if (parts.length >= mostParts) throw malformedMultipart(tooMany);
      parts.push(await readPart(source, { from: at, to: end, into }));
      at = end + between.length;
    }
  } finally {
    into.free();
  }
}

interface PartPlace {
  /** Offset of the line break before its header. */
  from: number;
  to: number;
  into: ReadBuffer;
}

async function readPart(source: ByteSource, { from, to, into }: PartPlace): Promise<MultipartPart> {
  const beginning = await source.read(from, Math.min(to, from + longestHead + blankLine.length), into);
  const headEnd = beginning.indexOf(blankLine);
  if (headEnd < 0 || headEnd > longestHead) throw malformedMultipart(badHead);
  const head = new Map<string, string>();
  for (const line of textOf(beginning.subarray(2, headEnd)).split('\r\n')) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === '' || head.has(name.toLowerCase())) throw malformedMultipart(badHead);
    head.set(name.toLowerCase(), value);
  }
  const { name, filename } = dispositionOf(head.get('content-disposition') ?? '');
  if (!/^(?:7bit|8bit|binary)?$/i.test(head.get('content-transfer-encoding') ?? '')) throw malformedMultipart(badHead);
  const start = from + headEnd + blankLine.length;
  if (filename !== undefined) {
    return { name, value: new MultipartFile({ filename, type: head.get('content-type') ?? '', content: partOf(source, start, to) }) };
  }
  if (to - start > longestText) throw malformedMultipart(tooLong);
  return { name, value: textOf(await source.read(start, to, into)) };
}

const disposition = /^form-data((?:\s*;\s*[\w*]+=(?:"(?:[^"\\]|\\.)*"|[^\s;"]+))+)\s*$/i;
const parameter = /;\s*([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

function dispositionOf(value: string): { name: string; filename: string | undefined } {
  const [, parameters = ''] = disposition.exec(value) ?? [];
  const found = new Map<string, string>();
  for (const [, key = '', quoted, plain = ''] of parameters.matchAll(parameter)) {
    if (found.has(key.toLowerCase())) throw malformedMultipart(badHead);
    found.set(key.toLowerCase(), quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"'));
  }
  const name = found.get('name');
  if (name === undefined || name === '' || name.length > longestName || /\p{Cc}/u.test(name)) throw malformedMultipart(badHead);
  return { name, filename: found.get('filename') ?? (found.has('filename*') ? '' : undefined) };
}

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_utf8', {}, { cause });
  }
}

/** @param boundary of a form that contained all these files: none of them contains it */
export function writeMultipart(parts: readonly MultipartPart[], boundary: string): PiecedBody {
  const pieces: ByteSource[] = [];
  const add = (text: string) => pieces.push(sourceOf(Buffer.from(text)));
  for (const { name, value } of parts) {
    const file = typeof value === 'string' ? '' : `; filename="${escaped(value.filename)}"`;
    const type = typeof value === 'string' || value.type === '' ? '' : `\r\nContent-Type: ${value.type.replace(/[\r\n]/g, ' ')}`;
    add(`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${file}${type}\r\n\r\n`);
    if (typeof value === 'string') add(value);
    else pieces.push(value.content);
    add('\r\n');
  }
  add(`--${boundary}--\r\n`);
  return new PiecedBody(pieces);
}

/** Escapes as browsers do. https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function escaped(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

const noBeginning = { zh: '表单不以分隔行开头', en: 'the form does not begin with its boundary' };
const noEnd = { zh: '表单不完整', en: 'the form is not complete' };
const badHead = { zh: '表单中有一部分的头无法识别', en: 'the head of a part of the form cannot be read' };
const tooMany = { zh: `表单最多有 ${mostParts} 个部分`, en: `the form must have at most ${mostParts} parts` };
const tooLong = { zh: '表单中有过长的文本', en: 'a text of the form is too long' };

function malformedMultipart(detail: LocalText): AppError {
  return new AppError('invalid_request', { detail });
}
