// Channels of a document, found by their names. A field that a file does not have has its default; status and keys are left to the console where the
// file does not have them.
import { ChannelStatus, type ChannelCreate } from '#shared/channels.ts';
import { channelTypes } from '#shared/channel-types.ts';
import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import { fieldSentence } from '#shared/field-rules.ts';
import { movesKey } from '#shared/key-destination.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import { plainEntries } from '#server/audit-log/audited-fields.ts';
import { type ChannelFields, channelFields } from '#server/features/channels/channel-fields.ts';
import { checkKeyDestination } from '#server/features/channels/check-key-destination.ts';
import { createChannels, newChannel } from '#server/features/channels/create-channels.ts';
import { deleteChannels } from '#server/features/channels/delete-channels.ts';
import { changedFields, editChannel } from '#server/features/channels/edit-channel.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { Settings } from '#server/settings/settings.ts';
import { hashOf, hasSeveral, keyChanges, type WantedKey, wantedKeys, writeKeys } from './described-keys.ts';
import type { DescribedChannel } from './document.ts';
import { canonical } from './entry-values.ts';
import { deletionOf, fieldOf, isOthers, isSameMark, markOf, type PlannedKind, type Planning, refusalText, type Step } from './planning.ts';
import { type Entry, placeIn } from './read-document.ts';

type ChannelEntry = Entry<string, DescribedChannel>;
type Input = Omit<ChannelCreate, 'key' | 'copy_from' | 'status'>;

export interface PlannedChannels extends PlannedKind {
  /** Groups of all channels as they will be. */
  groups: string[][];
}

export async function planChannels(planning: Planning, settings: Settings): Promise<PlannedChannels> {
  const { context, described, by, prunes } = planning;
  const records = await context.db.collection('channels').find({}, { sort: [['id', 1]] });
  const keyRows = described.channels.length === 0 ? [] : await context.db.collection('channel_keys').find({}, { sort: [['id', 1]] });
  const byName = Map.groupBy(records, ({ name }) => name);
  const keysOf = Map.groupBy(keyRows, ({ channel_id: id }) => id);
  const planned: PlannedChannels = { steps: [], same: 0, left: [], groups: [] };
  const names = new Set(described.channels.map(({ name }) => name));
  for (const entry of described.channels) {
    const found = byName.get(entry.name) ?? [];
    const step = planChannel(planning, entry, { settings, found, keyRows: keysOf.get(found[0]?.id ?? 0) ?? [] });
    if (step === null) planned.same += 1;
    else if (step !== undefined) planned.steps.push(step);
    planned.groups.push([...(entry.value.groups ?? ['default'])]);
  }
  for (const record of records) {
    const { name, managed } = record;
    if (names.has(name)) continue;
    const isDeleted = managed?.by === by && prunes;
    if (!isDeleted) planned.groups.push(commaList(record.group));
    if (managed?.by !== by) continue;
    if (isDeleted) planned.steps.push(deletion(planning, record));
    else planned.left.push({ kind: 'channel', name });
  }
  return planned;
}

interface Found {
  settings: Settings;
  found: readonly ChannelRecord[];
  keyRows: readonly ChannelKeyRecord[];
}

/** Null if the channel is as described; undefined if something is wrong. */
function planChannel(planning: Planning, entry: ChannelEntry, { settings, found, keyRows }: Found): Step | null | undefined {
  const { problems, warnings } = planning;
  const { name, value } = entry;
  const [record, second] = found;
  if (second !== undefined) {
    problems.push({ ...entry.place, text: fieldSentence(name, { zh: '是多个渠道的名称', en: 'is the name of several channels' }) });
    return undefined;
  }
  if (isOthers(planning, record?.managed, entry)) return undefined;
  for (const [index, group] of (value.groups ?? []).entries()) {
    if (settings.get('GroupRatio')[group] === undefined)
      warnings.push({
        ...placeIn(entry, `groups.${index}`),
        text: fieldSentence(group, { zh: '不是已有的分组', en: 'is not an existing group' }),
      });
  }
  try {
    const input = inputOf(entry);
    const wanted = wantedKeys(planning, entry, input.type ?? 1);
    const left = [...(value.status === undefined ? ['status'] : []), ...(wanted === undefined ? ['key'] : [])];
    const mark: ManagedMark = { ...markOf(planning, entry, left), ...(wanted === undefined ? {} : { key: hashOf(planning, wanted) }) };
    return record === undefined
      ? planCreation(planning, entry, { input, wanted, mark })
      : planEdit(planning, entry, { input, wanted, mark, record, keyRows });
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    const field = failure.field === 'group' ? 'groups' : failure.field;
    problems.push({ ...placeIn(entry, field), text: refusalText(failure) });
    return undefined;
  }
}

