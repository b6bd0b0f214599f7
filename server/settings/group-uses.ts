// References to groups: accounts, keys, channels and open invitations.
import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import { autoGroup } from '#shared/group-settings.ts';
import { type GroupUses, mostCounted, usesText } from '#shared/groups.ts';
import { parseMap } from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';

type StoreContext = Pick<AppContext, 'db'>;

export async function readGroupUses(context: StoreContext, name: string): Promise<GroupUses> {
  return usesOf(context, name, await channelGroups(context));
}

/** @throws {AppError} `group_in_use` if the new text of `GroupRatio` lacks a group that is referenced */
export async function checkGroupsStored(
  context: Pick<AppContext, 'db' | 'settings'>,
  text: string,
  { field }: { field: string },
): Promise<void> {
  const next = parseMap(text);
  const gone = next === null ? [] : Object.keys(context.settings.get('GroupRatio')).filter((name) => !next.has(name));
  if (gone.length === 0) return;
  const lists = await channelGroups(context);
  for (const name of gone) {
    const uses = await usesOf(context, name, lists);
    if (isUsed(uses)) throw inUseError(name, uses, { field });
  }
}

export function isUsed({ users, keys, channels, lists, invitations }: GroupUses): boolean {
  return users + keys + channels + lists + invitations > 0;
}

export function inUseError(name: string, uses: GroupUses, options: { field?: string } = {}): AppError {
  const { users, keys, channels, lists, invitations } = uses;
  const details = {
    group: name,
    users: usesText(users),
    keys: usesText(keys + lists),
    channels: usesText(channels),
    invitations: usesText(invitations),
  };
  return new AppError('group_in_use', details, options);
}

interface ChannelList {
  groups: readonly string[];
  count: number;
}

/** Distinct group lists of channels with their counts: they are comma-separated texts, which no index can search. */
async function channelGroups({ db }: StoreContext): Promise<ChannelList[]> {
  const rows = await db.collection('channels').group({ by: ['group'] });
  return rows.map(({ group, count }) => ({ groups: commaList(String(group)), count }));
}

async function usesOf({ db }: StoreContext, name: string, channelLists: readonly ChannelList[]): Promise<GroupUses> {
  const [users, keys, listing, invitations] = await Promise.all([
    db.collection('users').count({ group: name, DeletedAt: null }, mostCounted + 1),
    db.collection('tokens').count({ group: name, DeletedAt: null }, mostCounted + 1),
    db
      .collection('tokens')
      .find({ group: autoGroup, auto_groups: { contains: name }, DeletedAt: null }, { sort: [['id', 1]], limit: mostCounted + 1 }),
    db.collection('invitations').count({ open_name: { gte: '' }, group: name }, mostCounted + 1),
  ]);
  const lists = listing.filter(({ auto_groups: list = '' }) => commaList(list).includes(name)).length;
  const channels = channelLists.reduce((sum, { groups, count }) => sum + (groups.includes(name) ? count : 0), 0);
  return { users, keys, channels: Math.min(channels, mostCounted + 1), lists, invitations };
}
