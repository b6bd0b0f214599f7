// What a provider says that it has: the address of its list and the names in the response, both from its record.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { authorizedGet } from './authorized-get.ts';
import type { Signing } from './auth/scheme.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest } from './send.ts';

/** More than any provider has, and all that a channel takes. */
const mostModels = 5000;
const longestName = 255;

/** The question; null: providers of this type have no such list. */
export function modelListRequest(channel: PreparedChannel, signing: Signing): SendRequest | Promise<SendRequest> | null {
  const { provider, base } = channel;
  if (provider?.modelList === undefined) return null;
  let template = provider.modelList.path;
  if (provider.gatewayDrops !== undefined && base.startsWith('https://gateway.ai.cloudflare.com')) {
    template = template.replace(`{base}${provider.gatewayDrops}`, '{base}');
  }
  const url = URL.parse(template.replace('{base}', () => base));
  return url === null ? null : authorizedGet(channel, url, signing);
}

/** Names in the provider's order, each once; what no channel could hold is left out. Null: the text is no such list. */
export function readModelList(text: string, { provider }: Pick<PreparedChannel, 'provider'>): string[] | null {
  const list = provider?.modelList;
  const items = list === undefined ? undefined : parseObject(text)?.[list.items];
  if (list === undefined || !Array.isArray(items)) return null;
  const names = new Set<string>();
  for (const item of items) {
    const name = isObject(item) && canDo(item, list.method) ? item[list.name] : undefined;
    if (typeof name !== 'string') continue;
    const bare = list.prefix !== undefined && name.startsWith(list.prefix) ? name.slice(list.prefix.length) : name;
    if (isName(bare.trim())) names.add(bare.trim());
    if (names.size === mostModels) break;
  }
  return [...names];
}

function canDo({ supportedGenerationMethods: methods }: Readonly<Record<string, unknown>>, method: string | undefined): boolean {
  return method === undefined || !Array.isArray(methods) || methods.includes(method);
}

/** Lists of models are joined by commas. */
function isName(name: string): boolean {
  return name !== '' && Array.from(name).length <= longestName && name.isWellFormed() && !/[\p{Cc},，]/u.test(name);
}
