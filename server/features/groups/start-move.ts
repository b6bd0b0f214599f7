import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import { autoGroup, isGroupName } from '#shared/group-settings.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { GroupMove } from '#shared/groups.ts';
import type { LogEvent } from '#shared/log-event.ts';
import { LogType } from '#shared/logs.ts';
import { isHeldByFiles } from '#server/audit-log/actor.ts';
import { heldByFile } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';
import {
  groupMovesKey,
  groupMovesOf,
  groupMovesText,
  groupSettings,
  movingError,
  namingSettings,
  type RunningMove,
} from '#server/settings/group-moves.ts';
import { checkEntryIsFree, managedEntriesKey, managedEntriesOf } from '#server/settings/managed-entries.ts';
import { inUseError, isUsed, readGroupUses } from '#server/settings/group-uses.ts';
import { editOptions } from '#server/settings/option-writes.ts';
import { groupEntries, withAlias, withoutGroup } from './group-entries.ts';
import { settleMs } from './tend-moves.ts';

type Rows = ReadonlyMap<string, OptionRecord>;

interface Named {
  name: string;
  actor: UserRecord;
}

/** Adds the new name with the values of the old one at once; both exist until the move ends. @throws {AppError} */
export async function renameGroup(context: AppContext, { name, actor, to }: Named & { to: string }): Promise<GroupMove> {
  checkNewName(to);
  await checkMembers(context, name);
  const move = moveOf(context, { name, to, actor });
  await editOptions(context, {
    keys: [...namingSettings, groupMovesKey],
    actorId: actor.id,
    plan(rows) {
      checkFree(rows, name);
      checkNotManaged(rows, name);
      if (isTaken(rows, to)) throw new AppError('group_taken', { group: to }, { field: 'to' });
      return [...withAlias(rows, name, to), startOf(rows, move)];
    },
  });
  await report(context, actor, { content: `重命名分组 ${name} → ${to}`, event: { code: 'group_renamed', group: name, to } });
  return presentMove(move);
}

/** Null: nothing was in it, and it is gone. @throws {AppError} `group_in_use` where it is not said to where what is in it goes */
export async function removeGroup(
  context: AppContext,
  { name, actor, to }: Named & { to?: string | undefined },
): Promise<GroupMove | null> {
  if (name === 'default') throw new AppError('group_default_missing', {}, { field: 'name' });
  const uses = await readGroupUses(context, name);
  if (to === undefined && isUsed(uses)) throw inUseError(name, uses, { field: 'name' });
  if (to !== undefined) await checkMembers(context, name);
  const move = to === undefined ? null : moveOf(context, { name, to, actor });
  await editOptions(context, {
    keys: [...namingSettings, groupMovesKey],
    actorId: actor.id,
    plan(rows) {
      checkFree(rows, name);
      checkNotManaged(rows, name);
      if (move === null) return withoutGroup(rows, name);
      if (move.to === name || !groupEntries(rows, 'GroupRatio').has(move.to)) {
        throw new AppError('group_unknown', { group: move.to }, { field: 'to' });
      }
      return [startOf(rows, move)];
    },
  });
  const event = { code: 'group_removed' as const, group: name, ...(to === undefined ? {} : { to }) };
  await report(context, actor, { content: to === undefined ? `移除分组 ${name}` : `移除分组 ${name}，迁移至 ${to}`, event });
  return move === null ? null : presentMove(move);
}

export function presentMove({ from, to, step, started_at }: RunningMove): GroupMove {
  return { from, to, step, started_at };
}

function checkNewName(name: string): void {
  if (!isGroupName(name) || /\p{Cc}/u.test(name) || !name.isWellFormed()) throw invalidField('to', fieldRules.characters);
}

/** `auto` stands for lists of groups: a group of that name would take the calls of all their keys. */
function isTaken(rows: Rows, name: string): boolean {
  return name === autoGroup || groupEntries(rows, 'GroupRatio').has(name);
}

/** One group at a time: of two moves, one could lead to what the other leaves. */
function checkFree(rows: Rows, name: string): void {
  const { running } = groupMovesOf(rows.get(groupMovesKey));
  if (running !== null) throw movingError(running);
  if (name === 'default') throw new AppError('group_default_missing', {}, { field: 'name' });
  if (!groupSettings.some((key) => groupEntries(rows, key).has(name))) {
    throw new AppError('group_unknown', { group: name }, { field: 'name' });
  }
}

/** @throws {AppError} `managed_by_file` */
function checkNotManaged(rows: Rows, name: string): void {
  checkEntryIsFree(managedEntriesOf(rows.get(managedEntriesKey)), 'group', name, 'name');
}

/** A move changes channels and keys: those of a file are changed there. @throws {AppError} `managed_by_file` */
async function checkMembers({ db }: AppContext, group: string): Promise<void> {
  const channels = await db.collection('channels').find({ group: { contains: group }, managed: { exists: true } });
  const tokens = await db.collection('tokens').find({ group, DeletedAt: null, managed: { exists: true } }, { limit: 1 });
  const held = channels.find((channel) => commaList(channel.group).includes(group)) ?? tokens[0];
  if (held !== undefined && isHeldByFiles()) throw heldByFile(held, 'name');
}

function moveOf(context: AppContext, { name, to, actor }: Named & { to: string }): RunningMove {
  const now = context.now();
  return { from: name, to, step: 'channels', started_at: Math.floor(now / 1000), due_at: now + settleMs, actor_id: actor.id };
}

function startOf(rows: Rows, move: RunningMove): { id: string; value: string } {
  const { ended } = groupMovesOf(rows.get(groupMovesKey));
  // Names that are groups again lead nowhere.
  const past = ended.filter(({ from }) => from !== move.from && from !== move.to);
  return { id: groupMovesKey, value: groupMovesText(move, past) };
}

async function report(context: AppContext, actor: UserRecord, { content, event }: { content: string; event: LogEvent }): Promise<void> {
  await writeLog(context, { user_id: actor.id, username: actor.username, type: LogType.management, content, event });
}
