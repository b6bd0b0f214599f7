// Forms validate with the schema that the server uses, and show what the server refuses beside the field it concerns.
import type { z } from 'zod';

export interface FieldIssue {
  /** zod's kind of issue: `too_small`, `too_big`, `invalid_type`, `invalid_format`, `custom` … */
  code: string;
  minimum?: number | undefined;
  maximum?: number | undefined;
}

/**
 * Messages by field of what a schema finds wrong with a body; `say` turns an issue into words. Only the first issue of a
 * field counts. Fields of the schema and of the form are named alike.
 */
export function fieldErrors<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  say: (field: string, issue: FieldIssue) => string,
): Record<string, string> {
  const parsed = schema.safeParse(body);
  const messages: Record<string, string> = {};
  for (const issue of parsed.error?.issues ?? []) {
    const field = String(issue.path[0] ?? '');
    messages[field] ??= say(field, { code: issue.code, ...bounds(issue) });
  }
  return messages;
}

interface FieldFailure {
  message: string;
  field: string | undefined;
}

/** Shows a refusal at its field; false when the form has no such field, so that somebody else has to show it. */
export function showOnField(
  form: { getValues: () => object; setFieldError: (field: string, message: string) => void },
  failure: FieldFailure,
): boolean {
  if (failure.field === undefined || !(failure.field in form.getValues())) return false;
  form.setFieldError(failure.field, failure.message);
  return true;
}

function bounds(issue: object): { minimum?: number; maximum?: number } {
  return {
    ...('minimum' in issue && typeof issue.minimum === 'number' ? { minimum: issue.minimum } : {}),
    ...('maximum' in issue && typeof issue.maximum === 'number' ? { maximum: issue.maximum } : {}),
  };
}
