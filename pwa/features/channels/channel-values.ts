// What the editor holds and what it sends.
import { foreignFormat } from '#shared/channel-formats.ts';
import { type OtherProblem, otherProblem, type TypedKeyProblem, typedKeyProblem } from '#shared/channel-type-rules.ts';
import { channelType } from '#shared/channel-types.ts';
import {
  type BaseUrlProblem,
  baseUrlProblem,
  type ChannelGroupsProblem,
  channelGroupsProblem,
  type ChannelJsonProblem,
  channelJsonProblem,
  channelKeys,
  type ChannelModelsProblem,
  channelModelsProblem,
  isChannelKey,
  isChannelText,
  longestOther,
  tidyBaseUrl,
} from '#shared/channel-rules.ts';
import { type Channel, type ChannelCreate, type ChannelDraft, ChannelEdit } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { movesKey } from '#shared/key-destination.ts';
import { Role } from '#shared/roles.ts';

export interface ChannelValues {
  type: number;
  name: string;
  /** Undefined: not touched. On a new channel one key per line. */
  key: string | undefined;
  base_url: string;
  other: string;
  openai_organization: string;
  models: string[];
  groups: string[];
  priority: number | '';
  weight: number | '';
  tag: string;
  remark: string;
  auto_ban: boolean;
  test_model: string;
  model_mapping: string;
  status_code_mapping: string;
  param_override: string;
  setting: string;
  max_input_tokens: number | '';
}

export type ChannelField = keyof ChannelValues;

export const emptyValues: ChannelValues = {
  type: 1,
  name: '',
  key: undefined,
  base_url: '',
  other: '',
  openai_organization: '',
  models: [],
  groups: ['default'],
  priority: 0,
  weight: 0,
  tag: '',
  remark: '',
  auto_ban: true,
  test_model: '',
  model_mapping: '',
  status_code_mapping: '',
  param_override: '',
  setting: '',
  max_input_tokens: 0,
};

export function valuesOf(channel: Channel): ChannelValues {
  return {
    type: channel.type,
    name: channel.name,
    key: undefined,
    base_url: channel.base_url,
    other: channel.other,
    openai_organization: channel.openai_organization,
    models: commaList(channel.models),
    groups: channel.groups,
    priority: channel.priority,
    weight: channel.weight,
    tag: channel.tag,
    remark: channel.remark ?? '',
    auto_ban: channel.auto_ban === 1,
    test_model: channel.test_model,
    model_mapping: channel.model_mapping,
    status_code_mapping: channel.status_code_mapping,
    param_override: channel.param_override,
    setting: channel.setting,
    max_input_tokens: channel.max_input_tokens,
  };
}

/** The keys that would be sent, each once. */
export function keysOf(text: string | undefined): string[] {
  return channelKeys(text ?? '');
}

export type ChannelProblem =
  | 'key_required'
  | 'name_required'
  | 'text'
  | 'one_key'
  | 'key_characters'
  | 'key_again'
  | 'text_long'
  | TypedKeyProblem
  | OtherProblem
  | ChannelModelsProblem
  | ChannelGroupsProblem
  | 'mapping_json'
  | 'format_foreign'
  | ChannelJsonProblem
  | 'base_url_required'
  | BaseUrlProblem
  | 'priority'
  | 'priority_empty'
  | 'weight'
  | 'weight_empty'
  | 'tokens'
  | 'tokens_empty';

/** Whether the stored key may not go where these values send it, so that it has to be entered again. */
export function needsKeyAgain(before: ChannelValues | undefined, values: ChannelValues, role: number): boolean {
  return before !== undefined && role < Role.root && movesKey(before, values);
}

