// How a provider is asked to speak in words of its own, and how it tells the sound.
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import type { TokenUsage } from '#shared/token-usage.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface SpeechFormat {
  /** @param body the caller's, which was checked, with what the channel overrides @param model the name that goes upstream */
  writeRequest(body: Body, model: string): WrittenSpeech;
  /** Of a whole response. Missing: it sends the sound itself. Null: it is not of this form. */
  readResponse?(reported: Body): ReportedSpeech | { error: ErrorInResponse } | null;
  /** Of an event, where it is asked for a stream. Null: it is not of this form. */
  readEvent?(reported: Body): ReportedPiece | { error: ErrorInResponse } | null;
  /** What it tells as read is characters, as it bills them. */
  countsCharacters?: true;
  /** Samples come in a WAV file, whose head callers of `pcm` do not get. */
  headsSamples?: true;
}

/** What comes is sound, of whichever type. */
export const anyType = { accept: '*/*' };

export interface WrittenSpeech {
  body: Record<string, unknown>;
  /** Names of the caller's fields that the provider has no place for. */
  dropped: readonly string[];
  /** Beside those of the channel. */
  headers?: Readonly<Record<string, string>>;
  /** It asks for events, with sound in this format. Missing: for a whole response. */
  streamed?: string;
}

export interface ReportedSpeech {
  /** One of the three; long texts are marks of `liftLongTexts`. */
  base64?: string;
  hex?: string;
  url?: string;
  /** It is plain samples of 16 bits, one channel, so many a second. Missing: it has a head of its own. */
  sampleRate?: number;
  /** Null: none was told. */
  usage: TokenUsage | null;
}

/** What an event brings. */
export interface ReportedPiece {
  /** With the end: all of the sound, which counts where none came before. */
  sound?: Buffer;
  isLast?: boolean;
  /** Told with the end. */
  usage?: TokenUsage | null;
}

/** What every form has a place for. */
const usual: ReadonlySet<string> = new Set(['model', 'input', 'stream_format', 'stream']);

/** @param known fields that have a place */
export function droppedOf(body: Body, known: readonly string[]): string[] {
  return Object.keys(body).filter((name) => body[name] !== undefined && body[name] !== null && !usual.has(name) && !known.includes(name));
}

/** Those of OpenAI, which nobody else has: callers who know no other get the provider's usual one. */
const voicesOfOpenai = /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/;

/** @returns `dropped`: what its caller asked for and does not get */
export function voiceOf({ voice }: Body, usualVoice: string): { voice: string; dropped: readonly string[] } {
  if (typeof voice === 'string' && voice !== '' && !voicesOfOpenai.test(voice)) return { voice, dropped: [] };
  return { voice: usualVoice, dropped: voice === undefined ? [] : ['voice'] };
}

export function speedIn({ speed }: Body, [slowest, fastest]: readonly [number, number]): number | undefined {
  return typeof speed === 'number' ? Math.min(Math.max(speed, slowest), fastest) : undefined;
}
