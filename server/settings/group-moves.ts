// Groups on their way into others: one option row beside the settings, written together with those that name groups, so that every
// process learns of both at once. What it says of ended moves is for what began before: calls, sockets, choices that a browser keeps.
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { GroupMove } from '#shared/groups.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { SettingKey } from '#shared/settings.ts';

/** No setting: it is neither listed nor saved by anybody. */
export const groupMovesKey = 'group_moves';

/** Settings whose entries are named for groups. */
export const groupSettings = ['GroupRatio', 'UserUsableGroups', 'TopupGroupRatio'] as const satisfies readonly SettingKey[];

/** Ended moves that are known. */
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
}

/** @throws {Error} when the row is damaged: a move that is forgotten half way would leave both names */
export function groupMovesOf(row: Pick<OptionRecord, 'value'> | undefined): GroupMoves {
  return row === undefined ? none : GroupMoves.parse(JSON.parse(row.value));
}

export function groupMovesText(running: RunningMove | null, ended: GroupMoves['ended']): string {
  return JSON.stringify({ running, ended });
}

/** With the move that ends now, and without a name that is in use again. */
export function endedMoves({ ended }: GroupMoves, { from, to }: Pick<RunningMove, 'from' | 'to'>): GroupMoves['ended'] {
  const others = ended.filter((move) => move.from !== from && move.from !== to);
  return [...others, { from, to }].slice(-mostEnded);
}

/** What the group is called by now, or is about to be. A name that is given to a group again is that group's. */
export function groupNow(settings: HasMoves, group: string): string {
  const { running, ended } = settings.groupMoves;
  let name = group;
  for (const { from, to } of ended) if (from === name && !Object.hasOwn(settings.get('GroupRatio'), name)) name = to;
  return running !== null && running.from === name ? running.to : name;
}

/** Its own name as long as there is such a group, else what that is called by now. */
export function knownGroup(settings: HasMoves, group: string): string {
  return Object.hasOwn(settings.get('GroupRatio'), group) ? group : groupNow(settings, group);
}

/** Of a group that is none any more: 1. */
export function ratioOfGroup(settings: HasMoves, group: string): number {
  const ratios = settings.get('GroupRatio');
  const name = knownGroup(settings, group);
  return Object.hasOwn(ratios, name) ? (ratios[name] ?? 1) : 1;
}

/** Whether both are names of one group, while it is being renamed or moved. */
export function isSameGroup(settings: HasMoves, one: string, other: string): boolean {
  return groupNow(settings, one) === groupNow(settings, other);
}

/** @throws {AppError} `group_moving` for a group that is being left: nobody is put into it meanwhile */
export function checkStays({ groupMoves: { running } }: Pick<HasMoves, 'groupMoves'>, group: string | undefined): void {
  if (running !== null && running.from === group) throw movingError(running);
}

export function movingError({ from, to }: Pick<RunningMove, 'from' | 'to'>): AppError {
  return new AppError('group_moving', { group: from, to });
}
