// Finds an object whose creation got no response in the provider's list, by the name it was given here.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { requestAccount, type Requesting } from './upstream-files.ts';

const longestId = 256;
const mostPages = 100;
/** Tolerance for clock differences, in seconds. */
const apart = 3600;

export interface MadeThere {
  /** Path of the list, with a query to which paging is added: `/files?purpose=assistants`. */
  list: string;
  /** Maximum page size of the provider. */
  limit: number;
  headers?: Record<string, string>;
  /** Member that holds our name. */
  member: 'name' | 'filename';
  name: string;
  /** Unix seconds before which it cannot have been created. */
  since: number;
}

/** Provider's id; null if there is none, undefined if not known. */
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
    // The name is unique.
    for (const item of data) {
      const reported = isObject(item) ? item[member] : undefined;
      if (isObject(item) && typeof reported === 'string' && reported.includes(name) && isId(item['id'])) return item['id'];
    }
    const last: unknown = data.at(-1);
    if (answer['has_more'] !== true || !isObject(last) || !isId(last['id'])) return null;
    // Newest first: older objects cannot match.
    const created = last['created_at'];
    if (typeof created === 'number' && created < since - apart) return null;
    after = `&after=${encodeURIComponent(last['id'])}`;
  }
  return undefined;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestId;
}
