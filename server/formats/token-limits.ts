// Reads and writes the token limits of a choice in a format's requests.
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

export interface TokenLimits {
  /** Members that are limits or contain one. */
  readonly names: readonly string[];
  /** Returns the largest limit of a choice; undefined if there is none, or a value that many upstreams treat as none. */
  read(body: Body): number | undefined;
  /** Lowers existing limits; sets the first one if there is none. */
  bound(body: Body, tokens: number): Record<string, unknown>;
  /** Whether the format has no limit, so that models choose the length. */
  readonly areNone?: true;
}

/** Limits of a format without any. */
export const noLimits: TokenLimits = { names: [], read: () => undefined, bound: (body) => ({ ...body }), areNone: true };

/**
 * @param first path that is set if no limit exists; it may be renamed for the model later
 * @param others dotted paths: `generationConfig.maxOutputTokens`
 */
export function limitsAt(first: string, ...others: readonly string[]): TokenLimits {
  const firstPath = first.split('.');
  const paths = [firstPath, ...others.map((place) => place.split('.'))];
  return {
    names: [...new Set(paths.flat())],
    read(body) {
      let largest: number | undefined;
      for (let index = 0; index < paths.length; index += 1) {
        const path = paths[index] ?? firstPath;
        const limit = path.length === 1 ? body[path[0] ?? ''] : valueAt(body, path);
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
      // A value that is no number is no limit, but shows which name the provider supports.
      return withValue(bounded, paths.find((path) => valueAt(bounded, path) !== undefined) ?? firstPath, tokens);
    },
  };
}

/** Returns the largest valid number; undefined if none is valid. */
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

/** Sets the value at a path; copies only the objects on the path. */
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

/** Restores limits after edits, which may neither exceed the reservation nor remove a limit. */
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
