// Purpose of a vector: a search query (`query`) or a searched document (`document`). Callers may use any vendor's field
// for it.

export type Purpose = 'query' | 'document';

type Body = Readonly<Record<string, unknown>>;

/** Purpose fields of Cohere, Google, Ali and Jina. */
const fields = ['input_type', 'task_type', 'taskType', 'text_type', 'task'] as const;

/**
 * @returns `purpose`: undefined if absent or neither of the two; `left`: fields that hold no purpose
 * @param own names that are forwarded unchanged
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
