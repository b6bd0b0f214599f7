// Lengths of sounds whose files report the total, in a header or at the end.
import { pieceBytes } from '#server/framing/byte-source.ts';
import { longestMark, mostBoxes, type Reading, type Reported, type Span, startsWith } from './sound-reading.ts';

const mostPages = 64;

/**
 * Reads the length from the position in the last page. https://www.rfc-editor.org/rfc/rfc3533,
 * https://www.rfc-editor.org/rfc/rfc7845
 */
export function* ofOgg(size: number): Reading<Reported> {
  const head = yield { start: 0, end: 27 + 255 + 16 };
  const packet = 27 + (head[26] ?? 0);
  const isOpus = startsWith(head, 'OpusHead', packet);
  if (!isOpus && !startsWith(head, '\x01vorbis', packet)) return {};
  if (packet + 16 > head.length) return {};
  const rate = isOpus ? 48_000 : head.readUInt32LE(packet + 12);
  const skipped = isOpus ? head.readUInt16LE(packet + 10) : 0;
  for (let at = yield* lastPage(size), step = 0; at > 0 && step < mostPages; at = yield* lastPage(at), step += 1) {
    const page = yield { start: at, end: at + 14 };
    if (page.length < 14) continue;
    const position = page.readBigInt64LE(6);
    // A position of -1 or 0 means that no packet ends on the page.
    if (position > 0n) return { seconds: (Number(position) - skipped) / rate };
  }
  return {};
}

const pageMark = Buffer.from('OggS');

/** Returns the offset of the last page before `end`; 0 or less if it is at the start or missing. */
function* lastPage(end: number): Reading<number> {
  for (let to = end; to > 0; to -= pieceBytes) {
    const start = Math.max(0, to - pieceBytes);
    const piece = yield { start, end: Math.min(end - 1 + pageMark.length, to + pageMark.length - 1) };
    const found = piece.lastIndexOf(pageMark);
    if (found >= 0) return start + found;
  }
  return -1;
}

/** https://www.rfc-editor.org/rfc/rfc9639#name-streaminfo */
export function* ofFlac(): Reading<Reported> {
  const head = yield { start: 0, end: 26 };
  if (head.length < 26) return {};
  const rate = head.readUIntBE(18, 3) >> 4;
  const samples = ((head[21] ?? 0) & 0x0f) * 2 ** 32 + head.readUInt32BE(22);
  return rate === 0 || samples === 0 ? {} : { seconds: samples / rate };
}

/** https://developer.apple.com/documentation/quicktime-file-format/movie_header_atom */
export function* ofMp4(size: number): Reading<Reported> {
  const movie = yield* boxIn('moov', { start: 0, end: size });
  const header = movie && (yield* boxIn('mvhd', movie));
  if (header === undefined) return {};
  const reported = yield { start: header.start, end: Math.min(header.end, header.start + 32) };
  const isLong = reported[0] === 1;
  if ((isLong ? 32 : 20) > reported.length) return {};
  const scale = reported.readUInt32BE(isLong ? 20 : 12);
  const length = isLong ? Number(reported.readBigUInt64BE(24)) : reported.readUInt32BE(16);
  return scale === 0 ? {} : { seconds: length / scale };
}

function* boxIn(name: string, { start, end }: Span): Reading<Span | undefined> {
  for (let at = start, step = 0; at + 8 <= end && step < mostBoxes; step += 1) {
    const box = yield { start: at, end: at + 16 };
    let size = box.readUInt32BE(0);
    let head = 8;
    if (size === 1 && at + 16 <= end) {
      size = Number(box.readBigUInt64BE(8));
      head = 16;
    } else if (size === 0) size = end - at;
    if (size < head) return undefined;
    if (startsWith(box, name, 4)) return { start: at + head, end: Math.min(end, at + size) };
    at += size;
  }
  return undefined;
}

const element = { segment: 0x18538067, info: 0x1549a966, cluster: 0x1f43b675, scale: 0x2ad7b1, duration: 0x4489 } as const;

/** https://www.rfc-editor.org/rfc/rfc9559 */
export function* ofWebm(size: number): Reading<Reported> {
  const segment = (yield* elementsIn({ start: 0, end: size })).find(({ id }) => id === element.segment);
  const info = segment && (yield* elementsIn(segment)).find(({ id }) => id === element.info);
  if (info === undefined) return {};
  const reported = yield* elementsIn(info);
  const length = reported.find(({ id }) => id === element.duration);
  if (length === undefined) return {};
  const ticks = floatOf(yield* shortElement(length));
  const scale = reported.find(({ id }) => id === element.scale);
  const scaled = scale === undefined ? undefined : yield* shortElement(scale);
  const nanoseconds = scaled === undefined || scaled.length < 1 || scaled.length > 6 ? 1_000_000 : scaled.readUIntBE(0, scaled.length);
  return { seconds: (ticks * nanoseconds) / 1e9 };
}

function* shortElement({ start, end }: Span): Reading<Buffer> {
  return yield { start, end: Math.min(end, start + longestMark) };
}

function floatOf(bytes: Buffer): number {
  if (bytes.length === 8) return bytes.readDoubleBE();
  return bytes.length === 4 ? bytes.readFloatBE() : Number.NaN;
}

/** Largest element head: an id of up to four bytes and a size of up to eight. */
const elementHead = 12;

/** Lists elements up to the first cluster. https://www.rfc-editor.org/rfc/rfc8794#name-variable-size-integer */
function* elementsIn({ start, end }: Span): Reading<(Span & { id: number })[]> {
  const found: (Span & { id: number })[] = [];
  for (let at = start; at < end && found.length < mostBoxes;) {
    const head = yield { start: at, end: Math.min(end, at + elementHead) };
    const idLength = Math.clz32(head[0] ?? 0) - 23;
    const sizeLength = Math.clz32(head[idLength] ?? 0) - 23;
    if (idLength > 4 || sizeLength > 8 || idLength + sizeLength > head.length) return found;
    let size = (head[idLength] ?? 0) & (2 ** (8 - sizeLength) - 1);
    let isUnknown = size === 2 ** (8 - sizeLength) - 1;
    for (let index = 1; index < sizeLength; index += 1) {
      const byte = head[idLength + index] ?? 0;
      size = size * 256 + byte;
      isUnknown &&= byte === 0xff;
    }
    const id = head.readUIntBE(0, idLength);
    const from = at + idLength + sizeLength;
    if (id === element.cluster) return found;
    at = isUnknown ? end : Math.min(end, from + size);
    found.push({ id, start: from, end: at });
  }
  return found;
}
