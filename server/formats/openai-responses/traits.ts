// Applies the provider's record to a Responses request.
import { isObject } from '#server/framing/loose-json.ts';
import { type Body, type BodyEdit, createEdit } from '../body-edit.ts';
import { cacheKeyFor, refusesRetention, retentionField } from '../prompt-cache.ts';
import type { EncodeInput } from '../encode-input.ts';
import { effortNamed, nearestEffort, refusesSampling } from '../reasoning-models.ts';
import { missedName } from '../missed-fields.ts';
import type { AppliedTraits } from '../upstream-dialect.ts';
import { callIdRule } from './call-ids.ts';
import { fitCalls } from './fit-calls.ts';
import { effortIn } from './identity.ts';
import { clientFields } from './format-fields.ts';

/** Returns the same body if nothing changes. */
export function applyTraits(body: Body, input: EncodeInput): AppliedTraits {
  const { route } = input;
  const { provider } = route;
  const dropped: string[] = [];
  const edit = createEdit(fitCalls(body, provider.callIds ?? callIdRule));
  if (route.set !== null) addFields(edit, route.set);
  const lose = (field: string) => {
    if (!edit.has(field)) return;
    const name = missedName(field, edit.get(field), input, clientFields);
    if (name !== undefined) dropped.push(name);
    edit.drop(field);
  };
  for (const { drop = [], sampling, fitsEffort, fitsRetention } of route.rules) {
    for (const field of drop) lose(field);
    if (fitsRetention === true && refusesRetention(route.facts, edit.get(retentionField))) lose(retentionField);
    if (fitsEffort === true) fitEffort(edit, input, dropped);
    const effort = effortIn(route.paramOverride ?? {}) ?? effortIn(edit.result());
    if (sampling !== undefined && route.facts !== undefined && refusesSampling(route.facts, effort)) sampling.forEach(lose);
  }
  for (const field of provider.drop ?? []) lose(field);
  const key = cacheKeyFor(edit.result(), input);
  if (key !== undefined) edit.set('prompt_cache_key', key);
  provider.adapt?.(edit, lose);
  return { body: edit.result(), dropped };
}

/** Sets the fields of the provider's record that the client omitted, objects member by member. */
function addFields(edit: BodyEdit, added: Body): void {
  for (const [field, value] of Object.entries(added)) {
    const own = edit.get(field) ?? undefined;
    if (own === undefined) edit.set(field, value);
    else if (isObject(own) && isObject(value)) edit.set(field, { ...value, ...own });
  }
}

/** Replaces an unsupported effort by the nearest supported one. */
function fitEffort(edit: BodyEdit, input: EncodeInput, dropped: string[]): void {
  const taken = input.route.facts?.thinking?.efforts;
  const reasoning = edit.get('reasoning');
  const effort = effortNamed(effortIn(edit.result()));
  if (taken === undefined || effort === undefined || !isObject(reasoning) || taken.includes(effort)) return;
  const { effort: _refused, ...rest } = reasoning;
  const nearest = nearestEffort(effort, taken);
  dropped.push(
    missedName('reasoning', reasoning, input, clientFields) === 'reasoning'
      ? 'reasoning.effort'
      : (input.client.clientFields.effort?.name ?? 'reasoning.effort'),
  );
  edit.set('reasoning', nearest === undefined ? rest : { ...rest, effort: nearest });
}
