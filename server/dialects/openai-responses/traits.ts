// What the provider's record makes of a Responses request.
import { isObject } from '#server/framing/loose-json.ts';
import { cacheKeyFor } from '../cache-key.ts';
import type { EncodeInput } from '../encode-input.ts';
import type { ThinkingDrop } from '../provider-traits.ts';
import { missedName } from '../unsaid.ts';
import type { AppliedTraits } from '../upstream-dialect.ts';
import { asOfAccount } from './account-request.ts';
import { effortIn } from './identity.ts';
import { saidFields } from './said-fields.ts';

type Body = Readonly<Record<string, unknown>>;

/** The same body where nothing has to change. */
export function applyTraits(body: Body, input: EncodeInput): AppliedTraits {
  const { way } = input;
  const dropped: string[] = [];
  let edited = way.set === null ? body : withFields(body, way.set);
  const lose = (field: string) => {
    if (!Object.hasOwn(edited, field)) return;
    const { [field]: value, ...rest } = edited;
    const name = missedName(field, value, input, saidFields);
    if (name !== undefined) dropped.push(name);
    edited = rest;
  };
  for (const { drop = [], dropThinking } of way.rules) {
    for (const field of drop) lose(field);
    if (dropThinking !== undefined && thinks(dropThinking, way.upstreamModel, effortIn(edited))) dropThinking.fields.forEach(lose);
  }
  for (const field of way.provider.quirks?.drop ?? []) lose(field);
  const key = cacheKeyFor(edited, input);
  if (key !== undefined) edited = { ...edited, prompt_cache_key: key };
  if (way.provider.quirks?.ofAccount !== true) return { body: edited, dropped };
  const asked = asOfAccount(edited, input);
  return { body: asked.body, dropped: [...dropped, ...asked.dropped] };
}

/** Set where the client said nothing; an object member by member. */
function withFields(body: Body, set: Body): Body {
  const edited: Record<string, unknown> = { ...body };
  for (const [field, value] of Object.entries(set)) {
    const own = edited[field] ?? undefined;
    if (own === undefined) edited[field] = value;
    else if (isObject(own) && isObject(value)) edited[field] = { ...value, ...own };
  }
  return edited;
}

function thinks({ never, byChoice, byDefault }: ThinkingDrop, model: string, effort: string | undefined): boolean {
  if (never.test(model)) return false;
  return effort === undefined ? !byDefault.test(model) : effort !== 'none' || !byChoice.test(model);
}
