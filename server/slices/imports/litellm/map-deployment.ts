// A deployment of LiteLLM (an entry of model_list, or a row of its database) as a channel with one model.
import { baseUrlProblem, channelJsonProblem, channelKeys, isChannelKey, isChannelText, tidyBaseUrl } from '#shared/channel-rules.ts';
import { otherProblem, typedKeyProblem } from '#shared/channel-type-rules.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { isOverridableHeader } from '#shared/header-override.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { type ChannelDraft, leftOut, type MappedRow, noMoney, type RowNote } from '../mapped-row.ts';
import { objectOf, oneLine } from '../sources/row-values.ts';
import type { ParamReader } from './param-reader.ts';
import { readLiteLlmModel } from './providers.ts';

export interface Deployment {
  id: string;
  modelName: string;
  params: Readonly<Record<string, unknown>>;
  info: Readonly<Record<string, unknown>>;
  isBlocked: boolean;
  /** Reads its texts, which are encrypted in the database. */
  read: ParamReader;
}

export interface DeploymentMapping {
  /** Unix seconds. */
  now: number;
  secrets: Pick<Secrets, 'hash' | 'encrypt'>;
}

/** Members with a meaning of their own: what is not named here is sent with each call. */
const known = new Set(
  `model api_key api_base base_url api_version organization custom_llm_provider litellm_credential_name region_name
  tenant_id client_id client_secret azure_ad_token azure_username azure_password
  aws_access_key_id aws_secret_access_key aws_session_token aws_region_name aws_role_name aws_session_name aws_profile_name aws_web_identity_token
  aws_bedrock_runtime_endpoint vertex_project vertex_location vertex_credentials
  weight order drop_params extra_headers headers use_in_pass_through use_litellm_proxy merge_reasoning_content_in_choices mock_response`.split(
    /\s+/,
  ),
);
/** Limits and rules of a deployment that a channel does not have. */
const limits = new Set(
  `rpm tpm itpm otpm tpd rpd max_parallel_requests timeout stream_timeout max_retries tags max_budget budget_duration cooldown_time
  default_api_key_rpm_limit default_api_key_tpm_limit guardrails`.split(/\s+/),
);

export function mapDeployment(deployment: Deployment, mapping: DeploymentMapping): MappedRow<ChannelDraft> {
  const { id, modelName, params, info, read } = deployment;
  const { now, secrets } = mapping;
  const name = oneLine(`${modelName} ${id}`, 255);
  const written = read.text(params['model']);
  if (modelName.includes('*') || written.includes('*')) return leftOut(id, name, { reason: 'wildcard', detail: oneLine(modelName, 80) });
  if (written === '' && read.takeMissing().isSealed) return leftOut(id, name, { reason: 'key_encrypted' });
  const given = read.text(params['custom_llm_provider']);
  const found = readLiteLlmModel(given !== '' && !written.startsWith(`${given}/`) ? `${given}/${written}` : written);
  if (found === null) return leftOut(id, name, { reason: 'type_unsupported', detail: oneLine(written.split('/')[0] ?? '', 40) });
  const notes: RowNote[] = [];
  const place = placeOf(deployment, found);
  const key = keyOf(deployment, place.type);
  if (key === null) return leftOut(id, name, { reason: 'no_place', detail: { zh: '不用密钥的登录', en: 'sign-in without a key' } });
  const { fields, isUnplaced } = extras(deployment, notes);
  const missing = read.takeMissing();
  for (const variable of missing.variables) notes.push({ reason: 'key_environment', detail: variable });
  if (missing.isSealed) notes.push({ reason: 'key_encrypted' });
  const problem = problemOf({ ...place, key, modelName });
  if (problem !== undefined) notes.push({ reason: 'channel_invalid', detail: problem });
  const isOff = deployment.isBlocked || isUnplaced || problem !== undefined || missing.variables.length > 0 || missing.isSealed;
  const order = Number(params['order'] ?? 0);
  const weight = Number(params['weight'] ?? 0);
  return {
    oldId: id,
    name,
    notes,
    money: noMoney,
    draft: {
      ...place,
      name,
      key_cipher: secrets.encrypt(key, 'channel_key'),
      key_hash: secrets.hash(key),
      openai_organization: oneLine(read.text(params['organization']), 255),
      test_model: '',
      status: isOff ? ChannelStatus.disabledByHand : ChannelStatus.enabled,
      weight: Number.isFinite(weight) ? Math.max(0, Math.round(weight)) : 0,
      // The lowest order comes first.
      priority: Number.isFinite(order) ? 0 - Math.round(order) : 0,
      created_time: now,
      test_time: 0,
      response_time: 0,
      balance: 0,
      balance_updated_time: 0,
      models: modelName,
      group: 'default',
      used_quota: 0,
      model_mapping: modelName === found.model ? '' : JSON.stringify({ [modelName]: found.model }),
      status_code_mapping: '',
      ...fields,
      other_info: '',
      auto_ban: 1,
      tag: oneLine(modelName, 255),
      keys: [],
      max_input_tokens: typeof info['max_input_tokens'] === 'number' ? Math.max(0, Math.round(info['max_input_tokens'])) : 0,
      revision: 1,
    },
  };
}

