// Requests and reads a provider's model lists, as its record describes.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { authorizedGet } from './authorized-get.ts';
import type { Signing } from './auth/scheme.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { ModelList } from '#server/providers/spec.ts';
import type { SendRequest } from './send.ts';

/** Maximum number of names, more than any provider has; and maximum characters of a name that a channel stores. */
const mostModels = 5000;
const longestName = 255;

/** A model list and its request. */
export interface ModelListQuestion {
  list: ModelList;
  request: SendRequest | Promise<SendRequest>;
}

/** Returns null if providers of this type have no list. */
export function modelListQuestions(channel: PreparedChannel, signing: Signing): ModelListQuestion[] | null {
  const { provider } = channel;
  if (provider?.modelList === undefined) return null;
  const questions: ModelListQuestion[] = [];
  for (const list of isSeveral(provider.modelList) ? provider.modelList : [provider.modelList]) {
    const url = addressOf(list, channel);
    if (url === null) return null;
    questions.push({ list, request: authorizedGet(channel, url, signing) });
  }
  return questions;
}

function isSeveral(lists: ModelList | readonly ModelList[]): lists is readonly ModelList[] {
  return Array.isArray(lists);
}

/** The channel's base URL takes precedence over the key's. */
function addressOf({ path, baseOf }: ModelList, { provider, base: called, key, record }: PreparedChannel): URL | null {
  const base = record.base_url.trim() === '' ? (baseOf?.(key) ?? called) : called;
  let template = path;
  if (provider?.gatewayDrops !== undefined && base.startsWith('https://gateway.ai.cloudflare.com')) {
    template = template.replace(`{base}${provider.gatewayDrops}`, '{base}');
  }
  return URL.parse(template.replace('{base}', () => base));
}

/**
 * Names in the provider's order without duplicates; names that no channel can store are dropped. Returns null if the
 * text is no such list.
 */
export function readModelList(text: string, { items: field = 'data', name: nameOf = 'id' }: ModelList): string[] | null {
  const items = parseObject(text)?.[field];
  if (!Array.isArray(items)) return null;
  const names = new Set<string>();
  for (const item of items) {
    if (!isObject(item)) continue;
    const name = typeof nameOf === 'string' ? item[nameOf] : nameOf(item);
    if (typeof name === 'string' && isName(name.trim())) names.add(name.trim());
    if (names.size === mostModels) break;
  }
  return [...names];
}

/** Model lists are stored comma-separated. */
function isName(name: string): boolean {
  return name !== '' && Array.from(name).length <= longestName && name.isWellFormed() && !/[\p{Cc},，]/u.test(name);
}
