// A channel of one-api and new-api.
import {
  baseUrlProblem,
  channelGroupsProblem,
  channelJsonProblem,
  channelKeys,
  channelModelsProblem,
  isChannelKey,
  longestOther,
  tidyBaseUrl,
} from '#shared/channel-rules.ts';
import { otherProblem, typedKeyProblem } from '#shared/channel-type-rules.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { foreignFormat } from '#shared/channel-formats.ts';
import { readAwsKey } from '#shared/aws-key.ts';
import { isOverridableHeader } from '#shared/header-override.ts';
import { keyFields } from '#server/exchange/keys/new-key.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { type ChannelDraft, leftOut, type MappedRow, type RowNote } from '../mapped-row.ts';
import type { SourceRow } from '../sources/source-database.ts';
import {
  flag,
  integer,
  isNull,
  json,
  jsonObject,
  line,
  names,
  number,
  objectOf,
  oneLine,
  parsedJson,
  quota,
  text,
  trimmed,
  isFilled,
} from '../sources/row-values.ts';
import { mappedType, planAddresses } from './channel-types.ts';

export interface ChannelMapping {
  /** Unix seconds. */
  now: number;
  secrets: Pick<Secrets, 'hash' | 'encrypt'>;
  program: 'one-api' | 'new-api';
}

/** A key of a channel, and why it is not used. */
interface SourceKey {
  text: string;
  status: number;
}

const longestText = 255;
const longestRemark = 255;

export function mapChannel(row: SourceRow, mapping: ChannelMapping): MappedRow<ChannelDraft> {
  const oldId = text(row, 'id');
  const name = line(row, 'name', longestText) || `#${oldId}`;
  const oldType = integer(row, 'type', 1);
  const money = { amount: 0, used: quota(row, 'used_quota') };
  const mapped = mappedType(oldType, mapping.program);
  if (mapped === null || providerOf(mapped.type) === undefined) {
    return leftOut(oldId, name, { reason: 'type_unsupported', detail: String(oldType) }, money);
  }
  const notes: RowNote[] = [];
  const place = placeOf(row, mapped, notes);
  if (mapping.program === 'new-api' && mapped.type !== oldType)
    notes.push({ reason: 'type_mapped', detail: `${oldType} → ${mapped.type}` });
  const keys = keysOf(row, place.type, notes);
  if (keys.length === 0) return leftOut(oldId, name, { reason: 'key_empty' }, money);
  const fields = { ...place, ...plainFields(row, mapping), ...jsonFields(row, notes) };
  const other = place.type === oldType || mapping.program === 'new-api' ? otherOf(row, keys) : '';
  const problem = channelProblem({ ...fields, other }, keys);
  if (problem !== undefined) notes.push({ reason: 'channel_invalid', detail: problem });
  const isOff = fields.isUnplaced || problem !== undefined;
  const { isUnplaced: _unplaced, ...record } = fields;
  const drafts = keys.map((key) => ({ ...keyFields(mapping.secrets, key.text), status: key.status }));
  const [first] = drafts;
  if (first === undefined) return leftOut(oldId, name, { reason: 'key_empty' }, money);
  const remark = trimmed(row, 'remark').slice(0, longestRemark);
  return {
    oldId,
    name,
    notes,
    money,
    draft: {
      ...record,
      name,
      key_cipher: first.key_cipher,
      key_hash: first.key_hash,
      keys: drafts.length > 1 ? drafts : [],
      status: statusOf({ status: record.status, isOff, keys }),
      other,
      ...(remark === '' ? {} : { remark }),
    },
  };
}

/** A channel with one key has the state of that key; one with several has its own. */
function statusOf({ status, isOff, keys }: { status: number; isOff: boolean; keys: readonly SourceKey[] }): number {
  if (status !== ChannelStatus.enabled) return status;
  if (isOff) return ChannelStatus.disabledByHand;
  const [only, ...others] = keys;
  return only !== undefined && others.length === 0 ? only.status : status;
}

