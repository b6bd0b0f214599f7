// Apart from the rules themselves: schemas that the console uses as well do not bring the sentences with them.
import type { PlainRule } from '#shared/field-rules.ts';

/** For a check that a schema makes by a function: which rule is broken by what fails it. */
export function ruleCheck(rule: PlainRule): { params: { rule: PlainRule } } {
  return { params: { rule } };
}
