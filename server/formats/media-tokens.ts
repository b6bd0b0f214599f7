// Estimates tokens of inline audio, video and files from the length of their data, without decoding them: by the usual
// encodings for the estimate, by the densest ones for the reservation. Media given by URL or id is not fetched, because a
// count must not depend on other machines; for audio and video of unknown length the maximum is reserved. Media fields of
// every format count as any kind, because the provider may accept audio or video where others accept images.
import { inlineData } from './media.ts';
import { isFilmAddress, longestAddress, parseAddress } from './media-addresses.ts';
import { addMediaTokens, mostPromptTokens, type PromptContent } from './prompt-content.ts';

export interface MediaRates {
  audioPerSecond: number;
  videoPerSecond: number;
  perPage: number;
}

export interface InlineMedia {
  data: unknown;
  mimeType: string;
  rates: MediaRates;
  /** Tokens if the length is unknown. */
  guess: number;
  /** Maximum tokens of an image. If undefined, `guess`. */
  mostOfImage?: number | undefined;
}

/** Media of a field that accepts a URL or data. */
export interface LinkedMedia {
  /** URL, data URL or bare base64. */
  value: unknown;
  /** Type of data and URLs that do not state one. */
  usualType: string;
  rates: MediaRates;
  /** Tokens of media of the usual type and unknown length. */
  guess: number;
  /** Maximum tokens of an image. If undefined, `guess`. */
  mostOfImage?: number | undefined;
  /** Like `guess`, for a data URL of another kind. */
  guessOfOthers: number;
}

/** Bytes per second of audio or video, per page and per token of text; the densest usual encodings have fewer. */
const audioBytes = { usual: 8_000, densest: 1_000 };
const videoBytes = { usual: 125_000, densest: 10_000 };
const pageBytes = { usual: 50_000, densest: 10_000 };
const textBytes = { usual: 4, densest: 2 };
/** Google's tokens per second, the most of any vendor: calls of every format may reach it. */
const mostAudioPerSecond = 32;
/** Maximum pages of a document; other vendors accept fewer. https://ai.google.dev/gemini-api/docs/document-processing */
const mostPages = 1000;
const textTypes = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-javascript|x-typescript|x-sh|rtf|x-ndjson|jsonl))/;

export function isTextType(mimeType: string): boolean {
  return textTypes.test(mimeType);
}

/** Limits of uncompressed audio: from 8-bit mono at 2 kHz to eight studio channels. */
const wavBytes = { least: 2_000, most: 6_144_000 };
const clipEnding = /\.(?:3gpp?|aac|aiff?|avi|flac|flv|m4[av]|mkv|mov|mp[34]|mpe?g|mpga|og[agv]|opus|wav|web[am]|wmv)$/i;

/** Adds data by its length, and a URL with `addMediaUrl`. */
export function addMedia(prompt: PromptContent, { value, usualType, rates, guess, mostOfImage, guessOfOthers }: LinkedMedia): void {
  if (typeof value === 'string' && /^\s*https?:/i.test(value)) {
    addMediaUrl(prompt, value, { guess, mostOfImage, mimeType: usualType });
    return;
  }
  const { data, mimeType = usualType } = inlineData(value);
  addInlineMedia(prompt, { data, mimeType, rates, mostOfImage, guess: kindOf(mimeType) === kindOf(usualType) ? guess : guessOfOthers });
}

/** Adds a URL or id. `guess`: tokens if the length is unknown; `mimeType`: as the caller or the field states. */
export function addMediaUrl(
  prompt: PromptContent,
  url: unknown,
  { guess, mostOfImage = guess, mimeType }: { guess: number; mostOfImage?: number | undefined; mimeType: string },
): void {
  const most = isLong(mimeType) || (typeof url === 'string' && isFilm(url)) ? mostPromptTokens : Math.max(guess, mostOfImage);
  addMediaTokens(prompt, guess, { most, isAudio: isAudio(mimeType) });
}

function isLong(mimeType: string): boolean {
  return isAudio(mimeType) || kindOf(mimeType) === 'video';
}

function isFilm(address: string): boolean {
  const url = parseAddress(address);
  return address.length > longestAddress || isFilmAddress(address) || (url !== null && clipEnding.test(url.pathname));
}

function kindOf(mimeType: string): string {
  return mimeType.split('/', 1)[0] ?? '';
}

export function addInlineMedia(prompt: PromptContent, media: InlineMedia): void {
  const { usual, most } = tokensOf(media);
  const bounded = (tokens: number) => Math.max(media.guess, Math.min(mostPromptTokens, tokens));
  addMediaTokens(prompt, bounded(usual), { most: bounded(most), isAudio: isAudio(media.mimeType) });
}

export function isAudio(mimeType: string): boolean {
  return mimeType.startsWith('audio/');
}

/** Tokens of a page in OpenAI's count, the only vendor that stores files. */
const storedPage = 2000;
const paged = /\.(?:pdf|docx?|odt|pptx?|xlsx?)$/i;
const picture = /\.(?:png|jpe?g|gif|webp)$/i;

/** Adds a file stored at the provider; its mention in the prompt is estimated separately. */
export function addStoredFile(prompt: PromptContent, { bytes, filename }: { bytes: number; filename: string }): void {
  if (picture.test(filename)) return;
  const { usual, most } = paged.test(filename) ? pagesOf(bytes, storedPage) : range(bytes, textBytes, 1);
  addMediaTokens(prompt, Math.min(mostPromptTokens, usual), { most: Math.min(mostPromptTokens, most) });
}

function tokensOf({ data, mimeType, rates, mostOfImage = 0 }: InlineMedia): { usual: number; most: number } {
  if (typeof data !== 'string' || mimeType.startsWith('image/')) return { usual: 0, most: mimeType.startsWith('image/') ? mostOfImage : 0 };
  const bytes = Math.ceil((data.length * 3) / 4);
  if (isAudio(mimeType)) {
    const exact = bytesPerSecond(data);
    const { usual, densest } = exact === null ? audioBytes : { usual: exact, densest: exact };
    return { usual: Math.ceil((bytes / usual) * rates.audioPerSecond), most: Math.ceil((bytes / densest) * mostAudioPerSecond) };
  }
  if (isTextType(mimeType)) return range(bytes, textBytes, 1);
  if (mimeType.startsWith('application/')) {
    return pagesOf(bytes, rates.perPage);
  }
  return range(bytes, videoBytes, rates.videoPerSecond);
}

function pagesOf(bytes: number, perPage: number): { usual: number; most: number } {
  const { usual, densest } = pageBytes;
  const tokens = (ofPage: number) => Math.ceil(Math.min(mostPages, bytes / ofPage) * perPage);
  return { usual: tokens(usual), most: tokens(densest) };
}

function range(bytes: number, { usual, densest }: { usual: number; densest: number }, tokens: number): { usual: number; most: number } {
  return { usual: Math.ceil((bytes / usual) * tokens), most: Math.ceil((bytes / densest) * tokens) };
}

/** Reads the byte rate from a WAV header; null for other data or an implausible rate. http://soundfile.sapp.org/doc/WaveFormat/ */
function bytesPerSecond(data: string): number | null {
  const head = Buffer.from(data.slice(0, 48), 'base64');
  if (head.length < 36 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 12, 16) !== 'fmt ') return null;
  const isPlain = head.readUInt16LE(20) === 1;
  const rate = head.readUInt32LE(24) * head.readUInt16LE(22) * (head.readUInt16LE(34) / 8);
  return isPlain && rate >= wavBytes.least && rate <= wavBytes.most ? rate : null;
}
