// What was made in a provider's account while nobody heard of it: found in the provider's list by the name that it was given here.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { requestAccount } from './upstream-files.ts';
import type { Requesting } from './upstream-files.ts';

const longestId = 256;
const mostPages = 100;
/** Seconds by which clocks may differ. */
const apart = 3600;

export interface MadeThere {
  /** The list, with a query that a page is added to: `/files?purpose=assistants`. */
  list: string;
  /** Of a page, as many as the provider tells at once. */
  limit: number;
  headers?: Record<string, string>;
  /** The member in which our name of it stands. */
  member: 'name' | 'filename';
  name: string;
  /** Unix seconds: before that there was none of it. */
  since: number;
}

/** The provider's id of it. Null: there is none. Undefined: that is not known. */
export async function findByName(
  context: Requesting,
  channel: PreparedChannel,
  { list, limit, headers = {}, member, name, since }: MadeThere,
): Promise<string | null | undefined> {
  const separator = list.includes('?') ? '&' : '?';
  let after = '';
  for (let page = 0; page < mostPages; page += 1) {
    const path = `${list}${separator}limit=${limit}&order=desc${after}`;
    const received = await requestAccount(context, channel, { method: 'GET', path, headers });
    if (received.kind === 'stream') received.stream.abort();
    const answer = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
    const data = answer?.['data'];
    if (answer === null || !Array.isArray(data)) return undefined;
    // Nobody else gives that name.
    for (const item of data) {
      const reported = isObject(item) ? item[member] : undefined;
      if (isObject(item) && typeof reported === 'string' && reported.includes(name) && isId(item['id'])) return item['id'];
    }
    const last: unknown = data.at(-1);
    if (answer['has_more'] !== true || !isObject(last) || !isId(last['id'])) return null;
    // The newest come first: what is older than ours is none of it.
    const created = last['created_at'];
    if (typeof created === 'number' && created < since - apart) return null;
    after = `&after=${encodeURIComponent(last['id'])}`;
  }
  return undefined;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestId;
}
