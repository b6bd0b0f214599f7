// Parses the JSON texts of a channel's record. The same schemas validate a channel when it is saved; the functions
// return null for invalid texts.
import { z } from 'zod';
import { channelJson } from '#shared/channel-rules.ts';
import { type ParamOperation, ParamOperations } from '#shared/param-operations.ts';

/** Text that is added where a request has no system prompt and, if it overrides, before one. */
export interface SystemPrompt {
  readonly text: string;
  readonly overrides: boolean;
}

export interface ChannelSetting {
  /** Rebuilds responses from the fields that OpenAI's format has. */
  forceFormat: boolean;
  /** Moves reasoning text into the content, within `<think>` tags. */
  thinkingToContent: boolean;
  /** URL of the proxy for every call of this channel; null for a direct connection. */
  proxy: string | null;
  /** Aborts non-streamed calls whose clients have disconnected, instead of reading the response to its end. */
  abortsAbandoned: boolean;
  /** Forwards fields that raise the price. */
  allowsSurcharges?: boolean;
  /** Azure deployments have the models' names with dots. */
  preservesDots?: boolean;
  /** Excludes the channel from scheduled tests. */
  skipsAutomaticTests?: boolean;
  /** System prompt of the channel. */
  systemPrompt?: SystemPrompt;
  /** Forwards bodies unchanged to a provider of the caller's format. */
  passesBodies?: boolean;
  /** Formats that the channel's server supports; if empty, those known of the provider. */
  formats: readonly string[];
  /** Templates of headers sent with every call; `filledHeaders` inserts the key. */
  headers?: Readonly<Record<string, string>>;
}

export const noSetting: ChannelSetting = {
  forceFormat: false,
  thinkingToContent: false,
  proxy: null,
  abortsAbandoned: false,
  formats: [],
};

/** Client model → upstream model, one step. Empty targets are dropped. */
export function parseModelMapping(text: string): ReadonlyMap<string, string> | null {
  const names = parse(text, channelJson.model_mapping);
  if (names === null) return null;
  return new Map(Object.entries(names).flatMap(([from, to]) => (to === null || to === '' ? [] : [[from, to]])));
}

/** Status of an upstream error → status shown to the client and used for retries. Targets are 400 to 599. */
export function parseStatusCodeMapping(text: string): ReadonlyMap<number, number> | null {
  const statuses = parse(text, channelJson.status_code_mapping);
  if (statuses === null) return null;
  return new Map(Object.entries(statuses).map(([from, to]): [number, number] => [Number(from), to]));
}

/** Top-level fields that override the request's, and edits by path. */
export interface ParamOverride {
  fields: Readonly<Record<string, unknown>>;
  /** Undefined for none. */
  operations?: readonly ParamOperation[];
}

export function parseParamOverride(text: string): ParamOverride | null {
  const fields = parse(text, channelJson.param_override);
  // Instead of fields, as in the gateways that have both forms.
  if (fields === null || !Array.isArray(fields['operations'])) return fields === null ? null : { fields };
  const parsed = z.safeParse(ParamOperations, fields['operations']);
  return parsed.success ? { fields: {}, operations: parsed.data } : null;
}

export function parseChannelSetting(text: string): ChannelSetting | null {
  const setting = parse(text, channelJson.setting);
  if (setting === null) return null;
  const proxy = setting.proxy?.trim() || null;
  return {
    ...noSetting,
    forceFormat: setting.force_format === true,
    thinkingToContent: setting.thinking_to_content === true,
    proxy,
    abortsAbandoned: setting.on_client_gone === 'abort',
    ...(setting.allow_surcharges === true ? { allowsSurcharges: true } : {}),
    ...(setting.keep_dots === true ? { preservesDots: true } : {}),
    ...(setting.skip_automatic_tests === true ? { skipsAutomaticTests: true } : {}),
    ...(setting.system_prompt == null || setting.system_prompt === ''
      ? {}
      : { systemPrompt: { text: setting.system_prompt, overrides: setting.system_prompt_override === true } }),
    ...(setting.pass_through_body_enabled === true ? { passesBodies: true } : {}),
    formats: setting.formats ?? [],
    ...(setting.header_override == null ? {} : { headers: setting.header_override }),
  };
}

/** Parses an empty text as an empty object. */
function parse<T>(text: string, schema: z.core.$ZodType<T>): T | null {
  try {
    const result = z.safeParse(schema, text.trim() === '' ? {} : JSON.parse(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}
