// What planning shares: who applies which document, and the steps that it leads to.
import type { DescribedKind, PlanAction, PlanField } from '#shared/as-code.ts';
import { AppError, detailText, errorText, type Language, type LocalText } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import type { Described, Entry, Place, Problem } from './read-document.ts';

/** A user, or a command, which acts as the super admin. */
export type Applier = Pick<UserRecord, 'id' | 'role' | 'username'>;

export interface Planning {
  context: AppContext;
  actor: Applier;
  language: Language;
  described: Described;
  /** Name of the set of files. */
  by: string;
  prunes: boolean;
  problems: Problem[];
  warnings: Problem[];
}

/** A change of one object. Steps of settings, groups and prices are done together. */
export interface Step {
  kind: DescribedKind;
  name: string;
  action: PlanAction;
  place?: Place;
  fields: PlanField[];
  /** Revision that the step is based on; part of the plan's digest. */
  revision: number;
  /** Undefined for settings, groups and prices. */
  run?(applying: Applying): Promise<void>;
}

export interface Applying {
  keys: { user: string; name: string; key: string }[];
  /** Called with a new key before its token is stored, so that a crash loses no key. */
  onKey(key: { user: string; name: string; key: string }): Promise<void>;
}

export interface PlannedKind {
  steps: Step[];
  same: number;
  /** Managed before, not described any more, and not deleted. */
  left: { kind: DescribedKind; name: string }[];
}

export function markOf({ by }: Pick<Planning, 'by'>, { place }: Pick<Entry<string, unknown>, 'place'>, left: string[]): ManagedMark {
  return { by, file: place.file, left };
}

export function isSameMark(one: ManagedMark | undefined, other: ManagedMark): boolean {
  return one !== undefined && one.by === other.by && one.file === other.file && one.left.join() === other.left.join();
}

/** Deletion of a channel or token, if it is still as it was planned. */
export function deletionOf(
  kind: 'channel' | 'token',
  { name, revision, managed }: { name: string; revision: number; managed?: ManagedMark | undefined },
  { read, remove }: { read(): Promise<{ revision: number } | null>; remove(): Promise<unknown> },
): Step {
  return {
    kind,
    name,
    action: 'deleted',
    ...(managed === undefined ? {} : { place: { file: managed.file, line: 1, column: 1, path: '' } }),
    fields: [],
    revision,
    async run() {
      const current = await read();
      if (current !== null && current.revision !== revision) throw new AppError('revision_conflict');
      await remove();
    },
  };
}

/** Notes what another set of files manages. @returns whether it does */
export function isOthers(
  { by, problems }: Planning,
  mark: { by: string; file: string } | undefined,
  { name, place }: Pick<Entry<string, unknown>, 'name' | 'place'>,
): boolean {
  if (mark === undefined || mark.by === by) return false;
  const text = {
    zh: `${name} 已由文件 ${mark.file}（${mark.by}）管理：请先解除该文件的管理`,
    en: `${name} is managed by the file ${mark.file} (${mark.by}) already: release it first`,
  };
  problems.push({ ...place, text });
  return true;
}

export function bothTexts(code: Parameters<typeof errorText>[0], details: Parameters<typeof errorText>[2] = {}): LocalText {
  return { zh: errorText(code, 'zh', details), en: errorText(code, 'en', details) };
}

/** Texts of a refusal, for the place that it concerns. */
export function refusalText({ code, details }: AppError): LocalText {
  return bothTexts(code, details);
}

export function textIn(text: LocalText, language: Language): string {
  return detailText(text, language);
}

/** Longest text of a value in a plan. */
const longestShown = 200;

/** How a value is shown in a plan. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const characters = Array.from(text.slice(0, longestShown * 2));
  return characters.length > longestShown || text.length > longestShown * 2 ? `${characters.slice(0, longestShown).join('')}…` : text;
}

/** A field that differs. Undefined, empty, 0 and false show nothing. */
export function fieldOf(field: string, before: unknown, after: unknown, isSecret = false): PlanField {
  if (isSecret) return { field, is_secret: true };
  return { field, ...(isNothing(before) ? {} : { before: shown(before) }), ...(isNothing(after) ? {} : { after: shown(after) }) };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
