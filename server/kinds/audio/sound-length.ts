// Reads the length of a sound from its file without decoding. Readers request byte ranges, so the file may be on disk,
// and take a bounded number of steps whatever the file claims.
import { type ByteSource, pieceBytes } from '#server/framing/byte-source.ts';
import { ofFlac, ofMp4, ofOgg, ofWebm } from './container-length.ts';
import { longestMark, mostBoxes, readBytes, type Reader, type Reading, readSource, type Reported, startsWith } from './sound-reading.ts';

/** Length in seconds; undefined if the file does not report it or its format is unknown. */
export function secondsOf(bytes: Buffer): number | undefined {
  const { reported } = readBytes(bytes, reportLength(bytes.length));
  return reported > 0 ? reported : undefined;
}

/** Length in seconds. */
export interface SoundLength {
  usual: number;
  most: number;
}

/**
 * Length that a sound is billed and reserved by if the provider reports none. A header may be forged, so it can only
 * raise the length estimated from the size; counted samples and frames match a decoder's count.
 */
export function lengthOf(bytes: Buffer): SoundLength {
  return soundLength(bytes.length, readBytes(bytes, reportLength(bytes.length)));
}

/** Same as `lengthOf`, for a sound that may be on disk. */
export async function lengthIn(source: ByteSource): Promise<SoundLength> {
  return soundLength(source.size, await readSource(source, reportLength(source.size)));
}

interface ReportedLength {
  /** Length in seconds; 0 if the file reports none. */
  reported: number;
  isCounted: boolean;
  reader: Reader | undefined;
}

function soundLength(size: number, { reported, isCounted, reader }: ReportedLength): SoundLength {
  if (reported > 0 && isCounted) return { usual: reported, most: reported };
  const { usual, most } = guessedSeconds(size, ratesOf(reader));
  return { usual: Math.max(reported, usual), most: Math.max(reported, most) };
}

function* reportLength(size: number): Reading<ReportedLength> {
  const head = yield { start: 0, end: longestMark };
  const reader = readerOf(head);
  const { seconds = 0, isCounted = false } = reader === undefined ? {} : yield* reader(size);
  return { reported: Number.isFinite(seconds) && seconds > 0 ? seconds : 0, isCounted, reader };
}

/** Bits per second of speech: usual and minimum. */
interface Rates {
  usual: number;
  least: number;
}

const someFormat: Rates = { usual: 32_000, least: 6_000 };

function ratesOf(reader: Reader | undefined): Rates {
  if (reader === ofFlac) return { usual: 128_000, least: 32_000 };
  return reader === ofMp4 ? { ...someFormat, usual: 64_000 } : someFormat;
}

/** Estimates the length from the size. */
export function guessedSeconds(size: number, { usual, least }: Rates = someFormat): SoundLength {
  return { usual: (size * 8) / usual, most: (size * 8) / least };
}

/** Minimum share of the file that must be counted frames. */
const countedShare = 0.9;

function readerOf(bytes: Buffer): Reader | undefined {
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WAVE', 8)) return ofWav;
  if (startsWith(bytes, 'OggS')) return ofOgg;
  if (startsWith(bytes, 'fLaC')) return ofFlac;
  if (startsWith(bytes, 'ftyp', 4)) return ofMp4;
  if (startsWith(bytes, '\x1a\x45\xdf\xa3')) return ofWebm;
  return startsWith(bytes, 'ID3') || isSync(bytes, 0) ? ofFrames : undefined;
}

/** http://soundfile.sapp.org/doc/WaveFormat/ */
function* ofWav(size: number): Reading<Reported> {
  const head = yield { start: 0, end: 44 };
  let byteRate = 0;
  for (let at = 12, step = 0; at + 8 <= size && step < mostBoxes; step += 1) {
    const box = yield { start: at, end: at + 24 };
    const length = box.readUInt32LE(4);
    const start = at + 8;
    if (startsWith(box, 'fmt ') && start + 16 <= size) byteRate = waveRate(box, 8);
    if (startsWith(box, 'data')) {
      const rest = size - start;
      if (byteRate === 0) return {};
      // A file written as a stream does not know its length.
      const seconds = (length === 0 || length > rest ? rest : length) / byteRate;
      return { seconds, isCounted: isPlainWave(head, { size, seconds }) };
    }
    at = start + length + (length % 2);
  }
  return {};
}

const plainSamples = new Set([1, 3]);
const wavePcm = new Set([...plainSamples, 0xfffe]);
const sampleBits = new Set([8, 16, 24, 32, 64]);
const mostSpeakers = 8;

/**
 * Reports whether the samples start where WAV files usually have them, are uncompressed, and fill nearly the whole
 * file.
 */
function isPlainWave(head: Buffer, { size, seconds }: { size: number; seconds: number }): boolean {
  if (head.length < 44 || !startsWith(head, 'fmt ', 12) || !plainSamples.has(head.readUInt16LE(20))) return false;
  const speakers = head.readUInt16LE(22);
  if (speakers > mostSpeakers || !sampleBits.has(head.readUInt16LE(34))) return false;
  return seconds * waveRate(head, 20) >= countedShare * size;
}

/** Bytes per second, computed from the sample format if uncompressed. */
function waveRate(bytes: Buffer, at: number): number {
  const samples = (bytes.readUInt16LE(at + 2) * bytes.readUInt32LE(at + 4) * bytes.readUInt16LE(at + 14)) / 8;
  return wavePcm.has(bytes.readUInt16LE(at)) && samples > 0 ? samples : bytes.readUInt32LE(at + 8);
}

/** Maximum number of frames read; the rest of a longer sound is assumed to be alike. */
const mostFrames = 200_000;
/** Maximum number of bytes without a frame that are skipped. */
const mostGap = 64 * 1024;

/** Sums MP3 or AAC frames; each header has its frame's length. */
function* ofFrames(size: number): Reading<Reported> {
  const { seconds, bytes } = yield* framesIn(size);
  return seconds === 0 ? {} : { seconds, isCounted: bytes >= countedShare * size };
}

/** Total seconds and bytes of the frames. */
function* framesIn(size: number): Reading<{ seconds: number; bytes: number }> {
  const head = yield { start: 0, end: longestMark };
  const from = startsWith(head, 'ID3') ? Math.min(size, tagLength(head)) : 0;
  let [at, seconds, step, gap, covered] = [from, 0, 0, 0, 0];
  let [piece, start] = [head, 0];
  while (at + frameHead <= size && step < mostFrames && gap < mostGap) {
    if (at + frameHead > start + piece.length) {
      start = at;
      piece = yield { start, end: start + pieceBytes };
    }
    const frame = isSync(piece, at - start) ? frameAt(piece, at - start) : undefined;
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
  const share = step < mostFrames ? 1 : (size - from) / (at - from);
  return { seconds: seconds * share, bytes: covered * share };
}

const frameHead = 7;

/** https://id3.org/id3v2.4.0-structure */
function tagLength(bytes: Buffer): number {
  let size = 0;
  for (let index = 6; index < 10; index += 1) size = size * 128 + ((bytes[index] ?? 0) & 0x7f);
  return 10 + size;
}

function isSync(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0;
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
/** Kilobits per second by index: version 1 by layer, then later versions. */
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
