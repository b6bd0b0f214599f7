// What inline audio, video and files may be worth in tokens, by the length of their data: nobody looks into them, and a long clip is no
// short one. Usual encodings say what is likely, the densest usual ones what has to be reserved for. What a URL or a name stands for is
// never fetched, because a count must not depend on other machines: that stays a guess, but for films and sound, which may be of any
// length. A call of every format may go to a provider that takes them where others have images.
import { inlineData } from './media.ts';
import { isFilmAddress, longestAddress, parseAddress } from './media-addresses.ts';
import { addMediaTokens, mostPromptTokens } from './prompt-content.ts';
import type { PromptContent } from './prompt-content.ts';

/** Tokens of one vendor's models. */
export interface MediaRates {
  audioPerSecond: number;
  videoPerSecond: number;
  perPage: number;
}

export interface InlineMedia {
  /** Base64. */
  data: unknown;
  mimeType: string;
  rates: MediaRates;
  /** Tokens of one of unknown length. */
  guess: number;
  /** The most of an image; missing: that. */
  mostOfImage?: number | undefined;
}

/** What stands in a field that takes an address as well as data. */
export interface LinkedMedia {
  /** An address, a data URL or bare base64. */
  value: unknown;
  /** Of data and addresses that do not say theirs. */
  usualType: string;
  rates: MediaRates;
  /** Tokens of one of unknown length, of the usual type. */
  guess: number;
  /** The most of an image; missing: that. */
  mostOfImage?: number | undefined;
  /** The same where a data URL has a type of another kind. */
  guessOfOthers: number;
}

/** Bytes of a second of sound or picture, of a page, of a token of text; the densest usual ones have fewer. */
const audioBytes = { usual: 8_000, densest: 1_000 };
const videoBytes = { usual: 125_000, densest: 10_000 };
const pageBytes = { usual: 50_000, densest: 10_000 };
const textBytes = { usual: 4, densest: 2 };
/** Google's, who counts more than others: calls of every format may go there. */
const mostAudioPerSecond = 32;
/** https://ai.google.dev/gemini-api/docs/document-processing; the others take fewer. */
const mostPages = 1000;
const textTypes = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-javascript|x-typescript|x-sh|rtf|x-ndjson|jsonl))/;

export function isTextType(mimeType: string): boolean {
  return textTypes.test(mimeType);
}

/** Plain sound has no less and no more: 8-bit of a quarter of a telephone's rate, eight channels of studios. */
const wavBytes = { least: 2_000, most: 6_144_000 };
const clipEnding = /\.(?:3gpp?|aac|aiff?|avi|flac|flv|m4[av]|mkv|mov|mp[34]|mpe?g|mpga|og[agv]|opus|wav|web[am]|wmv)$/i;

/** Of an address what `addMediaUrl` says, of data what its length does. */
export function addMedia(prompt: PromptContent, { value, usualType, rates, guess, mostOfImage, guessOfOthers }: LinkedMedia): void {
  if (typeof value === 'string' && /^\s*https?:/i.test(value)) {
    addMediaUrl(prompt, value, { guess, mostOfImage, mimeType: usualType });
    return;
  }
  const { data, mimeType = usualType } = inlineData(value);
  addInlineMedia(prompt, { data, mimeType, rates, mostOfImage, guess: kindOf(mimeType) === kindOf(usualType) ? guess : guessOfOthers });
}

/** An address or a name. `guess`: tokens of one of unknown length; `mimeType`: as its caller tells, or the field does. */
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

/** Endings of files that are read page by page; pictures are guessed as any. */
/** Tokens of a page as OpenAI, who alone stores files, counts them. */
const storedPage = 2000;
const paged = /\.(?:pdf|docx?|odt|pptx?|xlsx?)$/i;
const picture = /\.(?:png|jpe?g|gif|webp)$/i;

/** One that lies at its provider, beside what is guessed of its place in the prompt. */
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

/**
 * Of sound that is not compressed its header tells. Null: it is something else, or tells what no sound has.
 * http://soundfile.sapp.org/doc/WaveFormat/
 */
function bytesPerSecond(data: string): number | null {
  const head = Buffer.from(data.slice(0, 48), 'base64');
  if (head.length < 36 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 12, 16) !== 'fmt ') return null;
  const isPlain = head.readUInt16LE(20) === 1;
  const rate = head.readUInt32LE(24) * head.readUInt16LE(22) * (head.readUInt16LE(34) / 8);
  return isPlain && rate >= wavBytes.least && rate <= wavBytes.most ? rate : null;
}
