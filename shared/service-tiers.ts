// Prices of a provider's service tiers: faster and more expensive, or slower and less expensive.
import { modelFit } from '#shared/long-inputs.ts';
import { type Bucket, buckets } from '#shared/price-buckets.ts';
import type { NumberMap } from '#shared/setting-values.ts';

const entry = /^([a-z][a-z_]{0,23})(?:\/([a-z][a-z_\d]{0,23}))?:(\S.*)$/;

/** Kinds of tokens that may have a factor of their own in a tier. */
export type TierPart = Exclude<Bucket['part'], 'prompt'>;

/** Kinds whose factor is that of another kind, if they have none of their own. */
const followed: Partial<Record<TierPart, TierPart>> = {
  cached_audio: 'cached',
  cached_image: 'cached',
  cache_creation_1h: 'cache_creation',
  audio_output: 'completion',
  image_output: 'completion',
};
const tierParts: ReadonlySet<string> = new Set(buckets.map(({ part }) => part).filter((part) => part !== 'prompt'));

export interface TierFactors {
  /** Factor of every usual price. */
  factor: number;
  /** Factors of single kinds of tokens, which take its place. */
  parts: Readonly<Partial<Record<TierPart, number>>>;
}

/**
 * Factors of tiers that have none in the settings: OpenAI, Anthropic and Google charge half for batches.
 * https://platform.openai.com/docs/guides/batch
 */
const usualFactors: Readonly<Record<string, number | undefined>> = { batch: 0.5 };

export function usualTierFactors(tier: string): TierFactors {
  return { factor: usualFactors[tier] ?? 1, parts: {} };
}

/** Returns the factor of a kind of tokens: its own, that of the kind that it follows, or the tier's. */
export function factorOfPart({ factor, parts }: TierFactors, part: Bucket['part']): number {
  if (part === 'prompt') return factor;
  const other = followed[part];
  return parts[part] ?? (other === undefined ? undefined : parts[other]) ?? factor;
}

/** The usual tier, whose price is the model's. */
export const standardTier = 'standard';

/**
 * `priority:gpt-5*`: factor of all prices in that tier, of a model or of those whose names begin so. `flex/cached:gemini-2.5*`: factor of one kind of
 * tokens, as receipts name it, instead.
 */
export function isTierPriceName(name: string): boolean {
  const [, tier = standardTier, part] = entry.exec(name) ?? [];
  return tier !== standardTier && (part === undefined || tierParts.has(part));
}

/** A tier that goes by another name here (`tierNamed`) is never looked up by that one. */
export function isKnownTierName(name: string): boolean {
  const [, tier] = entry.exec(name) ?? [];
  return tier !== undefined && tierNamed(tier) === tier;
}

/** Returns the factors by tier. A model's own name counts before a beginning of it, and of these the longest, for each kind of tokens by itself. */
export function tierFactorsOf(model: string, factors: NumberMap): ReadonlyMap<string, TierFactors> {
  const fits = new Map<string, number>();
  const found = new Map<string, TierFactors>();
  for (const [name, factor] of Object.entries(factors)) {
    const [, tier = standardTier, part, models = ''] = entry.exec(name) ?? [];
    const fit = modelFit(model, models);
    const place = `${tier}/${part ?? ''}`;
    if (tier === standardTier || fit <= (fits.get(place) ?? -1)) continue;
    fits.set(place, fit);
    const known = found.get(tier) ?? usualTierFactors(tier);
    if (part === undefined) found.set(tier, { ...known, factor });
    else if (isTierPart(part)) found.set(tier, { ...known, parts: { ...known.parts, [part]: factor } });
  }
  return found;
}

function isTierPart(part: string): part is TierPart {
  return tierParts.has(part);
}

/**
 * Maps the names of a tier to one: `priority` and `fast` are one, as are `default` and `standard`. Undefined: unspecified, or left to the provider.
 */
export function tierNamed(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.toLowerCase().replace(/^(service_tier|on_demand)_/, '');
  if (!/^[a-z][a-z_]{0,23}$/.test(name)) return undefined;
  return Object.hasOwn(names, name) ? names[name] : name;
}

const names: Readonly<Record<string, string | undefined>> = {
  fast: 'priority',
  default: standardTier,
  standard_only: standardTier,
  on_demand: standardTier,
  auto: undefined,
  unspecified: undefined,
  traffic_type_unspecified: undefined,
};
