// Identity path of Responses: forwards requests.
import { bytesOfJson } from '#server/framing/long-json.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';
import { takesPlainThoughts } from '../plain-thoughts.ts';
import { reasons } from '../reasoning-models.ts';
import { refuseState } from './check-request.ts';
import { readEncrypted } from './encrypted-content.ts';

type Body = Readonly<Record<string, unknown>>;

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText, route } = input;
  if (input.isPassThrough === true) return { ...describeRequest(body, input), body: bytesOfJson(rawText, input.longTexts), dropped: [] };
  refuseState(body);
  // The gateway runs background responses itself.
  const { background_options: later, ...requested } = body;
  const named = { ...requested, model: route.upstreamModel };
  const own = input.isCount === true ? counted(named) : stateless(named, route.knownAs);
  const { items, isLost } = foreignThinking(own['input'], takesPlainThoughts(route));
  return finalizeRequest(
    {
      body: isLost ? { ...own, input: items } : own,
      dropped: [...(isLost ? ['reasoning items'] : []), ...(later === undefined ? [] : ['background_options'])],
    },
    input,
  );
}

/** Fields of a token count request; others are rejected. https://platform.openai.com/docs/api-reference/responses/input-tokens */
const countedFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
]);

export function counted(body: Body): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => countedFields.has(name)));
}

const encryptedThoughts = 'reasoning.encrypted_content';

/**
 * Disables storage at the provider: other users of the channel's key could read stored responses, and callers could not.
 * Thinking is returned encrypted instead, and clients send it back.
 */
function stateless(body: Body, model: string): Body {
  if (body['store'] === false) return body;
  const include = Array.isArray(body['include']) ? body['include'] : [];
  const isComplete = !reasons(model) || include.includes(encryptedThoughts);
  return { ...body, store: false, ...(isComplete ? {} : { include: [...include, encryptedThoughts] }) };
}

/** Removes thinking that this provider cannot read: other vendors', and references to stored items. */
function foreignThinking(input: unknown, takesPlain: boolean): { items: unknown; isLost: boolean } {
  if (!Array.isArray(input)) return { items: input, isLost: false };
  const items = input.filter((item: unknown) => {
    if (!isObject(item) || item.type !== 'reasoning') return true;
    const { encrypted_content: encrypted } = item;
    if (typeof encrypted === 'string' && encrypted !== '') return readEncrypted(encrypted, false).seal.origin === 'openai';
    return takesPlain && [item.content, item.summary].some((parts) => Array.isArray(parts) && parts.length > 0);
  });
  return { items, isLost: items.length < input.length };
}

/** Returns the thinking effort, for the log. */
export function effortIn({ reasoning }: Body): string | undefined {
  return isObject(reasoning) && typeof reasoning.effort === 'string' ? reasoning.effort : undefined;
}
