// Moves groups into others, step by step. While both names have the same values, channels get the new one in addition to the old one, then accounts
// and keys move, then the old name leaves the channels, then the settings: so whatever state a process has cached, a call finds its channels and its
// price. Steps are idempotent: any process may repeat one that was cut short.
import { commaList } from '#shared/comma-list.ts';
import { autoGroup } from '#shared/group-settings.ts';
import type { GroupStep } from '#shared/groups.ts';
import { actingForFile } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import { editRecords } from '#server/db/edit-records.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { endedMoves, groupMovesKey, groupMovesOf, groupMovesText, namingSettings, type RunningMove } from '#server/settings/group-moves.ts';
import { editOptions, finishOptionWrites, type OptionEdit } from '#server/settings/option-writes.ts';
import { withoutGroup } from './group-entries.ts';

/** Longer than any process takes to learn of a change. */
export const settleMs = 5_000;
/** For calls that were let in under the old name and look for another channel. */
export const drainMs = 60_000;
const page = 500;

interface Step {
  work(context: AppContext, move: RunningMove): Promise<void>;
  /** Changes settings together with the end of the step. */
  settings?(rows: ReadonlyMap<string, OptionRecord>, move: RunningMove): OptionEdit[];
  /** Null: it was the last one. */
  next: GroupStep | null;
  pauseMs: number;
}

const steps: Record<GroupStep, Step> = {
  channels: { work: (context, move) => moveChannels(context, move, 'both'), next: 'accounts', pauseMs: settleMs },
  accounts: { work: moveAccounts, next: 'leave', pauseMs: drainMs },
  leave: { work: moveAll, next: 'settings', pauseMs: settleMs },
  settings: { work: async () => {}, settings: (rows, { from }) => withoutGroup(rows, from), next: 'rest', pauseMs: settleMs },
  // Moves records that a process with an outdated cache has put under the old name.
  rest: { work: moveAll, next: null, pauseMs: 0 },
};

/** A job: does the step that is due. */
export async function tendGroupMoves(context: AppContext): Promise<void> {
  // Checked in memory: without a running move the job makes no query.
  if (context.settings.groupMoves.running === null) return;
  await finishOptionWrites(context);
  const move = groupMovesOf((await context.db.collection('options').get(groupMovesKey)) ?? undefined).running;
  if (move === null || move.due_at > context.now()) return;
  const { work, settings, next, pauseMs } = steps[move.step];
  await work(context, move);
  const edit: Parameters<typeof editOptions>[1] = {
    keys: [...namingSettings, groupMovesKey],
    actorId: move.actor_id,
    plan(rows) {
      const moves = groupMovesOf(rows.get(groupMovesKey));
      // Another process has done it meanwhile.
      if (moves.running?.step !== move.step || moves.running.from !== move.from) return [];
      const now = context.now();
      const value =
        next === null
          ? groupMovesText(null, endedMoves(moves, move))
          : groupMovesText({ ...move, step: next, due_at: now + pauseMs }, moves.ended);
      return [...(settings?.(rows, move) ?? []), { id: groupMovesKey, value }];
    },
  };
  // A move that began before a file managed something of it comes to its end.
  await actingForFile(() => editOptions(context, edit));
}

async function moveAll(context: AppContext, move: RunningMove): Promise<void> {
  await moveAccounts(context, move);
  await moveChannels(context, move, 'new');
}

/** Those that can be restored, too, before and after the others: a channel that is deleted or restored meanwhile is met in one of them. */
async function moveChannels(context: AppContext, move: RunningMove, names: 'both' | 'new'): Promise<void> {
  const renamed = (list: string): string => renamedList(list, move, names);
  await moveDeletedChannels(context, renamed);
  const channels = context.db.collection('channels');
  for (let lastId = 0; ;) {
    const found = await channels.find({ id: { gt: lastId }, group: { contains: move.from } }, { sort: [['id', 1]], limit: page });
    await editRecords(context, 'channels', {
      ids: found.filter(({ group }) => renamed(group) !== group).map(({ id }) => id),
      change: ({ group }) => (renamed(group) === group ? null : { set: { group: renamed(group) } }),
    });
    if (found.length < page) break;
    lastId = found.at(-1)?.id ?? lastId;
  }
  await moveDeletedChannels(context, renamed);
}

