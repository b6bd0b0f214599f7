// Settings, groups and prices of a document: all of them are texts of options, which are saved in one step.
import { AppError } from '#shared/errors.ts';
import { isSecret, isSettingKey, mayWriteSetting, type SettingKey, settingProblem } from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { saveOptions } from '#server/features/options/save-options.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { inUseError, isUsed, readGroupUses } from '#server/settings/group-uses.ts';
import {
  type EntryKind,
  type EntryMark,
  entryKinds,
  type ManagedEntries,
  managedEntriesKey,
  managedEntriesOf,
  managedEntriesText,
} from '#server/settings/managed-entries.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import type { Settings } from '#server/settings/settings.ts';
import { type DescribedGroup, type DescribedPrice, settingText } from './document.ts';
import { copyOf, isSameText, isSameValue, objectOf, settingsWith, textOf } from './entry-values.ts';
import { groupFields, type MapField, priceFields } from './map-fields.ts';
import { placeIn } from './read-document.ts';
import { bothTexts, fieldOf, isOthers, type PlannedKind, type Planning, refusalText, type Step } from './planning.ts';

export interface PlannedEntries extends PlannedKind {
  /** Settings as they will be. */
  settings: Settings;
  /** Groups that will be removed. */
  removedGroups: string[];
  /** Identifies the state that the steps are based on. */
  basis: string;
  /** Saves everything but removals of groups. */
  save(): Promise<void>;
  /** Removes groups, once nothing is in them. */
  removeGroups(): Promise<void>;
}

interface Draft {
  rows: ReadonlyMap<string, OptionRecord>;
  /** Texts as they will be. */
  texts: Map<SettingKey, string>;
  /** Maps of groups and prices as they are, and as they will be. */
  before: Map<SettingKey, Values>;
  after: Map<SettingKey, Values>;
  /** As they will be. */
  marks: { [Kind in EntryKind]: Map<string, EntryMark> };
  steps: Step[];
  left: PlannedKind['left'];
  same: number;
}

export async function planEntries(planning: Planning): Promise<PlannedEntries> {
  const { context, described, actor } = planning;
  await finishOptionWrites(context);
  const rows = new Map((await context.db.collection('options').find({})).map((row) => [row.id, row]));
  const stored = managedEntriesOf(rows.get(managedEntriesKey));
  const draft: Draft = {
    rows,
    texts: new Map(),
    before: new Map(),
    after: new Map(),
    marks: { setting: new Map(stored.setting), group: new Map(stored.group), price: new Map(stored.price) },
    steps: [],
    left: [],
    same: 0,
  };
  planSettings(planning, draft, stored);
  planMaps(planning, draft, stored, { kind: 'price', entries: described.prices, fields: priceFields });
  planMaps(planning, draft, stored, { kind: 'group', entries: described.groups, fields: groupFields });
  for (const kind of entryKinds) planLeft(planning, draft, stored, kind);
  writeMaps(planning, draft);
  const removedGroups = draft.steps.filter(({ kind, action }) => kind === 'group' && action === 'deleted').map(({ name }) => name);
  const final = new Map(draft.texts);
  for (const [key, text] of withoutGroups(draft, removedGroups, context)) final.set(key, text);
  const edits = [...final].map(([key, value]) => ({ key, value, ...(key === 'GroupRatio' ? { removes_groups: true } : {}) }));
  if (planning.problems.length === 0 && edits.length > 0) {
    const unchanged = { actor, conflictData: () => undefined, isDry: true };
    await saveOptions(context, edits, unchanged).catch((failure: unknown) => noteRefusal(planning, failure));
  }
  const revisionOf = (key: string) => rows.get(key)?.revision ?? 0;
  const marksText = managedEntriesText(draft.marks);
  const storedMarks = managedEntriesText(stored);
  const based = (texts: ReadonlyMap<SettingKey, string>) =>
    [...texts].map(([key, value]) => ({ key, value, revision: revisionOf(key), removes_groups: true }));
  const conflictData = () => undefined;
  return {
    ...draft,
    settings: settingsWith(context, final),
    removedGroups,
    basis: JSON.stringify([marksText, ...[...final.keys()].map((key) => [key, revisionOf(key)])]),
    async save() {
      if (draft.texts.size === 0 && marksText === storedMarks) return;
      const also = (current: ReadonlyMap<string, OptionRecord>) => {
        const text = managedEntriesText(managedEntriesOf(current.get(managedEntriesKey)));
        if (text !== storedMarks) throw new AppError('apply_outdated');
        return text === marksText ? [] : [{ id: managedEntriesKey, value: marksText }];
      };
      await saveOptions(context, based(draft.texts), { actor, conflictData, also });
      await context.settings.reload();
    },
    async removeGroups() {
      if (removedGroups.length === 0) return;
      const current = new Map((await context.db.collection('options').find({})).map((row) => [row.id, row]));
      const texts = withoutGroups({ ...draft, rows: current, before: new Map(), after: new Map() }, removedGroups, context);
      const own = [...texts].map(([key, value]) => ({ key, value, revision: current.get(key)?.revision ?? 0 }));
      await saveOptions(context, own, { actor, conflictData });
      await context.settings.reload();
    },
  };
}

