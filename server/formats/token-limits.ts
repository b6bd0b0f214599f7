// How many tokens a choice of a response may have, where a format says so.
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

/** The places of a format's limits within a request. */
export interface TokenLimits {
  /** Names that are on the way to a limit, or are one. */
  readonly names: readonly string[];
  /** The larger of the limits on each choice; undefined: none, or only what many upstreams take for none. */
  read(body: Body): number | undefined;
  /** Lowers the limits that are there. Where there is none, the first place gets one. */
  bound(body: Body, tokens: number): Record<string, unknown>;
  /** Its providers cannot be told a limit: a response is as long as its model makes it. */
  readonly areNone?: true;
}

/** Of a format that has no place for a limit. */
export const noLimits: TokenLimits = { names: [], read: () => undefined, bound: (body) => ({ ...body }), areNone: true };

/**
 * @param first the place that is set where there is no limit, which is renamed for models that know it by another name
 * @param others places as they are written with dots: `generationConfig.maxOutputTokens`
 */
export function limitsAt(first: string, ...others: readonly string[]): TokenLimits {
  const firstPath = first.split('.');
  const paths = [firstPath, ...others.map((place) => place.split('.'))];
  return {
    names: [...new Set(paths.flat())],
    read(body) {
      let largest: number | undefined;
      for (const path of paths) {
        const limit = valueAt(body, path);
        if (typeof limit === 'number' && limit > (largest ?? 0)) largest = limit;
      }
      return largest;
    },
    bound(body, tokens) {
      let bounded: Record<string, unknown> = { ...body };
      let hasLimit = false;
      for (const path of paths) {
        const limit = valueAt(bounded, path);
        if (typeof limit !== 'number') continue;
        hasLimit = true;
        if (limit > tokens || limit <= 0) bounded = withValue(bounded, path, tokens);
      }
      if (hasLimit) return bounded;
      // What stands there without a number is no limit, and says by which name its provider knows one.
      return withValue(bounded, paths.find((path) => valueAt(bounded, path) !== undefined) ?? firstPath, tokens);
    },
  };
}

/** Of numbers that may be anything; undefined: none of them is one. */
export function largestCount(...values: readonly unknown[]): number | undefined {
  const counts = values.filter((value): value is number => typeof value === 'number' && value > 0);
  return counts.length === 0 ? undefined : Math.ceil(Math.max(...counts));
}

function valueAt(body: Body, path: readonly string[]): unknown {
  const [first = ''] = path;
  let value: unknown = body[first];
  for (let at = 1; at < path.length; at += 1) value = isObject(value) ? value[path[at] ?? ''] : undefined;
  return value;
}

/** A copy, as far as it differs. */
function withValue(body: Body, [name = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = body[name];
  return { ...body, [name]: withValue(isObject(inner) ? inner : {}, rest, value) };
}

interface Reserved {
  outputBound?: number;
  choiceLimit?: number;
  route: { readonly paramOverride: Body | null };
}

/** After edits: what was reserved for is the most that may be asked for, and an override that takes a limit away does not. */
export function retainLimits(
  body: Record<string, unknown>,
  { outputBound, choiceLimit, route: { paramOverride } }: Reserved,
  limits: TokenLimits,
): Record<string, unknown> {
  const bounded = outputBound === undefined ? body : limits.bound(body, outputBound);
  if (choiceLimit === undefined) return bounded;
  const isOverridden = paramOverride !== null && limits.names.some((name) => Object.hasOwn(paramOverride, name));
  return limits.read(bounded) === undefined && !isOverridden ? bounded : limits.bound(bounded, choiceLimit);
}
