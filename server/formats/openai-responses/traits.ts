// Applies the provider's record to a Responses request.
import { isObject } from '#server/framing/loose-json.ts';
import { refusesRetention, retentionField } from '../cache-retention.ts';
import { cacheKeyFor } from '../cache-key.ts';
import type { EncodeInput } from '../encode-input.ts';
import { effortNamed, nearestEffort, refusesSampling } from '../reasoning-models.ts';
import { missedName } from '../unsaid.ts';
import type { AppliedTraits } from '../upstream-dialect.ts';
import { asOfAccount } from './account-request.ts';
import { callIdRule } from './call-ids.ts';
import { fitCalls } from './fit-calls.ts';
import { effortIn } from './identity.ts';
import { saidFields } from './said-fields.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the same body if nothing changes. */
export function applyTraits(body: Body, input: EncodeInput): AppliedTraits {
  const { route } = input;
  const dropped: string[] = [];
  const fitted = fitCalls(body, route.provider.callIds ?? callIdRule);
  let edited = route.set === null ? fitted : withFields(fitted, route.set);
  const lose = (field: string) => {
    if (!Object.hasOwn(edited, field)) return;
    const { [field]: value, ...rest } = edited;
    const name = missedName(field, value, input, saidFields);
    if (name !== undefined) dropped.push(name);
    edited = rest;
  };
  for (const { drop = [], sampling, fitsEffort, fitsRetention } of route.rules) {
    for (const field of drop) lose(field);
    if (fitsRetention === true && refusesRetention(route.facts, edited[retentionField])) lose(retentionField);
    if (fitsEffort === true) edited = withFittingEffort(edited, input, dropped);
    const effort = effortIn(route.paramOverride ?? {}) ?? effortIn(edited);
    if (sampling !== undefined && route.facts !== undefined && refusesSampling(route.facts, effort)) sampling.forEach(lose);
  }
  for (const field of route.provider.quirks?.drop ?? []) lose(field);
  const key = cacheKeyFor(edited, input);
  if (key !== undefined) edited = { ...edited, prompt_cache_key: key };
  if (route.provider.quirks?.ofAccount !== true) return { body: edited, dropped };
  const requested = asOfAccount(edited, input);
  return { body: requested.body, dropped: [...dropped, ...requested.dropped] };
}

/** Sets fields that the client omitted, objects member by member. */
function withFields(body: Body, set: Body): Body {
  const edited: Record<string, unknown> = { ...body };
  for (const [field, value] of Object.entries(set)) {
    const own = edited[field] ?? undefined;
    if (own === undefined) edited[field] = value;
    else if (isObject(own) && isObject(value)) edited[field] = { ...value, ...own };
  }
  return edited;
}

/** Replaces a rejected effort with the nearest that the model supports. */
function withFittingEffort(body: Body, input: EncodeInput, dropped: string[]): Body {
  const taken = input.route.facts?.thinking?.efforts;
  const { reasoning } = body;
  const effort = effortNamed(effortIn(body));
  if (taken === undefined || effort === undefined || !isObject(reasoning) || taken.includes(effort)) return body;
  const { effort: _refused, ...rest } = reasoning;
  const nearest = nearestEffort(effort, taken);
  dropped.push(
    missedName('reasoning', reasoning, input, saidFields) === 'reasoning'
      ? 'reasoning.effort'
      : (input.client.saidFields.effort?.name ?? 'reasoning.effort'),
  );
  return { ...body, reasoning: nearest === undefined ? rest : { ...rest, effort: nearest } };
}