type Place = Pick<ChannelDraft, 'type' | 'base_url' | 'other'>;

function placeOf({ params, read }: Deployment, { provider }: NonNullable<ReturnType<typeof readLiteLlmModel>>): Place {
  const { type, baseUrl = '' } = provider;
  const address = tidyBaseUrl(read.text(params['api_base']) || read.text(params['base_url']));
  if (type === 3) return { type, base_url: address, other: read.text(params['api_version']) };
  if (type === 41) return { type, base_url: '', other: read.text(params['vertex_location']) || 'us-central1' };
  if (type === 33) return { type, base_url: tidyBaseUrl(read.text(params['aws_bedrock_runtime_endpoint'])), other: '' };
  if (address === '') return { type, base_url: baseUrl, other: '' };
  // LiteLLM's addresses of OpenAI's format end before `/chat/completions`, Tidegate's before `/v1`.
  if (type !== 1 && type !== 8) return { type, base_url: address, other: '' };
  if (address.endsWith('/v1')) return { type: 1, base_url: address.slice(0, -3), other: '' };
  return { type: 8, base_url: `${address}/chat/completions`, other: '' };
}

/** Null if the deployment signs in by something else than a key. */
function keyOf({ params, read }: Deployment, type: number): string | null {
  if (type === 33) {
    const parts = ['aws_access_key_id', 'aws_secret_access_key', 'aws_region_name'].map((name) => read.text(params[name]));
    if (parts[0] !== '' && parts[1] !== '') {
      const session = read.text(params['aws_session_token']);
      return [...parts, ...(session === '' ? [] : [session])].join('|');
    }
    const bearer = read.text(params['api_key']);
    return bearer === '' ? null : `${bearer}|${parts[2] ?? ''}`;
  }
  if (type === 41) {
    const credentials = params['vertex_credentials'];
    const given = typeof credentials === 'object' && credentials !== null ? JSON.stringify(credentials) : read.text(credentials);
    // A path of a file on the other machine.
    return given.trim().startsWith('{') ? (channelKeys(given)[0] ?? null) : null;
  }
  const key = read.text(params['api_key']).trim();
  if (key !== '') return key;
  // Self-hosted servers require none.
  return type === 4 || ((type === 1 || type === 8) && read.text(params['api_base']) !== '') ? 'none' : null;
}

interface Extras {
  fields: Pick<ChannelDraft, 'setting' | 'param_override'>;
  /** Calls would be made otherwise than before, or by others. */
  isUnplaced: boolean;
}

function extras({ params, info, read }: Deployment, notes: RowNote[]): Extras {
  const override: Record<string, unknown> = {};
  let isUnplaced = false;
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined || known.has(key) || isCost(key)) continue;
    if (limits.has(key)) notes.push({ reason: 'limit_no_place', detail: key });
    else override[oneLine(key, 80)] = typeof value === 'string' ? read.text(value) : value;
  }
  if (read.text(params['mock_response']) !== '') {
    notes.push({ reason: 'no_place', detail: 'mock_response' });
    isUnplaced = true;
  }
  for (const key of ['team_id', 'access_groups'] as const) {
    if (info[key] === undefined || info[key] === null) continue;
    notes.push({ reason: 'no_place', detail: `model_info.${key}` });
    // It would serve everybody.
    isUnplaced ||= key === 'team_id';
  }
  const headers = Object.entries(objectOf(params['extra_headers']) ?? {}).flatMap(([name, value]) => {
    const filled = read.text(value);
    return isOverridableHeader(name) && filled !== '' ? [[name, filled]] : [];
  });
  const setting = headers.length === 0 ? '' : JSON.stringify({ header_override: Object.fromEntries(headers) });
  const isUsable = channelJsonProblem('setting', setting) === undefined;
  if (!isUsable) notes.push({ reason: 'no_place', detail: 'extra_headers' });
  return {
    fields: { setting: isUsable ? setting : '', param_override: Object.keys(override).length === 0 ? '' : JSON.stringify(override) },
    isUnplaced: isUnplaced || !isUsable,
  };
}

export function isCost(key: string): boolean {
  return /_cost(?:_|$)|_cost_per_|^cost_/.test(key);
}

function problemOf({ type, base_url: address, other, key, modelName }: Place & { key: string; modelName: string }): string | undefined {
  const found = baseUrlProblem(address);
  if (found !== undefined) return found;
  if (providerOf(type)?.baseUrl === null && address === '') return 'base_url_required';
  if (!isChannelText(modelName)) return 'model_text';
  if (!isChannelKey(key)) return 'key_characters';
  return otherProblem(type, other) ?? typedKeyProblem(type, key);
}
