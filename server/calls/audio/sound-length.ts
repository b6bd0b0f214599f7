// How long a sound is, read from its file without decoding it. Every reader takes a bounded number of steps, whatever the file says of itself.

/** Seconds; undefined: the file does not tell, or is of a format that is not known here. */
export function secondsOf(bytes: Buffer): number | undefined {
  const seconds = readerOf(bytes)?.(bytes);
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** Seconds. */
export interface SoundLength {
  usual: number;
  most: number;
}

/**
 * What a sound is paid and reserved by where nobody else tells. A head that tells of the whole may lie, so it only makes a sound longer than its
 * size does; samples and frames that were counted are what a decoder counts, too.
 */
export function lengthOf(bytes: Buffer): SoundLength {
  const told = secondsOf(bytes) ?? 0;
  if (told > 0 && isCounted(bytes)) return { usual: told, most: told };
  const { usual, most } = guessedSeconds(bytes.length, ratesOf(bytes));
  return { usual: Math.max(told, usual), most: Math.max(told, most) };
}

/** Bits of a second of speech: usually, and the fewest there can be. */
interface Rates {
  usual: number;
  least: number;
}

const someFormat: Rates = { usual: 32_000, least: 6_000 };

function ratesOf(bytes: Buffer): Rates {
  const reader = readerOf(bytes);
  if (reader === ofFlac) return { usual: 128_000, least: 32_000 };
  return reader === ofMp4 ? { ...someFormat, usual: 64_000 } : someFormat;
}

/** Seconds that so many bytes are. */
export function guessedSeconds(size: number, { usual, least }: Rates = someFormat): SoundLength {
  return { usual: (size * 8) / usual, most: (size * 8) / least };
}

/** Of a file, what may be something else than sound. */
const countedShare = 0.9;

function isCounted(bytes: Buffer): boolean {
  const reader = readerOf(bytes);
  if (reader === ofFrames) return framesIn(bytes).bytes >= countedShare * bytes.length;
  return reader === ofWav && isPlainWave(bytes);
}

type Reader = (bytes: Buffer) => number | undefined;

function readerOf(bytes: Buffer): Reader | undefined {
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WAVE', 8)) return ofWav;
  if (startsWith(bytes, 'OggS')) return ofOgg;
  if (startsWith(bytes, 'fLaC')) return ofFlac;
  if (startsWith(bytes, 'ftyp', 4)) return ofMp4;
  if (startsWith(bytes, '\x1a\x45\xdf\xa3')) return ofWebm;
  return startsWith(bytes, 'ID3') || isSync(bytes, 0) ? ofFrames : undefined;
}

function startsWith(bytes: Buffer, mark: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + mark.length) === mark;
}

const mostBoxes = 1000;

/** http://soundfile.sapp.org/doc/WaveFormat/ */
function ofWav(bytes: Buffer): number | undefined {
  let byteRate = 0;
  for (let at = 12, step = 0; at + 8 <= bytes.length && step < mostBoxes; step += 1) {
    const size = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (startsWith(bytes, 'fmt ', at) && start + 16 <= bytes.length) byteRate = waveRate(bytes, start);
    if (startsWith(bytes, 'data', at)) {
      const rest = bytes.length - start;
      // One that was written as it came does not know its length.
      return byteRate === 0 ? undefined : (size === 0 || size > rest ? rest : size) / byteRate;
    }
    at = start + size + (size % 2);
  }
  return undefined;
}

const plainSamples = new Set([1, 3]);
const wavePcm = new Set([...plainSamples, 0xfffe]);
const sampleBits = new Set([8, 16, 24, 32, 64]);
const mostSpeakers = 8;

/** Its samples begin where files of this kind have them, are not compressed, and are nearly all of the file. */
function isPlainWave(bytes: Buffer): boolean {
  if (bytes.length < 44 || !startsWith(bytes, 'fmt ', 12) || !plainSamples.has(bytes.readUInt16LE(20))) return false;
  const speakers = bytes.readUInt16LE(22);
  if (speakers > mostSpeakers || !sampleBits.has(bytes.readUInt16LE(34))) return false;
  const seconds = ofWav(bytes) ?? 0;
  return seconds * waveRate(bytes, 20) >= countedShare * bytes.length;
}

