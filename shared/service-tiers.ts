// What a call costs in another lane of its provider than the usual one: faster and dearer, or slower and cheaper.
import { modelFit } from '#shared/long-inputs.ts';
import type { NumberMap } from '#shared/setting-values.ts';

const entry = /^([a-z][a-z_]{0,23}):(\S.*)$/;

/** The usual lane, whose price is the model's own. */
export const standardTier = 'standard';

/** `priority:gpt-5*`: by how much everything costs more in that lane, of a model or of those whose names begin so. */
export function isTierPriceName(name: string): boolean {
  const found = entry.exec(name);
  return found !== null && found[1] !== standardTier;
}

/** A lane that goes by another name here (`tierNamed`) is never looked up by that one. */
export function isKnownTierName(name: string): boolean {
  const [, tier] = entry.exec(name) ?? [];
  return tier !== undefined && tierNamed(tier) === tier;
}

/** Factor by lane. A model's own name counts before a beginning of it, and of these the longest. */
export function tierFactorsOf(model: string, factors: NumberMap): ReadonlyMap<string, number> {
  const chosen = new Map<string, { fit: number; factor: number }>();
  for (const [name, factor] of Object.entries(factors)) {
    const [, tier = standardTier, models = ''] = entry.exec(name) ?? [];
    const fit = modelFit(model, models);
    if (tier !== standardTier && fit > (chosen.get(tier)?.fit ?? -1)) chosen.set(tier, { fit, factor });
  }
  return new Map([...chosen].map(([tier, { factor }]) => [tier, factor]));
}

/**
 * One name for what providers call a lane: `priority` and `fast` are one, as are `default` and `standard`. Undefined: it is not said,
 * or left to the provider.
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