function planSettings(planning: Planning, draft: Draft, stored: ManagedEntries): void {
  const { context, described, actor, problems } = planning;
  for (const entry of described.settings) {
    const { name: key, value, place } = entry;
    if (isOthers(planning, stored.setting.get(key), entry)) continue;
    if (!mayWriteSetting(key, actor.role)) {
      problems.push({ ...place, text: bothTexts('option_denied', { key }) });
      continue;
    }
    const text = settingText(key, value);
    const problem = settingProblem(key, text);
    if (problem !== undefined) {
      problems.push({ ...place, text: bothTexts(problem.code, problem.details) });
      continue;
    }
    const before = textOf(draft.rows, key, context);
    const isChanged = !isSameText(key, before, text);
    if (isChanged) draft.texts.set(key, text);
    const fields = isChanged ? [fieldOf(key, before, text, isSecret(key) || entry.referenced.has(key))] : [];
    noteEntry(planning, draft, { kind: 'setting', name: key, place, fields });
  }
}

interface Maps<Value> {
  kind: 'group' | 'price';
  entries: Planning['described'][`${'group' | 'price'}s`];
  fields: readonly MapField<Value>[];
}

function planMaps(planning: Planning, draft: Draft, stored: ManagedEntries, maps: Maps<DescribedPrice> | Maps<DescribedGroup>): void {
  const { context, actor, problems } = planning;
  for (const entry of maps.entries) {
    const { name, value, place } = entry;
    if (isOthers(planning, stored[maps.kind].get(name), entry)) continue;
    if (value === null) {
      planAbsentGroup(planning, draft, { name, place });
      continue;
    }
    const fields: Step['fields'] = [];
    let exists = false;
    for (const { key, field } of maps.fields) {
      const [before, after]: unknown[] = [mapBefore(draft, key, context)[name], Reflect.get(value, field)];
      exists ||= before !== undefined;
      if (isSameValue(before, after)) continue;
      if (!mayWriteSetting(key, actor.role)) problems.push({ ...placeIn(entry, field), text: bothTexts('option_denied', { key }) });
      setEntry(mapAfter(draft, key, context), name, after);
      fields.push(fieldOf(field, before, after, entry.referenced.has(field)));
    }
    noteEntry(planning, draft, { kind: maps.kind, name, place, fields, isNew: !exists });
  }
}

/** Texts of the maps that differ. Problems of an entry are noted where it is described. */
function writeMaps({ described, problems }: Planning, draft: Draft): void {
  for (const [key, after] of draft.after) {
    if (isSameValue(after, draft.before.get(key))) continue;
    const text = JSON.stringify(after);
    const problem = settingProblem(key, text);
    draft.texts.set(key, text);
    if (problem === undefined) continue;
    const name = problem.details['name'] ?? problem.details['group'];
    const entries = [...described.groups, ...described.prices];
    const place = (entries.find((entry) => entry.name === name) ?? entries[0])?.place;
    if (place !== undefined) problems.push({ ...place, text: bothTexts(problem.code, problem.details) });
  }
}

/** A group that must not exist. It is removed last. */
function planAbsentGroup({ context }: Planning, draft: Draft, { name, place }: Pick<Step, 'name'> & { place: Step['place'] }): void {
  draft.marks.group.delete(name);
  if (!groupFields.some(({ key }) => mapBefore(draft, key, context)[name] !== undefined)) {
    draft.same += 1;
    return;
  }
  draft.steps.push({ kind: 'group', name, action: 'deleted', ...(place === undefined ? {} : { place }), fields: [], revision: 0 });
}

function noteEntry(
  { by }: Planning,
  draft: Draft,
  {
    kind,
    name,
    place,
    fields,
    isNew = false,
  }: Pick<Step, 'name' | 'fields'> & { kind: EntryKind; place: NonNullable<Step['place']>; isNew?: boolean },
): void {
  const old = draft.marks[kind].get(name);
  const mark = { by, file: place.file };
  draft.marks[kind].set(name, mark);
  if (fields.length === 0 && old?.by === by && old.file === place.file) {
    draft.same += 1;
    return;
  }
  const action = fields.length === 0 ? 'managed' : isNew ? 'created' : 'changed';
  draft.steps.push({ kind, name, action, place, fields, revision: 0 });
}