async function moveDeletedChannels({ db }: AppContext, renamed: (list: string) => string): Promise<void> {
  const copies = db.collection('deleted_channels');
  for await (const { id, channel } of copies.each({})) {
    const group = renamed(channel.group);
    if (group !== channel.group) await copies.patch({ id, 'channel.group': channel.group }, { set: { 'channel.group': group } });
  }
}

/** Its own text where the name is not in it. */
function renamedList(list: string, { from, to }: RunningMove, names: 'both' | 'new'): string {
  const groups = commaList(list);
  if (!groups.includes(from) || (names === 'both' && groups.includes(to))) return list;
  return commaList(groups.flatMap((name) => (name !== from ? [name] : names === 'both' ? [from, to] : [to])).join(',')).join(',');
}

/** Also those that are deleted: some come back. */
async function moveAccounts(context: AppContext, move: RunningMove): Promise<void> {
  const { from, to } = move;
  const { db } = context;
  for (let lastId = 0; ;) {
    const found = await db.collection('users').find({ group: from, id: { gt: lastId } }, { sort: [['id', 1]], limit: page });
    await editRecords(context, 'users', {
      ids: found.map(({ id }) => id),
      change: ({ group }) => (group === from ? { set: { group: to } } : null),
    });
    if (found.length < page) break;
    lastId = found.at(-1)?.id ?? lastId;
  }
  for (let lastId = 0; ;) {
    const found = await db.collection('tokens').find({ group: from, id: { gt: lastId } }, { sort: [['id', 1]], limit: page });
    const groupOf = await chosenGroups(context, move, found);
    await editRecords(context, 'tokens', {
      ids: found.map(({ id }) => id),
      change: (token) => (token.group === from ? { set: { group: groupOf(token) } } : null),
    });
    if (found.length < page) break;
    lastId = found.at(-1)?.id ?? lastId;
  }
  await moveAutoGroups(context, move);
  await moveInvitations(context, move);
}

/** Lists of groups in keys of group `auto`. */
async function moveAutoGroups(context: AppContext, move: RunningMove): Promise<void> {
  const renamed = (list: string): string => renamedList(list, move, 'new');
  for (let lastId = 0; ;) {
    const found = await context.db.collection('tokens').find({ group: autoGroup, id: { gt: lastId } }, { sort: [['id', 1]], limit: page });
    const named = found.filter(({ auto_groups: list = '' }) => renamed(list) !== list);
    await editRecords(context, 'tokens', {
      ids: named.map(({ id }) => id),
      change: ({ auto_groups: list = '' }) => (renamed(list) === list ? null : { set: { auto_groups: renamed(list) } }),
    });
    if (found.length < page) break;
    lastId = found.at(-1)?.id ?? lastId;
  }
}

/** Of keys that had chosen the group: the other one, or that of their owners where these may not choose it. */
async function chosenGroups(
  { db, settings }: AppContext,
  { from, to }: RunningMove,
  tokens: readonly TokenRecord[],
): Promise<(token: TokenRecord) => string> {
  const usable = settings.get('UserUsableGroups');
  if (Object.hasOwn(usable, to) || !Object.hasOwn(usable, from)) return () => to;
  const owners = await db.collection('users').find({ id: { in: [...new Set(tokens.map((token) => token.user_id))] } });
  const inIt = new Set(owners.filter(({ group }) => group === to).map(({ id }) => id));
  return (token) => (inIt.has(token.user_id) ? to : '');
}

/** Moves open invitations only: the others are history. */
async function moveInvitations({ db }: AppContext, { from, to }: RunningMove): Promise<void> {
  const invitations = db.collection('invitations');
  for await (const { id, group, state } of invitations.each({})) {
    if (group === from && state === 'open') await invitations.patch({ id, group: from }, { set: { group: to } });
  }
}
