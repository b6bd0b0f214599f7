// The JSON texts in a channel's record. The same schemas judge them when a channel is saved; to the functions null means
// invalid.
import { z } from 'zod';
import { clientGoneChoices } from '#shared/channels.ts';
import { ruleCheck } from '#shared/field-rules.ts';

export interface ChannelSetting {
  /** Responses are rebuilt from the fields that OpenAI's format knows. */
  forceFormat: boolean;
  /** Reasoning text becomes content within `<think>` tags. */
  thinkingToContent: boolean;
  /** URL of the proxy for every call of this channel; null: direct. */
  proxy: string | null;
  /** Whole responses whose clients have left are ended instead of being read to their end. */
  abortsLeft: boolean;
}

const noSetting: ChannelSetting = { forceFormat: false, thinkingToContent: false, proxy: null, abortsLeft: false };
const proxySchemes = new Set(['http:', 'https:', 'socks5:']);

const Names = z.record(z.string(), z.string().nullable());
const Statuses = z.record(
  z.string().refine((name) => /^[1-5]\d\d$/.test(name), ruleCheck('statusFrom')),
  z.unknown().refine(isTarget, ruleCheck('statusTo')).transform(Number),
);
const Fields = z.record(z.string(), z.unknown());
const Setting = z.looseObject({
  force_format: z.boolean().nullish(),
  thinking_to_content: z.boolean().nullish(),
  on_client_gone: z.enum(clientGoneChoices).nullish(),
  proxy: z
    .string()
    .refine((text) => text.trim() === '' || isProxyUrl(text.trim()), ruleCheck('proxyUrl'))
    .nullish(),
});

export const channelJson = { model_mapping: Names, status_code_mapping: Statuses, setting: Setting, param_override: Fields } as const;

/** Client model → upstream model, one step. Empty targets are left out. */
export function parseModelMapping(text: string): ReadonlyMap<string, string> | null {
  const names = parse(text, Names);
  if (names === null) return null;
  return new Map(Object.entries(names).flatMap(([from, to]) => (to === null || to === '' ? [] : [[from, to]])));
}

/** Status of an upstream error → status shown to the client and used for retries. Targets are 400 to 599. */
export function parseStatusCodeMapping(text: string): ReadonlyMap<number, number> | null {
  const statuses = parse(text, Statuses);
  if (statuses === null) return null;
  return new Map(Object.entries(statuses).map(([from, to]): [number, number] => [Number(from), to]));
}

function isTarget(value: unknown): boolean {
  const isStatus = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^\d{3}$/.test(value);
  return isStatus && Number(value) >= 400 && Number(value) <= 599;
}

/** Top-level fields that overwrite those of the request. */
export function parseParamOverride(text: string): Readonly<Record<string, unknown>> | null {
  return parse(text, Fields);
}

export function parseChannelSetting(text: string): ChannelSetting | null {
  const setting = parse(text, Setting);
  if (setting === null) return null;
  const proxy = setting.proxy?.trim() || null;
  return {
    ...noSetting,
    forceFormat: setting.force_format === true,
    thinkingToContent: setting.thinking_to_content === true,
    proxy,
    abortsLeft: setting.on_client_gone === 'abort',
  };
}

function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && proxySchemes.has(url.protocol) && url.hostname !== '';
}

/** An empty text is an empty object. */
function parse<T>(text: string, schema: z.ZodType<T>): T | null {
  try {
    const result = schema.safeParse(text.trim() === '' ? {} : JSON.parse(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}