/** What is wrong, by field. */
export function channelProblems(
  values: ChannelValues,
  { isNew, needsKey = false }: { isNew: boolean; needsKey?: boolean },
): Partial<Record<ChannelField, ChannelProblem>> {
  const problems: Partial<Record<ChannelField, ChannelProblem>> = {};
  const keys = keysOf(values.key);
  for (const field of ['name', 'tag', 'remark', 'test_model', 'openai_organization'] as const) {
    if (!isChannelText(values[field].trim())) problems[field] = 'text';
  }
  if (!isChannelText(values.other.trim(), longestOther)) problems.other = 'text_long';
  const other = otherProblem(values.type, values.other);
  if (other !== undefined) problems.other = other;
  if (values.name.trim() === '') problems.name = 'name_required';
  const typedKey = keys.map((key) => typedKeyProblem(values.type, key)).find((found) => found !== undefined);
  if (typedKey !== undefined) problems.key = typedKey;
  if (!keys.every(isChannelKey)) problems.key = 'key_characters';
  if (isNew && keys.length === 0) problems.key = 'key_required';
  if (!isNew && keys.length > 1) problems.key = 'one_key';
  if (needsKey && keys.length === 0) problems.key = 'key_again';
  const models = channelModelsProblem(values.models);
  if (models !== undefined) problems.models = models.problem;
  const groups = channelGroupsProblem(values.groups);
  if (groups !== undefined) problems.groups = groups;
  for (const field of ['model_mapping', 'status_code_mapping', 'param_override', 'setting'] as const) {
    const problem = channelJsonProblem(field, values[field]);
    if (problem !== undefined) problems[field] = problem === 'json' && field === 'model_mapping' ? 'mapping_json' : problem;
  }
  if (foreignFormat(values.type, values.setting) !== undefined) problems.setting ??= 'format_foreign';
  const address = baseUrlProblem(values.base_url);
  if (address !== undefined) problems.base_url = address;
  else if (tidyBaseUrl(values.base_url) === '' && channelType(values.type)?.baseUrl === '') problems.base_url = 'base_url_required';
  if (values.priority === '') problems.priority = 'priority_empty';
  else if (!isAccepted('priority', values.priority)) problems.priority = 'priority';
  if (values.weight === '') problems.weight = 'weight_empty';
  else if (!isAccepted('weight', values.weight)) problems.weight = 'weight';
  if (values.max_input_tokens === '') problems.max_input_tokens = 'tokens_empty';
  else if (!isAccepted('max_input_tokens', values.max_input_tokens)) problems.max_input_tokens = 'tokens';
  return problems;
}

/** Of several keys, which is the first that the type cannot have, counted from 1. */
export function wrongKeyOf({ type, key }: Pick<ChannelValues, 'type' | 'key'>): number | undefined {
  const keys = keysOf(key);
  const index = keys.findIndex((one) => !isChannelKey(one) || typedKeyProblem(type, one) !== undefined);
  return keys.length < 2 || index < 0 ? undefined : index + 1;
}

/** Most addresses of the kind break with it: the version is added to the path of every call. */
export function endsInVersion({ base_url, type }: Pick<ChannelValues, 'base_url' | 'type'>): boolean {
  return type !== 8 && /\/v1\/*$/.test(base_url.trim());
}

/** The fields of a form as the server takes them; of the key only what was typed. */
export function fieldsOf(values: ChannelValues): Omit<ChannelCreate, 'copy_from' | 'status' | 'group'> {
  const { key, ...rest } = values;
  return {
    ...rest,
    name: values.name.trim(),
    base_url: tidyBaseUrl(values.base_url),
    models: values.models.join(','),
    auto_ban: values.auto_ban ? 1 : 0,
    priority: values.priority === '' ? 0 : values.priority,
    weight: values.weight === '' ? 0 : values.weight,
    max_input_tokens: values.max_input_tokens === '' ? 0 : values.max_input_tokens,
    ...(key === undefined || key.trim() === '' ? {} : { key: keysOf(key).join('\n') }),
  };
}

/** What trying out a form depends on. `id`: the channel that is edited; its own key is used where none was typed. */
export function draftBody(values: ChannelValues, id: number | undefined): ChannelDraft {
  const {
    name: _name,
    groups: _groups,
    priority: _priority,
    weight: _weight,
    tag: _tag,
    remark: _remark,
    auto_ban: _autoBan,
    ...rest
  } = fieldsOf(values);
  return { ...rest, ...(id === undefined ? {} : { id }) };
}

const formFields = Object.keys(emptyValues).filter((field): field is ChannelField => field in emptyValues);

/** What a test of the form may answer differently for. */
export const draftFields: ReadonlySet<ChannelField> = new Set(
  formFields.filter((field) => field !== 'name' && field in draftBody({ ...emptyValues, key: 'any' }, undefined)),
);

/** The fields that differ between two states of the form. */
export function changedFields(before: ChannelValues, after: ChannelValues): ChannelField[] {
  return formFields.filter((field) => {
    if (field === 'key') return keysOf(after.key).length > 0;
    return textOf(before, field) !== textOf(after, field);
  });
}

/** Only what was changed: what others change meanwhile in other fields stays. */
export function editBody(base: Channel, values: ChannelValues, revision: number): ChannelEdit {
  const fields = fieldsOf(values);
  const changed = changedFields(valuesOf(base), values);
  return { id: base.id, revision, ...Object.fromEntries(Object.entries(fields).filter(([field]) => changed.some((one) => one === field))) };
}

/** A new channel like an old one; the key is taken over by the server. */
export function copyBody(channel: Channel, name: string): ChannelCreate {
  return { ...fieldsOf(valuesOf(channel)), name, status: channel.status === 1 ? 1 : 2, copy_from: channel.id };
}

/** A field as text, for comparing and for showing what it was. */
export function textOf(values: ChannelValues, field: ChannelField): string {
  const value = values[field];
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

function isAccepted(field: 'priority' | 'weight' | 'max_input_tokens', value: number): boolean {
  return ChannelEdit.shape[field].safeParse(value).success;
}