/** Bytes a second. What the samples are says it where they are not compressed. */
function waveRate(bytes: Buffer, at: number): number {
  const samples = (bytes.readUInt16LE(at + 2) * bytes.readUInt32LE(at + 4) * bytes.readUInt16LE(at + 14)) / 8;
  return wavePcm.has(bytes.readUInt16LE(at)) && samples > 0 ? samples : bytes.readUInt32LE(at + 8);
}

const mostPages = 64;

/** By the position that the last page tells. https://www.rfc-editor.org/rfc/rfc3533, https://www.rfc-editor.org/rfc/rfc7845 */
function ofOgg(bytes: Buffer): number | undefined {
  const packet = 27 + (bytes[26] ?? 0);
  const isOpus = startsWith(bytes, 'OpusHead', packet);
  if (!isOpus && !startsWith(bytes, '\x01vorbis', packet)) return undefined;
  if (packet + 16 > bytes.length) return undefined;
  const rate = isOpus ? 48_000 : bytes.readUInt32LE(packet + 12);
  const skipped = isOpus ? bytes.readUInt16LE(packet + 10) : 0;
  for (let at = bytes.lastIndexOf('OggS'), step = 0; at > 0 && step < mostPages; at = bytes.lastIndexOf('OggS', at - 1), step += 1) {
    if (at + 14 > bytes.length) continue;
    const position = bytes.readBigInt64LE(at + 6);
    // No packet ends on such a page.
    if (position > 0n) return (Number(position) - skipped) / rate;
  }
  return undefined;
}

/** https://www.rfc-editor.org/rfc/rfc9639#name-streaminfo */
function ofFlac(bytes: Buffer): number | undefined {
  if (bytes.length < 26) return undefined;
  const rate = bytes.readUIntBE(18, 3) >> 4;
  const samples = ((bytes[21] ?? 0) & 0x0f) * 2 ** 32 + bytes.readUInt32BE(22);
  return rate === 0 || samples === 0 ? undefined : samples / rate;
}

/** https://developer.apple.com/documentation/quicktime-file-format/movie_header_atom */
function ofMp4(bytes: Buffer): number | undefined {
  const movie = boxIn(bytes, 'moov', { start: 0, end: bytes.length });
  const header = movie && boxIn(bytes, 'mvhd', movie);
  if (header === undefined) return undefined;
  const isLong = bytes[header.start] === 1;
  if (header.start + (isLong ? 32 : 20) > header.end) return undefined;
  const scale = bytes.readUInt32BE(header.start + (isLong ? 20 : 12));
  const length = isLong ? Number(bytes.readBigUInt64BE(header.start + 24)) : bytes.readUInt32BE(header.start + 16);
  return scale === 0 ? undefined : length / scale;
}

interface Span {
  start: number;
  end: number;
}

function boxIn(bytes: Buffer, name: string, { start, end }: Span): Span | undefined {
  for (let at = start, step = 0; at + 8 <= end && step < mostBoxes; step += 1) {
    let size = bytes.readUInt32BE(at);
    let head = 8;
    if (size === 1 && at + 16 <= end) {
      size = Number(bytes.readBigUInt64BE(at + 8));
      head = 16;
    } else if (size === 0) size = end - at;
    if (size < head) return undefined;
    if (startsWith(bytes, name, at + 4)) return { start: at + head, end: Math.min(end, at + size) };
    at += size;
  }
  return undefined;
}

const element = { segment: 0x18538067, info: 0x1549a966, cluster: 0x1f43b675, scale: 0x2ad7b1, duration: 0x4489 } as const;

/** https://www.rfc-editor.org/rfc/rfc9559 */
function ofWebm(bytes: Buffer): number | undefined {
  const segment = elementsIn(bytes, { start: 0, end: bytes.length }).find(({ id }) => id === element.segment);
  const info = segment && elementsIn(bytes, segment).find(({ id }) => id === element.info);
  if (info === undefined) return undefined;
  const told = elementsIn(bytes, info);
  const length = told.find(({ id }) => id === element.duration);
  if (length === undefined) return undefined;
  const scale = told.find(({ id }) => id === element.scale);
  const size = length.end - length.start;
  const ticks = size === 8 ? bytes.readDoubleBE(length.start) : size === 4 ? bytes.readFloatBE(length.start) : Number.NaN;
  const scaleSize = scale === undefined ? 0 : scale.end - scale.start;
  const nanoseconds = scale === undefined || scaleSize < 1 || scaleSize > 6 ? 1_000_000 : bytes.readUIntBE(scale.start, scaleSize);
  return (ticks * nanoseconds) / 1e9;
}