interface Intended {
  input: Input;
  wanted: WantedKey[] | undefined;
  mark: ManagedMark;
}

function planCreation(planning: Planning, entry: ChannelEntry, { input, wanted, mark }: Intended): Step {
  const { context, actor, language } = planning;
  const status = entry.value.status === 'disabled' ? ChannelStatus.disabledByHand : ChannelStatus.enabled;
  if (wanted === undefined) throw new AppError('channel_incomplete', {}, { field: 'key' });
  const [first] = wanted;
  newChannel(context, { ...input, status });
  const shownFields = channelFields(input);
  const blank = emptyFields();
  const fields = Object.entries(shownFields)
    .filter(([field, value]) => !isSame(field, value, Reflect.get(blank, field)))
    .flatMap(([field, value]) => shownField(entry, field, '', value));
  return {
    kind: 'channel',
    name: entry.name,
    action: 'created',
    place: entry.place,
    fields: [...fields, fieldOf('key', undefined, undefined, true)],
    revision: 0,
    async run() {
      const [id] = await createChannels(context, actor, { input: { ...input, status, key: first?.text ?? '' }, mark });
      if (id !== undefined && hasSeveral(wanted)) await writeKeys(planning, { id, wanted, keyRows: [], language });
    },
  };
}

function planEdit(
  planning: Planning,
  entry: ChannelEntry,
  { input, wanted, mark, record, keyRows }: Intended & { record: ChannelRecord; keyRows: readonly ChannelKeyRecord[] },
): Step | null {
  const { context, actor, language } = planning;
  const desired = channelFields(input, record);
  const changed = Object.entries(desired).filter(([field, value]) => !isSame(field, value, Reflect.get(record, field)));
  const fields = changed.flatMap(([field, value]) => shownField(entry, field, Reflect.get(record, field), value));
  const edit: Record<string, unknown> = {};
  for (const [field] of changed) edit[field === 'group' ? 'groups' : field] = Reflect.get(input, field === 'group' ? 'groups' : field);
  const status = statusFor(entry.value.status, record.status);
  if (status !== undefined) {
    edit['status'] = status;
    fields.push(fieldOf('status', statusName(record.status), entry.value.status));
  }
  const keys = keyChanges(record, { wanted, mark, keyRows });
  if (keys.isChanged) fields.push(fieldOf(keyRows.length > 0 || hasSeveral(wanted ?? []) ? 'keys' : 'key', undefined, undefined, true));
  const after = { ...record, ...desired };
  const [only] = wanted ?? [];
  const isMoving = movesKey(record, after);
  // Administrators send the key along to a new destination; the super admin need not.
  if (keys.isSingle && only !== undefined && (keys.isChanged || isMoving)) edit['key'] = only.text;
  else if (isMoving && !(wanted !== undefined && keyRows.every(({ key_hash: hash }) => wanted.some((key) => key.hash === hash))))
    checkKeyDestination(actor, record, after);
  const isMarked = isSameMark(record.managed, mark) && record.managed?.key === mark.key;
  if (fields.length === 0 && isMarked) return null;
  const revision = record.revision;
  changedFields({ context, actor }, edit, record);
  return {
    kind: 'channel',
    name: entry.name,
    action: fields.length === 0 ? 'managed' : 'changed',
    place: entry.place,
    fields,
    revision,
    async run() {
      // The mark with the keys' hash comes last, so that an apply that was cut short finds the keys unfinished.
      const early = keys.isSingle || !keys.isChanged ? mark : { ...mark, key: '' };
      await editChannel({ context, actor, language }, { ...edit, id: record.id, revision }, early);
      if (keys.isSingle || !keys.isChanged || wanted === undefined) return;
      await writeKeys(planning, { id: record.id, wanted, keyRows, language });
      await editChannel({ context, actor, language }, { id: record.id }, mark);
    },
  };
}

