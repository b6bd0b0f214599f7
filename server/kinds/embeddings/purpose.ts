// What vectors are for: to be found by (`query`), or to be found (`document`). Vendors have names of their own for it, and callers say it in any of them.

export type Purpose = 'query' | 'document';

type Body = Readonly<Record<string, unknown>>;

/** The fields that say it: of Cohere, of Google, of Ali and of Jina. */
const fields = ['input_type', 'task_type', 'taskType', 'text_type', 'task'] as const;

/**
 * @returns undefined: nothing is said, or something else than the two; `left` are the fields that say neither
 * @param own names that go on by themselves
 */
export function purposeIn(extras: Body, own: readonly string[] = []): { purpose: Purpose | undefined; left: Body } {
  let purpose: Purpose | undefined;
  const left: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(extras)) {
    const said = own.includes(name) || !fields.some((field) => field === name) ? undefined : purposeOf(value);
    if (said === undefined) left[name] = value;
    else purpose ??= said;
  }
  return { purpose, left };
}

function purposeOf(value: unknown): Purpose | undefined {
  if (typeof value !== 'string') return undefined;
  if (/query$/i.test(value)) return 'query';
  return /(?:document|passage)$/i.test(value) ? 'document' : undefined;
}
