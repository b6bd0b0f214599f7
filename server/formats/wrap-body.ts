// Adapts a body for a host of another vendor's format. Last step: the body is not read afterwards.
import { deploymentOf } from './deployment.ts';
import type { EncodedRequest, EncodeInput } from './encode-input.ts';

type Body = Readonly<Record<string, unknown>>;

interface Enveloped {
  /** The same object if the provider is the vendor. */
  body: Body;
  headers: EncodedRequest['headers'];
  /** Fields that the host does not support. */
  dropped: readonly string[];
}

/** @param headers in addition to the channel's */
export function wrapBody(body: Body, headers: Enveloped['headers'], { route, isCount }: Pick<EncodeInput, 'route' | 'isCount'>): Enveloped {
  const { envelope } = route.provider;
  if (envelope === undefined) return { body, headers, dropped: [] };
  const { omit, set, listed = {} } = envelope;
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !omit.includes(name)));
  // Counts have one path for all models.
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

/** Items of the header and the body without duplicates. */
function itemsOf(header: string | undefined, field: unknown): string[] {
  const inBody = Array.isArray(field) ? field.filter((item) => typeof item === 'string') : [];
  const items = [...(header?.split(',') ?? []), ...inBody].map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}
