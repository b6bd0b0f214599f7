// What an administrator may enter for a channel, beyond the types of `channels.ts`: in the console's form and on the server alike.

import { z } from 'zod/mini';
import { clientGoneChoices } from '#shared/channels.ts';
import { HeaderOverride } from '#shared/header-override.ts';
import { ParamOperations } from '#shared/param-operations.ts';
import { ruleCheck } from '#shared/rule-check.ts';
import { withoutTrailing } from './trailing.ts';

/** Names, tags, models. */
const longestChannelText = 255;
export const longestBaseUrl = 2000;

export type BaseUrlProblem =
  | 'base_url_scheme'
  | 'base_url_invalid'
  | 'base_url_long'
  | 'base_url_characters'
  | 'base_url_host'
  | 'base_url_credentials'
  | 'base_url_fragment';

/** The address as it is stored: without trailing slashes. */
export function tidyBaseUrl(typed: string): string {
  return withoutTrailing(typed.trim(), '/');
}

/** What is wrong with a channel's own address; it may hold `{model}`, and an empty one means the provider's. */
export function baseUrlProblem(typed: string): BaseUrlProblem | undefined {
  const address = tidyBaseUrl(typed);
  if (address === '') return undefined;
  if (!/^https?:\/\//i.test(typed.trim())) return 'base_url_scheme';
  if (address.length > longestBaseUrl) return 'base_url_long';
  if (/[\s\p{Cc}]/u.test(address)) return 'base_url_characters';
  if (!URL.canParse(address.replaceAll('{model}', 'model'))) return 'base_url_invalid';
  if (hasModelInHost(address)) return 'base_url_host';
  const url = new URL(address.replaceAll('{model}', 'model'));
  if (url.username !== '' || url.password !== '') return 'base_url_credentials';
  return url.hash === '' ? undefined : 'base_url_fragment';
}

/** The caller has a say in the model's name, and must have none in which host gets the key. */
export function hasModelInHost(base: string): boolean {
  return /^[^/]+:\/\/[^/?]*\{model\}/.test(base);
}

/** One key per line, each once. A file of credentials, which is a JSON object, is one key whatever lines it has. */
export function channelKeys(text: string): string[] {
  const file = text.trim().startsWith('{') ? parsed(text) : undefined;
  if (typeof file === 'object' && file !== null) return [asciiJson(file)];
  const keys = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return [...new Set(keys.filter((key) => key !== ''))];
}

/** In one line, and with what is no visible ASCII escaped. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Keys travel in headers, so only visible ASCII and blanks within are possible. */
export function isChannelKey(key: string): boolean {
  return /^[\x20-\x7e]+$/.test(key);
}

/** Of the free field, which may hold regions of many models. */
export const longestOther = 4000;

/** One line that is not too long and can be stored. */
export function isChannelText(text: string, longest = longestChannelText): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed() && Array.from(text).length <= longest;
}

export type ChannelModelsProblem = 'models_required' | 'models_many' | 'model_long' | 'model_text';

/** Every model is offered in every group: both together are what a channel costs in memory. */
const mostModels = 5000;
const mostGroups = 200;
const longestGroup = 64;

/** @param model the first name that is wrong, where one is */
export function channelModelsProblem(models: readonly string[]): { problem: ChannelModelsProblem; model?: string } | undefined {
  if (models.length === 0) return { problem: 'models_required' };
  if (models.length > mostModels) return { problem: 'models_many' };
  const model = models.find((name) => !isChannelText(name));
  if (model === undefined) return undefined;
  return { problem: Array.from(model).length > longestChannelText ? 'model_long' : 'model_text', model };
}

export type ChannelGroupsProblem = 'groups_many' | 'group_text';

export function channelGroupsProblem(groups: readonly string[]): ChannelGroupsProblem | undefined {
  if (groups.length > mostGroups) return 'groups_many';
  return groups.every((name) => isChannelText(name) && Array.from(name).length <= longestGroup) ? undefined : 'group_text';
}

/** Characters of a channel's system prompt. */
const longestPrompt = 20_000;
const proxySchemes = new Set(['http:', 'https:', 'socks5:']);

/** What the JSON texts of a channel hold. An empty text is an empty object. */
export const channelJson = {
  /** Client model → upstream model. */
  model_mapping: z.record(z.string(), z.nullable(z.string())),
  /** Status of an upstream error → status shown to the client. */
  status_code_mapping: z.record(
    z.string().check(z.refine((name) => /^[1-5]\d\d$/.test(name), ruleCheck('statusFrom'))),
    z.pipe(z.unknown().check(z.refine(isShownStatus, ruleCheck('statusTo'))), z.transform(Number)),
  ),
  setting: z.looseObject({
    force_format: z.nullish(z.boolean()),
    thinking_to_content: z.nullish(z.boolean()),
    allow_surcharges: z.nullish(z.boolean()),
    keep_dots: z.nullish(z.boolean()),
    skip_automatic_tests: z.nullish(z.boolean()),
    on_client_gone: z.nullish(z.enum(clientGoneChoices)),
    formats: z.nullish(z.array(z.string())),
    header_override: z.nullish(HeaderOverride),
    system_prompt: z.nullish(z.string().check(z.maxLength(longestPrompt))),
    system_prompt_override: z.nullish(z.boolean()),
    pass_through_body_enabled: z.nullish(z.boolean()),
    proxy: z.nullish(z.string().check(z.refine((text) => text.trim() === '' || isProxyUrl(text.trim()), ruleCheck('proxyUrl')))),
  }),
  /** Top-level fields that overwrite those of the request, or `operations` (`param-operations.ts`). */
  param_override: z.record(z.string(), z.unknown()).check(z.refine(hasGoodOperations, ruleCheck('operations'))),
} as const;
export type ChannelJsonField = keyof typeof channelJson;

export type ChannelJsonProblem =
  | 'json'
  | 'json_object'
  | 'mapping_text'
  | 'status_from'
  | 'status_to'
  | 'setting_switch'
  | 'setting_prompt'
  | 'override_operations'
  | 'setting_client_gone'
  | 'setting_formats'
  | 'setting_headers'
  | 'setting_proxy';

export function channelJsonProblem(field: ChannelJsonField, text: string): ChannelJsonProblem | undefined {
  const value = text.trim() === '' ? {} : parsed(text);
  if (value === undefined || !text.isWellFormed()) return 'json';
  const issue = channelJson[field].safeParse(value).error?.issues[0];
  if (issue === undefined) return undefined;
  const [entry] = issue.path;
  if (field === 'param_override' && issue.code === 'custom') return 'override_operations';
  if (entry === undefined || field === 'param_override') return 'json_object';
  if (field === 'model_mapping') return 'mapping_text';
  if (field === 'status_code_mapping') return issue.code === 'invalid_key' ? 'status_from' : 'status_to';
  if (entry === 'proxy') return 'setting_proxy';
  if (entry === 'formats') return 'setting_formats';
  if (entry === 'header_override') return 'setting_headers';
  if (entry === 'system_prompt') return 'setting_prompt';
  return entry === 'on_client_gone' ? 'setting_client_gone' : 'setting_switch';
}

function hasGoodOperations({ operations }: Readonly<Record<string, unknown>>): boolean {
  return !Array.isArray(operations) || ParamOperations.safeParse(operations).success;
}

function isShownStatus(value: unknown): boolean {
  const isStatus = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^\d{3}$/.test(value);
  return isStatus && Number(value) >= 400 && Number(value) <= 599;
}

function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return proxySchemes.has(url.protocol) && url.hostname !== '';
}

/** Undefined: no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
