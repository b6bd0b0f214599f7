// What an administrator may set on a channel, checked and put into the form in which it is stored.
import {
  type BaseUrlProblem,
  baseUrlProblem,
  channelGroupsProblem,
  channelKeys,
  channelModelsProblem,
  isChannelKey,
  isChannelText,
  longestBaseUrl,
  longestOther,
  tidyBaseUrl,
} from '#shared/channel-rules.ts';
import { foreignFormat, formatsOfType } from '#shared/channel-formats.ts';
import { keyFormsText, otherProblem, typedKeyProblem } from '#shared/channel-type-rules.ts';
import type { ChannelCreate, ChannelEdit } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { AppError, type LocalText } from '#shared/errors.ts';
import { fieldRules, invalidInput } from '#shared/field-rules.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { parseChannelSetting, parseModelMapping, parseParamOverride, parseStatusCodeMapping } from '#server/exchange/channel-json.ts';
import { providerOf } from '#server/providers/registry.ts';
import { wrongJson } from './wrong-json.ts';

export type ChannelInput = Omit<ChannelCreate & Partial<ChannelEdit>, 'copy_from' | 'id' | 'revision' | 'key' | 'status'>;
/** Everything but the key and the status, which have rules of their own. */
export type ChannelFields = Partial<
  Pick<
    ChannelRecord,
    | 'type'
    | 'name'
    | 'openai_organization'
    | 'test_model'
    | 'weight'
    | 'priority'
    | 'base_url'
    | 'other'
    | 'models'
    | 'group'
    | 'model_mapping'
    | 'status_code_mapping'
    | 'setting'
    | 'param_override'
    | 'auto_ban'
    | 'tag'
    | 'remark'
    | 'max_input_tokens'
  >
>;

/**
 * The fields that are in the input. @param stored the channel that they are for, if there is one
 * @throws {AppError} for the first that is not right
 */
export function channelFields(input: ChannelInput, stored?: Pick<ChannelRecord, 'group'>): ChannelFields {
  const fields: ChannelFields = {};
  for (const field of ['type', 'weight', 'priority', 'auto_ban', 'max_input_tokens'] as const) {
    const value = input[field];
    if (value !== undefined && value !== null) fields[field] = value;
  }
  for (const field of ['openai_organization', 'test_model', 'other', 'tag', 'remark'] as const) {
    const text = input[field];
    if (text !== undefined && text !== null) fields[field] = oneLine(text, field, field === 'other' ? longestOther : undefined);
  }
  if (input.name !== undefined) {
    fields.name = oneLine(input.name, 'name');
    if (fields.name === '') throw new AppError('channel_incomplete', {}, { field: 'name' });
  }
  if (input.base_url !== undefined && input.base_url !== null) fields.base_url = baseUrl(input.base_url);
  if (input.models !== undefined && input.models !== null) fields.models = models(input.models);
  const groups = groupList(input, stored?.group ?? '');
  if (groups.length > 0) fields.group = groups.join(',');
  Object.assign(fields, jsonFields(input));
  return fields;
}

/** What the type demands of the channel as it will be. */
export function checkType({ type, base_url, other }: Pick<ChannelRecord, 'type' | 'base_url' | 'other'>): void {
  const provider = providerOf(type);
  if (provider === undefined) throw new AppError('channel_type_unsupported', { type }, { field: 'type' });
  if (provider.baseUrl === null && base_url === '') throw new AppError('channel_base_url_required', {}, { field: 'base_url' });
  const problem = otherProblem(type, other);
  if (problem !== undefined) throw new AppError(`channel_${problem}`, {}, { field: 'other' });
}

/** What its type has of the formats that its setting names. */
export function checkFormats({ type, setting }: Pick<ChannelRecord, 'type' | 'setting'>): void {
  const name = foreignFormat(type, setting);
  if (name === undefined) return;
  const formats = formatsOfType(type).join(', ') || '-';
  throw new AppError('channel_format_foreign', { name: name.slice(0, 80), formats }, { field: 'setting' });
}

/** One key per line, each once. @param type of the channel that they are for */
export function checkKeys(text: string, type: number): string[] {
  const keys = channelKeys(text);
  if (!keys.every(isChannelKey)) throw new AppError('channel_key_invalid', {}, { field: 'key' });
  const problem = keys.map((key) => typedKeyProblem(type, key)).find((found) => found !== undefined);
  if (problem !== undefined) throw new AppError(`channel_${problem}`, { forms: keyFormsText(type) }, { field: 'key' });
  return keys;
}

function oneLine(text: string, field: string, longest?: number): string {
  const line = text.trim();
  if (!isChannelText(line, longest)) throw new AppError('channel_text_invalid', { field }, { field });
  return line;
}

const baseUrlRules: Record<Exclude<BaseUrlProblem, 'base_url_scheme'>, LocalText> = {
  base_url_invalid: fieldRules.url,
  base_url_long: fieldRules.longest(longestBaseUrl),
  base_url_characters: fieldRules.characters,
  base_url_host: fieldRules.modelInHost,
  base_url_credentials: fieldRules.noCredentials,
  base_url_fragment: fieldRules.noFragment,
};

/** Without trailing slashes; may hold `{model}`. Empty: the provider's own address. */
function baseUrl(text: string): string {
  const problem = baseUrlProblem(text);
  if (problem === 'base_url_scheme') throw new AppError('channel_base_url_invalid', {}, { field: 'base_url' });
  if (problem !== undefined) throw invalidInput('base_url', baseUrlRules[problem]);
  return tidyBaseUrl(text);
}

function models(text: string): string {
  const names = commaList(text.replace(/[\r\n，]/g, ','));
  const found = channelModelsProblem(names);
  if (found === undefined) return names.join(',');
  const field = 'models';
  if (found.problem === 'models_required') throw new AppError('channel_without_models', {}, { field });
  if (found.problem === 'model_long') throw new AppError('channel_model_too_long', { model: (found.model ?? '').slice(0, 80) }, { field });
  throw new AppError('channel_text_invalid', { field }, { field });
}

/**
 * `group` is the older form of `groups`. Who sends a whole channel back has changed but one of them: whichever differs from
 * what is stored counts, and `groups` when both do.
 */
function groupList({ groups, group }: ChannelInput, stored: string): string[] {
  const given = [commaList(groups?.join(',') ?? ''), commaList(group ?? '')].filter((names) => names.length > 0);
  const names = given.find((list) => list.join(',') !== commaList(stored).join(',')) ?? given[0] ?? [];
  if (channelGroupsProblem(names) !== undefined) throw new AppError('channel_text_invalid', { field: 'group' }, { field: 'group' });
  return names;
}

function jsonFields(input: ChannelInput): ChannelFields {
  const fields: ChannelFields = {};
  const parsers = {
    model_mapping: parseModelMapping,
    status_code_mapping: parseStatusCodeMapping,
    setting: parseChannelSetting,
    param_override: parseParamOverride,
  };
  for (const field of ['model_mapping', 'status_code_mapping', 'setting', 'param_override'] as const) {
    const text = input[field]?.trim();
    if (text === undefined) continue;
    if (!text.isWellFormed()) throw new AppError('channel_text_invalid', { field }, { field });
    if (parsers[field](text) === null) throw wrongJson(field, text);
    fields[field] = text;
  }
  return fields;
}