/** Type and address. */
function placeOf(row: SourceRow, mapped: { type: number; baseUrl?: string }, notes: RowNote[]): Pick<ChannelDraft, 'type' | 'base_url'> {
  const given = trimmed(row, 'base_url');
  const plan = planAddresses[given];
  if (plan !== undefined) {
    // Their paths differ from the provider's usual ones.
    const address = `${plan}/chat/completions`;
    notes.push({ reason: 'address_plan', detail: address });
    return { type: 8, base_url: address };
  }
  return { type: mapped.type, base_url: tidyBaseUrl(given === '' ? (mapped.baseUrl ?? '') : given) };
}

function plainFields(row: SourceRow, { now, program }: ChannelMapping) {
  const status = integer(row, 'status', ChannelStatus.enabled);
  const isKnownStatus = status === ChannelStatus.enabled || status === ChannelStatus.disabledBySystem;
  const created = integer(row, 'created_time');
  const models = names(text(row, 'models')).map((model) => oneLine(model, longestText));
  const groups = names(text(row, 'group'));
  const bounded = (column: string) => Math.max(0, integer(row, column));
  return {
    openai_organization: line(row, 'open_ai_organization', longestText),
    test_model: line(row, 'test_model', longestText),
    status: isKnownStatus ? status : ChannelStatus.disabledByHand,
    weight: bounded('weight'),
    priority: integer(row, 'priority'),
    created_time: created > 0 ? created : now,
    test_time: bounded('test_time'),
    response_time: bounded('response_time'),
    balance: number(row, 'balance'),
    balance_updated_time: bounded('balance_updated_time'),
    models: models.join(','),
    group: groups.length === 0 ? 'default' : groups.join(','),
    used_quota: quota(row, 'used_quota'),
    auto_ban: program === 'one-api' || isNull(row, 'auto_ban') ? 1 : flag(row, 'auto_ban') ? 1 : 0,
    tag: line(row, 'tag', longestText),
    max_input_tokens: bounded('max_input_tokens'),
    other_info: jsonObject(row, 'other_info') === null ? '' : text(row, 'other_info'),
    revision: 1,
  };
}

/** Parts that one-api has in `config` and new-api in `other`. */
function otherOf(row: SourceRow, keys: readonly SourceKey[]): string {
  const config = jsonObject(row, 'config') ?? {};
  const inConfig = ['api_version', 'library_id', 'plugin', 'user_id', 'region']
    .map((name) => config[name])
    .find((value) => typeof value === 'string' && value !== '');
  const other = oneLine(text(row, 'other'), longestOther);
  // The region of AWS is a part of its key.
  const isRegionOfKey = keys[0] !== undefined && readAwsKey(keys[0].text) !== null;
  return other !== '' || typeof inConfig !== 'string' || isRegionOfKey ? other : oneLine(inConfig, longestOther);
}

function keysOf(row: SourceRow, type: number, notes: RowNote[]): SourceKey[] {
  const info = jsonObject(row, 'channel_info') ?? {};
  const texts = keyTexts(text(row, 'key'), info['is_multi_key'] === true).map((key) => keyInForm(key, type, row));
  const statuses = objectOf(info['multi_key_status_list']) ?? {};
  if (texts.length > 1 && info['is_multi_key'] === true && typeof info['multi_key_mode'] === 'string' && info['multi_key_mode'] !== '') {
    notes.push({ reason: 'no_place', detail: `multi_key_mode: ${oneLine(info['multi_key_mode'], 20)}` });
  }
  return texts.map((key, index) => ({ text: key, status: keyStatus(statuses[String(index)]) })).filter(({ text: key }) => key !== '');
}

/** A missing entry means that the key is enabled. */
function keyStatus(stored: unknown): number {
  const status = Number(stored ?? ChannelStatus.enabled);
  if (status === ChannelStatus.enabled || status === ChannelStatus.disabledBySystem) return status;
  return ChannelStatus.disabledByHand;
}

