// Whether thoughts of earlier turns go back to the provider of a call.
import type { EncodeInput } from './encode-input.ts';
import type { ThoughtsRule } from './provider-traits.ts';

/** Undefined: the provider takes no thoughts of that model, or has refused them before. */
export function thoughtsRule({ route, withoutFields }: Pick<EncodeInput, 'route' | 'withoutFields'>): ThoughtsRule | undefined {
  const rule = route.provider.thoughts;
  if (rule === undefined || rule.models?.test(route.upstreamModel) === false) return undefined;
  return rule.fields.some((field) => withoutFields?.has(field) === true) ? undefined : rule;
}
