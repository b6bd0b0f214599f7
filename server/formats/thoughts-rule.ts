// Decides whether thinking of earlier turns is sent back to the provider of a call.
import type { EncodeInput } from './encode-input.ts';
import type { ThoughtsRule } from './provider-traits.ts';

/** Returns undefined if the provider does not accept the model's thinking, or rejected it before. */
export function thoughtsRule({ route, withoutFields }: Pick<EncodeInput, 'route' | 'withoutFields'>): ThoughtsRule | undefined {
  const rule = route.provider.thoughts;
  if (rule === undefined || rule.models?.test(route.upstreamModel) === false) return undefined;
  return rule.fields.some((field) => withoutFields?.has(field) === true) ? undefined : rule;
}
