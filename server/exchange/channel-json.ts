// Parses the JSON texts of a channel's record. The same schemas validate a channel when it is saved; the functions
// return null for invalid texts.
import { z } from 'zod';
import { channelJson } from '#shared/channel-rules.ts';

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

/** Top-level fields that override the request's. */
export function parseParamOverride(text: string): Readonly<Record<string, unknown>> | null {
  return parse(text, channelJson.param_override);
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
