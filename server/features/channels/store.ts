import { AppError } from '#shared/errors.ts';
import { commaList } from '#shared/comma-list.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, Sort } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { exactTotal, isBehind } from '#server/http/paging.ts';

/** The most that a search returns. */
const searchLimit = 1000;

function order(byId: boolean): Sort<ChannelRecord> {
  return byId
    ? [['id', -1]]
    : [
        ['priority', -1],
        ['id', -1],
      ];
}

/** `total` may be a count that stopped at `exactTotal + 1`. */
export async function listChannels(
  { db }: AppContext,
  { skip, limit, byId }: { skip: number; limit: number; byId: boolean },
): Promise<{ channels: ChannelRecord[]; total: number }> {
  const total = await db.collection('channels').count({}, exactTotal + 1);
  const channels = isBehind(skip, total) ? [] : await db.collection('channels').find({}, { sort: order(byId), skip, limit });
  return { channels, total };
}

export interface ChannelSearch {
  /** The id, a part of the name, or the whole key. */
  keyword: string | undefined;
  /** Exactly one of the channel's groups. */
  group: string | undefined;
  /** A part of the list of models. */
  model: string | undefined;
  /** Exactly. */
  tag?: string | undefined;
  byId: boolean;
}

export async function searchChannels(context: AppContext, search: ChannelSearch): Promise<ChannelRecord[]> {
  const found: ChannelRecord[] = [];
  for await (const channel of eachFound(context, search)) {
    found.push(channel);
    if (found.length === searchLimit) break;
  }
  return found;
}

/** Whatever the search finds, in order, a thousand at a time. */
export async function* eachFound({ db, secrets }: AppContext, search: ChannelSearch): AsyncGenerator<ChannelRecord> {
  const { keyword, group, model, tag } = search;
  const all: Filter<ChannelRecord>[] = [];
  if (keyword !== undefined) {
    const hash = secrets.hash(keyword.trim());
    const any: Filter<ChannelRecord>[] = [{ name: { contains: keyword } }, { key_hash: hash }];
    const withKey = await db.collection('channel_keys').find({ key_hash: hash }, { limit: searchLimit });
    if (withKey.length > 0) any.push({ id: { in: withKey.map(({ channel_id: id }) => id) } });
    if (/^\d{1,15}$/.test(keyword.trim())) any.push({ id: Number(keyword) });
    all.push({ or: any });
  }
  if (group !== undefined) all.push({ group: { contains: group } });
  if (model !== undefined) all.push({ models: { contains: model } });
  if (tag !== undefined) all.push({ tag });
  const filter: Filter<ChannelRecord> = all.length === 0 ? {} : { and: all };
  for (let skip = 0; ; skip += searchLimit) {
    const rows = await db.collection('channels').find(filter, { sort: order(search.byId), skip, limit: searchLimit });
    // Groups are stored as one text, so a query can only match a part of it.
    for (const channel of rows) if (group === undefined || commaList(channel.group).includes(group)) yield channel;
    if (rows.length < searchLimit) return;
  }
}

/** @throws {AppError} `channel_not_found` */
export async function readChannel({ db }: Pick<AppContext, 'db'>, id: number): Promise<ChannelRecord> {
  const channel = await db.collection('channels').get(id);
  if (channel === null) throw new AppError('channel_not_found');
  return channel;
}
