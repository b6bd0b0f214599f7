// What of a request counts as prompt tokens: its texts, and fixed numbers for everything else.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { CacheWriteClass } from '#shared/token-usage.ts';
import type { ProviderTraits } from './provider-traits.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** No model reads more, as far as its vendor's limit is known here. https://ai.google.dev/gemini-api/docs/models */
export const mostPromptTokens = 1_048_576;

export interface PromptContent {
  texts: string[];
  /** It is of a large body, of which nothing is copied. Missing: it is not. */
  isLarge?: true;
  /** Texts that are looked at as the others are, and whose tokens cost nothing; missing: there are none. */
  untokened?: readonly string[];
  /** Tokens of framing, images, audio and files. */
  fixed: number;
  /** Those of images, audio and files alone: a guess, since nobody looks into them. */
  media: number;
  /** The same, where all of it is as dense as such data usually can be. */
  mediaMost: number;
  /** The caller asks the provider to keep parts of it in its cache, and for how long at most. Null: it does not. */
  cacheWrite: CacheWriteClass | null;
  /** Of the tokens of media: audio. */
  audio: number;
  audioMost: number;
  /** The same of pictures, where they may have a price of their own; missing: there are none. */
  image?: number;
  imageMost?: number;
  /** The response may be spoken. */
  isSpoken: boolean;
  /** Tools that run at the provider, and how often its caller lets each of them; 0: it does not say. */
  hosted: Map<HostedKind, number> | null;
  /** What a price per call may have to be paid for, at the most; missing: the call. */
  units?: CallUnits;
  /** What a response that no model writes in words is paid for, at the most; missing: for nothing. */
  made?(route: MadeBy): Made;
}

/** The model's name at the provider, and what is said there whatever the caller says; null: nothing. */
export interface MadeBy {
  readonly upstreamModel: string;
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  /** Missing: nobody knows who will be asked. */
  readonly provider?: Pick<ProviderTraits, 'images'>;
}

/** Pictures, what is written of a sound, or a sound. */
export interface Made {
  units: CallUnits;
  /** Of output, where tokens are paid. */
  tokens: number;
  /** Each has the prompt. Missing: one. */
  requests?: number;
}

export function emptyPrompt(isLarge = false): PromptContent {
  return {
    ...(isLarge ? { isLarge } : {}),
    texts: [],
    fixed: 0,
    media: 0,
    mediaMost: 0,
    cacheWrite: null,
    audio: 0,
    audioMost: 0,
    isSpoken: false,
    hosted: null,
  };
}

/** JSON as models read it. Of a large body its long texts stand beside it, as they are. */
export function addJson(prompt: PromptContent, value: unknown): void {
  if (value === undefined || value === null) return;
  prompt.texts.push(JSON.stringify(prompt.isLarge === true ? withoutLong(value, prompt.texts) : value));
}

/** Characters. */
const leastLong = 16 * 1024;

function withoutLong(value: unknown, texts: string[]): unknown {
  if (typeof value === 'string') {
    if (value.length < leastLong) return value;
    texts.push(value);
    return '';
  }
  if (Array.isArray(value)) return value.map((item) => withoutLong(item, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLong(member, texts)]));
}

/** Images, audio and files. `most`: where they may be worth more than what is guessed. */
export function addMediaTokens(
  prompt: PromptContent,
  tokens: number,
  { most = tokens, isAudio = false, isImage = false }: { most?: number; isAudio?: boolean; isImage?: boolean } = {},
): void {
  prompt.fixed += tokens;
  prompt.media += tokens;
  prompt.mediaMost += most;
  if (isImage) {
    prompt.image = (prompt.image ?? 0) + tokens;
    prompt.imageMost = (prompt.imageMost ?? 0) + most;
  }
  if (!isAudio) return;
  prompt.audio += tokens;
  prompt.audioMost += most;
}

/** To be called with every part of a request that may have a `cache_control`. */
export function noteCacheControl(prompt: PromptContent, { cache_control: control }: Readonly<Record<string, unknown>>): void {
  if (!isObject(control)) return;
  if (control.ttl === '1h') prompt.cacheWrite = 'cacheWrite1h';
  else prompt.cacheWrite ??= 'cacheWrite5m';
}

/** To be called with every tool that a request offers and that runs at the provider. */
export function noteHosted(prompt: PromptContent, kind: HostedKind, mostCalls: unknown): void {
  const most = typeof mostCalls === 'number' && Number.isInteger(mostCalls) && mostCalls > 0 ? mostCalls : 0;
  prompt.hosted ??= new Map();
  const before = prompt.hosted.get(kind);
  // Of two that are the same one each may run as often as it says.
  prompt.hosted.set(kind, before === undefined ? most : most === 0 || before === 0 ? 0 : before + most);
}

/** A file's name, which models are told. Its tokens are among those that are guessed for the file. */
export function addFileName(prompt: PromptContent, name: unknown): void {
  if (typeof name === 'string' && name !== '') prompt.untokened = [...(prompt.untokened ?? []), name];
}
