// A body as somebody takes it who hosts the format of another vendor. The last of all steps: nothing is read from the body after it.
import { deploymentOf } from './deployment.ts';
import type { EncodedRequest, EncodeInput } from './encode-input.ts';

type Body = Readonly<Record<string, unknown>>;

interface Enveloped {
  /** The same object where the provider is the vendor itself. */
  body: Body;
  headers: EncodedRequest['headers'];
  /** What is not known there. */
  dropped: readonly string[];
}

/** @param headers beside the channel's own */
export function wrapBody(body: Body, headers: Enveloped['headers'], { route, isCount }: Pick<EncodeInput, 'route' | 'isCount'>): Enveloped {
  const { envelope } = route.provider;
  if (envelope === undefined) return { body, headers, dropped: [] };
  const { omit, set, listed = {} } = envelope;
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !omit.includes(name)));
  // Counts go to one address for all models.
  const counted = isCount === true ? { model: route.nameThere } : {};
  const { model } = body;
  const deployed = envelope.namesDeployment === true && typeof model === 'string' ? { model: deploymentOf(model, route.setting) } : {};
  const lists: Record<string, readonly string[]> = {};
  const dropped: string[] = [];
  for (const [header, { field, known }] of Object.entries(listed)) {
    const items = itemsOf(headers?.[header], body[field]);
    const stored = items.filter((item) => known.test(item));
    if (stored.length > 0) lists[field] = stored;
    dropped.push(...items.filter((item) => !known.test(item)).map((item) => `${header}: ${item}`));
  }
  const others = Object.entries(headers ?? {}).filter(([name]) => !Object.hasOwn(listed, name));
  const isListed = (name: string) => Object.values(listed).some(({ field }) => field === name);
  const plain = Object.fromEntries(Object.entries(rest).filter(([name]) => !isListed(name)));
  return {
    body: { ...plain, ...counted, ...deployed, ...lists, ...set },
    headers: others.length === 0 ? null : Object.fromEntries(others),
    dropped,
  };
}

/** Those of the header and of the body, each once. */
function itemsOf(header: string | undefined, field: unknown): string[] {
  const inBody = Array.isArray(field) ? field.filter((item) => typeof item === 'string') : [];
  const items = [...(header?.split(',') ?? []), ...inBody].map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}
