// Channels by their tags.
import type { ChannelTag } from '#shared/channel-tags.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { editMany, type Editor, type ManyEdit, wholly } from './edit-many.ts';
import { type ChannelSearch, eachFound } from './store.ts';

/** By name; channels without a tag come last. */
export async function listTags(context: AppContext, search: Omit<ChannelSearch, 'byId'>): Promise<ChannelTag[]> {
  const tags = new Map<string, ChannelTag>();
  for await (const channel of eachFound(context, { ...search, byId: false })) {
    const known = tags.get(channel.tag);
    if (known === undefined) tags.set(channel.tag, firstOf(channel));
    else join(known, channel);
  }
  return [...tags.values()].sort((one, other) => compareTags(one.tag, other.tag));
}

/** A page of tags, each with all its channels: what old clients put together themselves. `total` counts tags. */
export async function listByTag(
  { db }: AppContext,
  { skip, limit, byId }: { skip: number; limit: number; byId: boolean },
): Promise<{ channels: ChannelRecord[]; total: number }> {
  const rows = await db.collection('channels').group({ by: ['tag'] });
  const tags = rows.map(({ tag }) => String(tag ?? '')).sort(compareTags);
  return { channels: await findTagged(db, tags.slice(skip, skip + limit), byId), total: tags.length };
}

/** Whole tags, of which the search finds one channel or more. What has no tag is found without them. */
export async function searchByTag(context: AppContext, search: ChannelSearch): Promise<ChannelRecord[]> {
  const tags = new Set<string>();
  for await (const { tag } of eachFound(context, search)) if (tag !== '') tags.add(tag);
  return findTagged(context.db, [...tags], search.byId);
}

async function findTagged(db: AppContext['db'], tags: string[], byId: boolean): Promise<ChannelRecord[]> {
  const channels = tags.length === 0 ? [] : await db.collection('channels').find({ tag: { in: tags } }, { sort: [['priority', -1]] });
  if (byId) channels.sort((one, other) => other.id - one.id);
  return channels.sort((one, other) => compareTags(one.tag, other.tag));
}

/** All channels of a tag. Answers how many changed. @throws {AppError} `channel_arguments` without a tag */
export async function setStatusOfTag(editor: Editor, tag: string | undefined, status: number): Promise<number> {
  if (tag === undefined || tag.trim() === '') throw new AppError('channel_arguments', {}, { field: 'tag' });
  return editTagged(editor, tag.trim(), { status });
}

interface TagEdit {
  tag?: string | undefined;
  new_tag?: string | undefined;
  priority?: number | undefined;
  weight?: number | undefined;
  model_mapping?: string | undefined;
  models?: string | undefined;
  groups?: string | readonly string[] | undefined;
}

/** @throws {AppError} `tag_empty` without a tag */
export async function editTag(editor: Editor, { tag, new_tag, priority, weight, model_mapping, models, groups }: TagEdit): Promise<number> {
  const name = tag?.trim() ?? '';
  if (name === '') throw new AppError('tag_empty', {}, { field: 'tag' });
  const groupNames = typeof groups === 'string' ? commaList(groups) : [...(groups ?? [])];
  return editTagged(editor, name, {
    fields: {
      ...(new_tag === undefined ? {} : { tag: new_tag }),
      ...(priority === undefined ? {} : { priority }),
      ...(weight === undefined ? {} : { weight }),
      ...(isEmpty(model_mapping) ? {} : { model_mapping }),
      ...(isEmpty(models) ? {} : { models }),
      ...(groupNames.length === 0 ? {} : { groups: groupNames }),
    },
  });
}

async function editTagged(editor: Editor, tag: string, edit: ManyEdit): Promise<number> {
  const members = await editor.context.db.collection('channels').find({ tag });
  return wholly(await editMany(editor, { ids: members.map(({ id }) => id), where: { tag }, edit }));
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

function compareTags(one: string, other: string): number {
  if (one === '' || other === '') return Number(one === '') - Number(other === '');
  return one < other ? -1 : one > other ? 1 : 0;
}

function firstOf(channel: ChannelRecord): ChannelTag {
  const { tag, priority, weight } = channel;
  const totals: ChannelTag = {
    tag,
    ids: [],
    enabled: 0,
    disabled_by_hand: 0,
    disabled_by_system: 0,
    groups: [],
    used_quota: 0,
    balance: null,
    priority: [priority, priority],
    weight: [weight, weight],
  };
  join(totals, channel);
  return totals;
}

function join(totals: ChannelTag, channel: ChannelRecord): void {
  const { id, status, group, used_quota, balance, balance_updated_time, priority, weight } = channel;
  totals.ids.push(id);
  if (status === ChannelStatus.enabled) totals.enabled += 1;
  else if (status === ChannelStatus.disabledBySystem) totals.disabled_by_system += 1;
  else totals.disabled_by_hand += 1;
  totals.groups = [...new Set([...totals.groups, ...commaList(group)])];
  totals.used_quota += used_quota;
  if (balance_updated_time !== 0) totals.balance = (totals.balance ?? 0) + balance;
  totals.priority = widened(totals.priority, priority);
  totals.weight = widened(totals.weight, weight);
}

function widened([low, high]: [number, number], value: number): [number, number] {
  return [Math.min(low, value), Math.max(high, value)];
}