function deletion({ context }: Planning, record: ChannelRecord): Step {
  const { id } = record;
  return deletionOf('channel', record, {
    read: () => context.db.collection('channels').get(id),
    remove: () => deleteChannels(context, [id]),
  });
}

/** The body that the console's form would send. */
function inputOf({ value }: ChannelEntry): Input {
  const text = (field: 'base_url' | 'other' | 'openai_organization' | 'test_model' | 'tag' | 'remark') => value[field] ?? '';
  const json = (part: object | undefined) => (part === undefined || Object.keys(part).length === 0 ? '' : JSON.stringify(part));
  return {
    type: typeOf(value.type),
    name: value.name,
    models: value.models.join(','),
    groups: value.groups ?? ['default'],
    weight: value.weight ?? 0,
    priority: value.priority ?? 0,
    base_url: text('base_url'),
    other: text('other'),
    openai_organization: text('openai_organization'),
    test_model: text('test_model'),
    tag: text('tag'),
    remark: text('remark'),
    max_input_tokens: value.max_input_tokens ?? 0,
    auto_ban: value.auto_ban === false ? 0 : 1,
    model_mapping: json(value.model_mapping),
    status_code_mapping: json(value.status_code_mapping),
    setting: json(value.setting),
    param_override: json(value.param_override),
  };
}

function emptyFields(): ChannelFields {
  return { weight: 0, priority: 0, auto_ban: 1, max_input_tokens: 0, group: 'default' };
}

/** @throws {AppError} for a name that no type has */
function typeOf(type: number | string): number {
  if (typeof type === 'number') return type;
  const wanted = type.trim().toLowerCase();
  const found = channelTypes.find(({ name, nameZh }) => name.toLowerCase() === wanted || nameZh === type.trim());
  if (found === undefined) throw new AppError('channel_type_unsupported', { type: type.slice(0, 80) }, { field: 'type' });
  return found.type;
}

const jsonFields: ReadonlySet<string> = new Set(['model_mapping', 'status_code_mapping', 'setting', 'param_override']);

function isSame(field: string, one: unknown, other: unknown): boolean {
  const [left, right] = [one ?? '', other ?? ''];
  return left === right || (jsonFields.has(field) && canonical(parsedOf(left)) === canonical(parsedOf(right)));
}

function parsedOf(text: unknown): unknown {
  try {
    return typeof text !== 'string' || text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of JSON texts, every member by itself; members that may be secret without their values. */
function shownField(entry: ChannelEntry, field: string, before: unknown, after: unknown): Step['fields'] {
  const own = field === 'group' ? 'groups' : field;
  if (!jsonFields.has(field)) return [fieldOf(own, before, after, entry.referenced.has(own))];
  const [from, to] = [parsedOf(before ?? ''), parsedOf(after)];
  if (!isObject(from) || !isObject(to)) return [fieldOf(own, undefined, undefined, true)];
  const plain = plainEntries[`channels.${field}`];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((name) => canonical(from[name]) !== canonical(to[name]))
    .map((name) => {
      const isPlain = field !== 'param_override' && (field !== 'setting' || plain?.has(name) === true);
      return fieldOf(`${own}.${name}`, from[name], to[name], !isPlain || entry.referenced.has(own));
    });
}

/** Undefined: as it is. What the system has disabled stays so until it is well, or disabled by hand. */
function statusFor(wanted: DescribedChannel['status'], current: number): number | undefined {
  if (wanted === 'disabled' && current !== ChannelStatus.disabledByHand) return ChannelStatus.disabledByHand;
  return wanted === 'enabled' && current === ChannelStatus.disabledByHand ? ChannelStatus.enabled : undefined;
}

function statusName(status: number): string {
  return status === ChannelStatus.enabled ? 'enabled' : status === ChannelStatus.disabledByHand ? 'disabled' : 'disabled automatically';
}

/** Text of a channel's type in a file. */
export function typeName(type: number): number | string {
  const found = channelTypes.find((one) => one.type === type);
  const isSole = found !== undefined && channelTypes.filter(({ name }) => name.toLowerCase() === found.name.toLowerCase()).length === 1;
  return isSole ? found.name : type;
}
