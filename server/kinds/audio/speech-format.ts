// Wire format of a vendor's speech API: how requests are written and responses read.
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import type { TokenUsage } from '#shared/token-usage.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface SpeechFormat {
  /**
   * @param body the caller's checked body with the channel's overrides
   * @param model upstream model name
   */
  writeRequest(body: Body, model: string): WrittenSpeech;
  /** Reads a whole response; returns null if it is not of this format. If undefined, the provider sends raw sound. */
  readResponse?(reported: Body): ReportedSpeech | { error: ErrorInResponse } | null;
  /** Reads a stream event; returns null if it is not of this format. */
  readEvent?(reported: Body): ReportedPiece | { error: ErrorInResponse } | null;
  /** The usage that `readResponse` and `readEvent` report as input counts characters, the billed unit. */
  countsCharacters?: true;
  /** Samples come in a WAV file, whose header is removed for callers of `pcm`. */
  headsSamples?: true;
}

/** Accepts sound of any type. */
export const anyType = { accept: '*/*' };

export interface WrittenSpeech {
  body: Record<string, unknown>;
  /** Names of the caller's fields that the provider cannot carry. */
  dropped: readonly string[];
  /** Headers sent in addition to the channel's. */
  headers?: Readonly<Record<string, string>>;
  /** Sound format of the events requested; if undefined, a whole response is requested. */
  streamed?: string;
}

export interface ReportedSpeech {
  /** Exactly one of `base64`, `hex` and `url` is set; long texts are marks of `liftLongTexts`. */
  base64?: string;
  hex?: string;
  url?: string;
  /** Rate of raw samples, 16 bits, one channel; if undefined, the sound has a header. */
  sampleRate?: number;
  /** Null if the response reports none. */
  usage: TokenUsage | null;
}

/** Content of one stream event. */
export interface ReportedPiece {
  /** The last event has the whole sound, which is used only if no sound came before. */
  sound?: Buffer;
  isLast?: boolean;
  /** Usage, reported with the last event. */
  usage?: TokenUsage | null;
}

/** Fields that every vendor format carries. */
const usual: ReadonlySet<string> = new Set(['model', 'input', 'stream_format', 'stream']);

/** @param known fields that the vendor format carries */
export function droppedOf(body: Body, known: readonly string[]): string[] {
  return Object.keys(body).filter((name) => body[name] !== undefined && body[name] !== null && !usual.has(name) && !known.includes(name));
}

/** Voices that only OpenAI has; callers who name one get the provider's usual voice. */
const voicesOfOpenai = /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/;

/** @returns `dropped`: fields that were requested but are not applied */
export function voiceOf({ voice }: Body, usualVoice: string): { voice: string; dropped: readonly string[] } {
  if (typeof voice === 'string' && voice !== '' && !voicesOfOpenai.test(voice)) return { voice, dropped: [] };
  return { voice: usualVoice, dropped: voice === undefined ? [] : ['voice'] };
}

export function speedIn({ speed }: Body, [slowest, fastest]: readonly [number, number]): number | undefined {
  return typeof speed === 'number' ? Math.min(Math.max(speed, slowest), fastest) : undefined;
}
