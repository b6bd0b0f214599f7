// How many tokens a choice of a response may have, by the fields in which a format says so.
type Body = Readonly<Record<string, unknown>>;

/** The larger of the limits on each choice; what many upstreams take for no limit is none. */
export function limitOf(body: Body, fields: readonly string[]): number | undefined {
  const limits = fields.map((field) => body[field]).filter((limit): limit is number => typeof limit === 'number' && limit > 0);
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** Lowers the limits that are there; where there is none, the first field is set, which is renamed for models that know it by another name. */
export function boundBody(body: Body, bound: number, fields: readonly string[]): Record<string, unknown> {
  const bounded: Record<string, unknown> = { ...body };
  let hasLimit = false;
  for (const field of fields) {
    const limit = bounded[field];
    if (typeof limit !== 'number') continue;
    hasLimit = true;
    if (limit > bound || limit <= 0) bounded[field] = bound;
  }
  const [first] = fields;
  if (!hasLimit && first !== undefined) bounded[first] = bound;
  return bounded;
}

interface Limits {
  outputBound?: number;
  choiceLimit?: number;
}

/** After edits: what was reserved for is the most that may be asked for. */
export function keepLimits(
  body: Record<string, unknown>,
  { outputBound, choiceLimit }: Limits,
  fields: readonly string[],
): Record<string, unknown> {
  const bounded = outputBound === undefined ? body : boundBody(body, outputBound, fields);
  return choiceLimit === undefined || limitOf(bounded, fields) === undefined ? bounded : boundBody(bounded, choiceLimit, fields);
}
