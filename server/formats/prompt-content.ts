// Prompt content of a request, for token counts: its texts, and token numbers for everything else.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { CacheWriteClass } from '#shared/token-usage.ts';
import type { ProviderTraits } from './provider-traits.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** Maximum prompt tokens of all known models. https://ai.google.dev/gemini-api/docs/models */
export const mostPromptTokens = 1_048_576;

export interface PromptContent {
  texts: string[];
  /** Whether the body is large, so that its content is not copied. */
  isLarge?: true;
  /** Texts whose tokens are not counted, and which are only searched for blocked words. If undefined, none. */
  untokened?: readonly string[];
  /** Tokens of framing, images, audio and files. */
  fixed: number;
  /** Tokens of images, audio and files in `fixed`, estimated without decoding. */
  media: number;
  /** Like `media`, for the densest usual encodings. */
  mediaMost: number;
  /** Longest requested lifetime of cache writes; null if none is requested. */
  cacheWrite: CacheWriteClass | null;
  /** Audio tokens in `media`. */
  audio: number;
  audioMost: number;
  /** Image tokens in `media` that may have another price. If undefined, none. */
  image?: number;
  imageMost?: number;
  /** Whether the response may be audio. */
  isSpoken: boolean;
  /** Hosted tools with the maximum runs that the caller allows; 0 if unlimited. */
  hosted: Map<HostedKind, number> | null;
  /** Maximum units of a price per call. If undefined, the call itself. */
  units?: CallUnits;
  /** Maximum cost of a response without text. If undefined, none. */
  made?(route: MadeBy): Made;
}

/** Route data that the cost of generated media depends on. */
export interface MadeBy {
  readonly upstreamModel: string;
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  /** Traits of the provider; undefined if it is not chosen yet. */
  readonly provider?: Pick<ProviderTraits, 'images'>;
}

/** Generated images, transcripts or audio. */
export interface Made {
  units: CallUnits;
  /** Fewest units that are worth the call. If undefined, all of them. */
  leastUnits?: CallUnits;
  /** Output tokens, if tokens are billed. */
  tokens: number;
  /** Number of requests, each with the whole prompt. If undefined, one. */
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

/** Adds JSON as models read it. Long texts of a large body are added without copying. */
export function addJson(prompt: PromptContent, value: unknown): void {
  if (value === undefined || value === null) return;
  prompt.texts.push(JSON.stringify(prompt.isLarge === true ? withoutLong(value, prompt.texts) : value));
}

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

/** Adds tokens of images, audio and files. `most`: maximum, if they may exceed the estimate. */
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

/** Notes the cache lifetime of a part. Must be called with every part that may have a `cache_control`. */
export function noteCacheControl(prompt: PromptContent, { cache_control: control }: Readonly<Record<string, unknown>>): void {
  if (!isObject(control)) return;
  if (control.ttl === '1h') prompt.cacheWrite = 'cacheWrite1h';
  else prompt.cacheWrite ??= 'cacheWrite5m';
}

/** Notes a hosted tool. Must be called with every hosted tool of a request. */
export function noteHosted(prompt: PromptContent, kind: HostedKind, mostCalls: unknown): void {
  const most = typeof mostCalls === 'number' && Number.isInteger(mostCalls) && mostCalls > 0 ? mostCalls : 0;
  prompt.hosted ??= new Map();
  const before = prompt.hosted.get(kind);
  // Runs of duplicate tools add up.
  prompt.hosted.set(kind, before === undefined ? most : most === 0 || before === 0 ? 0 : before + most);
}

/** Adds a file's name, which models read. Its tokens are part of the file's estimate. */
export function addFileName(prompt: PromptContent, name: unknown): void {
  if (typeof name === 'string' && name !== '') prompt.untokened = [...(prompt.untokened ?? []), name];
}