function keyTexts(given: string, isMulti: boolean): string[] {
  const list = isMulti && given.trim().startsWith('[') ? parsedJson(given) : undefined;
  if (Array.isArray(list)) return list.map((key) => (typeof key === 'string' ? key.trim() : (channelKeys(JSON.stringify(key))[0] ?? '')));
  if (!isMulti) return channelKeys(given);
  // Empty lines count in the numbers of keys, so they are dropped later.
  return given
    .trim()
    .split(/\r\n|\r|\n/)
    .map((key) => channelKeys(key)[0] ?? '');
}

/** one-api joins parts of a Vertex and of an AWS key, or has them in `config`. */
function keyInForm(key: string, type: number, row: SourceRow): string {
  const config = jsonObject(row, 'config') ?? {};
  const part = (name: string) => (typeof config[name] === 'string' ? config[name] : '');
  if (type === 33 && readAwsKey(key) === null && part('ak') !== '') return [part('ak'), part('sk'), part('region')].join('|');
  if (type === 41 && !key.startsWith('{')) {
    const at = key.indexOf('{');
    if (at > 0) return channelKeys(key.slice(at))[0] ?? key;
    const credentials = part('vertex_ai_adc');
    if (credentials !== '') return channelKeys(credentials)[0] ?? key;
  }
  return key;
}

interface JsonFields {
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  /** Something would be sent otherwise than before. */
  isUnplaced: boolean;
}

function jsonFields(row: SourceRow, notes: RowNote[]): JsonFields {
  const override = paramOverride(row, notes);
  return {
    model_mapping: modelMapping(row, notes),
    status_code_mapping: statusMapping(row, notes),
    setting: settingOf(row, notes),
    param_override: override ?? '',
    isUnplaced: override === null,
  };
}

/** Chains are followed to their end, because a mapping is one step here. */
function modelMapping(row: SourceRow, notes: RowNote[]): string {
  const given = trimmed(row, 'model_mapping');
  if (given === '') return '';
  const map = objectOf(parsedJson(given));
  if (map === null || channelJsonProblem('model_mapping', given) !== undefined) {
    notes.push({ reason: 'text_no_json', detail: 'model_mapping' });
    return '';
  }
  let isChained = false;
  const ends = Object.entries(map).map(([from, to]) => {
    let end = to;
    const seen = new Set<unknown>([from]);
    while (typeof end === 'string' && !seen.has(end) && Object.hasOwn(map, end)) {
      seen.add(end);
      end = map[end];
    }
    // The program refuses calls whose mapping goes in a circle.
    const isCircle = typeof end === 'string' && seen.has(end);
    if (end !== to && !isCircle) isChained = true;
    return [from, isCircle ? to : end];
  });
  if (!isChained) return given;
  notes.push({ reason: 'mapping_followed' });
  return JSON.stringify(Object.fromEntries(ends));
}

/** Entries that show a status outside of errors do nothing here. */
function statusMapping(row: SourceRow, notes: RowNote[]): string {
  const given = trimmed(row, 'status_code_mapping');
  if (given === '' || given === '{}') return '';
  const map = objectOf(parsedJson(given));
  if (map !== null && channelJsonProblem('status_code_mapping', given) === undefined) return given;
  const usable = Object.entries(map ?? {}).filter(
    ([from, to]) => channelJsonProblem('status_code_mapping', JSON.stringify({ [from]: to })) === undefined,
  );
  notes.push({ reason: 'text_no_json', detail: 'status_code_mapping' });
  return usable.length === 0 ? '' : JSON.stringify(Object.fromEntries(usable));
}

const sameSwitches: ReadonlySet<string> = new Set([
  'force_format',
  'thinking_to_content',
  'system_prompt_override',
  'pass_through_body_enabled',
]);

