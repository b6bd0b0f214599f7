// Group renames and merges: one option row, written together with the settings that name groups, so that every process
// sees both at once. Ended moves are stored for calls, sockets and browser choices that began before.
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { GroupMove } from '#shared/groups.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { NestedMap } from '#shared/nested-map-settings.ts';
import type { SettingKey } from '#shared/settings.ts';

/** Not a setting: neither listed nor editable. */
export const groupMovesKey = 'group_moves';

/** Settings with groups as keys. */
export const groupSettings = ['GroupRatio', 'UserUsableGroups', 'TopupGroupRatio'] as const satisfies readonly SettingKey[];

/** Settings with groups as keys of two levels. The inner ones may have a prefix. */
export const nestedGroupSettings = [
  'GroupGroupRatio',
  'group_ratio_setting.group_special_usable_group',
] as const satisfies readonly SettingKey[];

/** All settings that name groups. */
export const namingSettings: readonly SettingKey[] = [...groupSettings, ...nestedGroupSettings, 'AutoGroups'];

/** Maximum stored ended moves. */
const mostEnded = 50;

const Running = z.object({
  ...GroupMove.shape,
  /** Milliseconds. */
  due_at: z.int(),
  actor_id: z.int(),
});
export type RunningMove = z.infer<typeof Running>;

const GroupMoves = z.object({
  running: z.nullable(Running),
  ended: z.array(z.object({ from: z.string(), to: z.string() })),
});
export type GroupMoves = z.infer<typeof GroupMoves>;

const none: GroupMoves = { running: null, ended: [] };

interface HasMoves {
  readonly groupMoves: GroupMoves;
  get(key: 'GroupRatio'): Readonly<Record<string, number>>;
  get(key: 'GroupGroupRatio'): NestedMap<number>;
}

/** @throws {Error} if the row is damaged: forgetting an unfinished move would leave both names */
export function groupMovesOf(row: Pick<OptionRecord, 'value'> | undefined): GroupMoves {
  return row === undefined ? none : GroupMoves.parse(JSON.parse(row.value));
}

export function groupMovesText(running: RunningMove | null, ended: GroupMoves['ended']): string {
  return JSON.stringify({ running, ended });
}

/** Adds the ending move, and drops names that are in use again. */
export function endedMoves({ ended }: GroupMoves, { from, to }: Pick<RunningMove, 'from' | 'to'>): GroupMoves['ended'] {
  const others = ended.filter((move) => move.from !== from && move.from !== to);
  return [...others, { from, to }].slice(-mostEnded);
}

/** Current name of a group, or the one it is moving to. A reused name belongs to the new group. */
export function groupNow(settings: HasMoves, group: string): string {
  const { running, ended } = settings.groupMoves;
  let name = group;
  for (const { from, to } of ended) if (from === name && !Object.hasOwn(settings.get('GroupRatio'), name)) name = to;
  return running !== null && running.from === name ? running.to : name;
}

/** The name itself while such a group exists, else its current name. */
export function knownGroup(settings: HasMoves, group: string): string {
  return Object.hasOwn(settings.get('GroupRatio'), group) ? group : groupNow(settings, group);
}

/**
 * Returns the factor that a user of `userGroup` pays in `group`; 1 for a deleted group.
 * @param userGroup undefined for the factor of other users
 */
export function ratioOfGroup(settings: HasMoves, group: string, userGroup?: string): number {
  const ratios = settings.get('GroupRatio');
  const name = knownGroup(settings, group);
  const special = userGroup === undefined ? undefined : specialRatio(settings, name, userGroup);
  return special ?? (Object.hasOwn(ratios, name) ? (ratios[name] ?? 1) : 1);
}

/** Factor for users of that group alone; undefined if there is none. */
export function specialRatio(settings: HasMoves, group: string, userGroup: string): number | undefined {
  const special = settings.get('GroupGroupRatio');
  return special[userGroup]?.[group] ?? special[knownGroup(settings, userGroup)]?.[knownGroup(settings, group)];
}

/** Reports whether both names mean one group, during a rename or merge. */
export function isSameGroup(settings: HasMoves, one: string, other: string): boolean {
  return groupNow(settings, one) === groupNow(settings, other);
}

/** @throws {AppError} `group_moving` for a group being left, which must not get new members */
export function checkStays({ groupMoves: { running } }: Pick<HasMoves, 'groupMoves'>, group: string | undefined): void {
  if (running !== null && running.from === group) throw movingError(running);
}

export function movingError({ from, to }: Pick<RunningMove, 'from' | 'to'>): AppError {
  return new AppError('group_moving', { group: from, to });
}
