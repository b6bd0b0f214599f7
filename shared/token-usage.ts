// Tokens of a call by price class: what every format's usage is read into, what prices are for, and what is written again.

/**
 * Whole numbers from 0 up. The classes do not overlap, except that `reasoning` is a share of `output`, and the audio and image
 * classes are shares of `input`, of `output` and of `cacheRead`.
 */
export interface TokenUsage {
  /** Input that was neither read from nor written to the provider's cache. */
  input: number;
  cacheRead: number;
  /** Written to the cache for five minutes, and for an hour. */
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  /** Of what was neither read from the cache nor written to it. */
  audioInput: number;
  audioOutput: number;
  imageInput: number;
  imageOutput: number;
  /** Of what was read from the cache. */
  audioCacheRead: number;
  imageCacheRead: number;
  /** Tier that the provider reports, by `tierNamed`; missing: none reported. */
  tier?: string;
  /** US dollars that the provider says it takes for the call; missing: it says nothing. */
  cost?: number;
  /** Queries of its search that the provider says it has run; missing: it says nothing. */
  searches?: number;
}

/** What another model has written within a call, which names it. */
export interface AdviceUsage {
  model: string;
  usage: TokenUsage;
}

/** Lifetime of cached parts of a prompt at the provider, by the price class of writing them. */
export type CacheWriteClass = 'cacheWrite5m' | 'cacheWrite1h';

export const noTokens: Readonly<TokenUsage> = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0,
  imageInput: 0,
  imageOutput: 0,
  audioCacheRead: 0,
  imageCacheRead: 0,
};

/** All tokens that the model read, cached ones included. */
export function inputTokens(usage: Readonly<TokenUsage>): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

export function sumOfUsages(one: Readonly<TokenUsage>, other: Readonly<TokenUsage>): TokenUsage {
  const sum = (name: Exclude<keyof TokenUsage, 'tier' | 'cost' | 'searches'>) => one[name] + other[name];
  return {
    ...(one.cost === undefined || other.cost === undefined ? {} : { cost: one.cost + other.cost }),
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
    output: sum('output'),
    reasoning: sum('reasoning'),
    audioInput: sum('audioInput'),
    audioOutput: sum('audioOutput'),
    imageInput: sum('imageInput'),
    imageOutput: sum('imageOutput'),
    audioCacheRead: sum('audioCacheRead'),
    imageCacheRead: sum('imageCacheRead'),
  };
}