/** Members of the source's two settings that change what is sent, and have a counterpart. */
function settingOf(row: SourceRow, notes: RowNote[]): string {
  const setting: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(objectIn(row, 'setting', notes))) {
    if (!isFilled(value)) continue;
    if (sameSwitches.has(key)) setting[key] = value === true;
    else if (key === 'system_prompt' && typeof value === 'string') setting[key] = value;
    else if (key === 'proxy' && typeof value === 'string') setting['proxy'] = value.trim();
    else notes.push({ reason: 'no_place', detail: `setting.${oneLine(key, 40)}` });
  }
  for (const [key, value] of Object.entries(objectIn(row, 'settings', notes))) {
    if (!isFilled(value)) continue;
    if (key === 'allow_service_tier' || key === 'allow_inference_geo' || key === 'allow_speed') setting['allow_surcharges'] = true;
    // Keys of either kind are distinguished by their form.
    else if (key !== 'aws_key_type' && key !== 'vertex_key_type')
      notes.push({ reason: 'no_place', detail: `settings.${oneLine(key, 40)}` });
  }
  const headers = objectIn(row, 'header_override', notes);
  const usable = Object.entries(headers).filter(([name, value]) => isOverridableHeader(name) && typeof value === 'string' && value !== '');
  if (usable.length < Object.keys(headers).length) notes.push({ reason: 'no_place', detail: 'header_override' });
  if (usable.length > 0) setting['header_override'] = Object.fromEntries(usable);
  // one-api has it in a column.
  const prompt = trimmed(row, 'system_prompt');
  if (prompt !== '') setting['system_prompt'] = prompt;
  const written = JSON.stringify(setting);
  const problem = channelJsonProblem('setting', written);
  if (problem === undefined) return Object.keys(setting).length === 0 ? '' : written;
  notes.push({ reason: 'no_place', detail: problem });
  delete setting['proxy'];
  delete setting['header_override'];
  delete setting['system_prompt'];
  return Object.keys(setting).length === 0 ? '' : JSON.stringify(setting);
}

function objectIn(row: SourceRow, column: string, notes: RowNote[]): Readonly<Record<string, unknown>> {
  const value = jsonObject(row, column);
  if (value === null && trimmed(row, column) !== '' && json(row, column) !== null) notes.push({ reason: 'text_no_json', detail: column });
  return value ?? {};
}

/** Fields to set, or operations; null if there are some that have no counterpart. */
function paramOverride(row: SourceRow, notes: RowNote[]): string | null {
  const given = trimmed(row, 'param_override');
  if (given === '' || given === '{}') return '';
  const problem = channelJsonProblem('param_override', given);
  if (problem === undefined) return given;
  if (problem !== 'override_operations') {
    notes.push({ reason: 'text_no_json', detail: 'param_override' });
    return '';
  }
  notes.push({ reason: 'override_conditions' });
  return null;
}

/** Why no call can be made with the channel; undefined if one can. */
function channelProblem(
  channel: Pick<ChannelDraft, 'type' | 'base_url' | 'models' | 'group' | 'setting' | 'other'>,
  keys: readonly SourceKey[],
): string | undefined {
  const provider = providerOf(channel.type);
  const address = baseUrlProblem(channel.base_url);
  if (address !== undefined) return address;
  if (provider?.baseUrl === null && channel.base_url === '') return 'base_url_required';
  const groups = channelGroupsProblem(names(channel.group));
  if (groups !== undefined) return groups;
  const models = channelModelsProblem(names(channel.models))?.problem;
  if (models !== undefined) return models;
  const other = otherProblem(channel.type, channel.other);
  if (other !== undefined) return other;
  if (foreignFormat(channel.type, channel.setting) !== undefined) return 'format';
  if (!keys.every(({ text: key }) => isChannelKey(key))) return 'key_characters';
  return keys.map(({ text: key }) => typedKeyProblem(channel.type, key)).find((problem) => problem !== undefined);
}