/** What these files managed before and do not describe any more. */
function planLeft(planning: Planning, draft: Draft, stored: ManagedEntries, kind: EntryKind): void {
  const { by, described, prunes, context, actor, problems } = planning;
  const names: ReadonlySet<string> = new Set(described[`${kind}s`].map(({ name }) => name));
  for (const [name, mark] of stored[kind]) {
    if (mark.by !== by || names.has(name)) continue;
    if (!prunes) {
      draft.left.push({ kind, name });
      continue;
    }
    const place = { file: mark.file, line: 1, column: 1, path: `${kind}s.${name}` };
    if (kind === 'setting' && !(isSettingKey(name) && mayWriteSetting(name, actor.role))) {
      if (isSettingKey(name)) problems.push({ ...place, text: bothTexts('option_denied', { key: name }) });
      continue;
    }
    draft.marks[kind].delete(name);
    if (kind === 'group') {
      // Every installation has it: it only is no longer managed.
      if (name !== 'default') draft.steps.push({ kind, name, action: 'deleted', fields: [], revision: 0 });
      continue;
    }
    if (kind === 'price') restorePrices(draft, name, context);
    else if (isSettingKey(name) && !isSameText(name, textOf(draft.rows, name, context), defaultText(name))) {
      draft.texts.set(name, defaultText(name));
    }
    draft.steps.push({ kind, name, action: 'deleted', fields: [], revision: 0 });
  }
}

/** A model that has built-in prices has those again. */
function restorePrices(draft: Draft, name: string, context: AppContext): void {
  for (const { key } of priceFields) {
    const initial = objectOf(defaultText(key))[name];
    if (!isSameValue(mapBefore(draft, key, context)[name], initial)) setEntry(mapAfter(draft, key, context), name, initial);
  }
}

/** Texts of the maps of groups without these. */
function withoutGroups(draft: Draft, names: readonly string[], context: AppContext): Map<SettingKey, string> {
  const texts = new Map<SettingKey, string>();
  const gone = new Set(names);
  if (gone.size === 0) return texts;
  for (const { key } of groupFields) {
    const map = mapAfter(draft, key, context);
    const rest = Object.fromEntries(Object.entries(map).filter(([name]) => !gone.has(name)));
    if (!isSameValue(map, rest)) texts.set(key, JSON.stringify(rest));
  }
  return texts;
}

/** @throws what is no refusal */
function noteRefusal({ described, problems }: Planning, failure: unknown): void {
  if (!(failure instanceof AppError)) throw failure;
  const { field, details } = failure;
  const names = new Set([field, details['key'], details['group'], details['name']].map(String));
  const all = [...described.settings, ...described.groups, ...described.prices];
  const place = all.find(({ name }) => names.has(name))?.place ?? all[0]?.place;
  problems.push({ ...(place ?? { file: '', line: 1, column: 1, path: '' }), text: refusalText(failure) });
}

/**
 * Notes removed groups that something would still be in.
 * @param goes counts of channels and keys that leave each group by other steps
 */
export async function checkRemovedGroups(
  planning: Planning,
  { removedGroups, steps }: PlannedEntries,
  goes: { channels(group: string): number; tokens(group: string): number },
): Promise<void> {
  for (const group of removedGroups) {
    const stored = await readGroupUses(planning.context, group);
    const uses = { ...stored, channels: stored.channels - goes.channels(group), keys: stored.keys - goes.tokens(group) };
    if (!isUsed(uses)) continue;
    const place = steps.find(({ kind, name }) => kind === 'group' && name === group)?.place;
    const file = { file: planning.described.groups[0]?.place.file ?? '', line: 1, column: 1, path: `groups.${group}` };
    planning.problems.push({ ...(place ?? file), text: refusalText(inUseError(group, uses)) });
  }
}

type Values = Record<string, unknown>;

function mapBefore(draft: Draft, key: SettingKey, context: AppContext): Values {
  const known = draft.before.get(key) ?? objectOf(textOf(draft.rows, key, context));
  draft.before.set(key, known);
  return known;
}

function mapAfter(draft: Draft, key: SettingKey, context: AppContext): Values {
  const known = draft.after.get(key) ?? copyOf(mapBefore(draft, key, context));
  draft.after.set(key, known);
  return known;
}

function setEntry(map: Values, name: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(map, name);
  else map[name] = value;
}