/** Up to where the sound itself begins. https://www.rfc-editor.org/rfc/rfc8794#name-variable-size-integer */
function elementsIn(bytes: Buffer, { start, end }: Span): (Span & { id: number })[] {
  const found: (Span & { id: number })[] = [];
  for (let at = start; at < end && found.length < mostBoxes;) {
    const idLength = Math.clz32(bytes[at] ?? 0) - 23;
    const sizeAt = at + idLength;
    const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
    if (idLength > 4 || sizeLength > 8 || sizeAt + sizeLength > end) return found;
    let size = (bytes[sizeAt] ?? 0) & (2 ** (8 - sizeLength) - 1);
    let isUnknown = size === 2 ** (8 - sizeLength) - 1;
    for (let index = 1; index < sizeLength; index += 1) {
      const byte = bytes[sizeAt + index] ?? 0;
      size = size * 256 + byte;
      isUnknown &&= byte === 0xff;
    }
    const id = bytes.readUIntBE(at, idLength);
    const from = sizeAt + sizeLength;
    if (id === element.cluster) return found;
    at = isUnknown ? end : Math.min(end, from + size);
    found.push({ id, start: from, end: at });
  }
  return found;
}

/** Frames that are looked at: of a longer sound the rest is taken to be like them. */
const mostFrames = 200_000;
/** Bytes without a frame that are passed over. */
const mostGap = 64 * 1024;

/** MP3 and AAC: every frame says how long it is. */
function ofFrames(bytes: Buffer): number | undefined {
  const { seconds } = framesIn(bytes);
  return seconds === 0 ? undefined : seconds;
}

/** Seconds of them, and their bytes. */
function framesIn(bytes: Buffer): { seconds: number; bytes: number } {
  const from = startsWith(bytes, 'ID3') ? afterTag(bytes) : 0;
  let [at, seconds, step, gap, covered] = [from, 0, 0, 0, 0];
  while (at + 7 <= bytes.length && step < mostFrames && gap < mostGap) {
    const frame = isSync(bytes, at) ? frameAt(bytes, at) : undefined;
    if (frame === undefined) {
      at += 1;
      gap += 1;
      continue;
    }
    at += frame.size;
    covered += frame.size;
    seconds += frame.seconds;
    step += 1;
    gap = 0;
  }
  const share = step < mostFrames ? 1 : (bytes.length - from) / (at - from);
  return { seconds: seconds * share, bytes: covered * share };
}

/** https://id3.org/id3v2.4.0-structure */
function afterTag(bytes: Buffer): number {
  let size = 0;
  for (let index = 6; index < 10; index += 1) size = size * 128 + ((bytes[index] ?? 0) & 0x7f);
  return Math.min(bytes.length, 10 + size);
}

function isSync(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0;
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
/** Kilobits a second by their number; of the first version and its layers, then of the later ones. */
const bitRates: Readonly<Record<string, readonly number[]>> = {
  '1.1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1.2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1.3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2.1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2.2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2.3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const sampleRates = [44_100, 48_000, 32_000];

/** http://mpgedit.org/mpgedit/mpeg_format/mpeghdr.htm, https://wiki.multimedia.cx/index.php/ADTS */
function frameAt(bytes: Buffer, at: number): { size: number; seconds: number } | undefined {
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = bytes.subarray(at, at + 6);
  const layerBits = (second >> 1) & 3;
  if (layerBits === 0) {
    const rate = aacRates[(third >> 2) & 15];
    const size = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
    return rate === undefined || size < 7 ? undefined : { size, seconds: 1024 / rate };
  }
  const version = (second >> 3) & 3;
  if (version === 1) return undefined;
  const layer = 4 - layerBits;
  const isFirst = version === 3;
  const kilobits = bitRates[`${isFirst ? 1 : 2}.${layer}`]?.[third >> 4] ?? 0;
  const rate = (sampleRates[(third >> 2) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (kilobits === 0 || rate === 0) return undefined;
  const samples = layer === 1 ? 384 : layer === 2 || isFirst ? 1152 : 576;
  const slot = layer === 1 ? 4 : 1;
  const size = Math.floor(((samples / 8) * kilobits * 1000) / rate / slot) * slot + ((third >> 1) & 1) * slot;
  return { size, seconds: samples / rate };
}
