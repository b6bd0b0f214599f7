// The JSON texts in a channel's record. The same schemas judge them when a channel is saved; to the functions null means
// invalid.
import { z } from 'zod';
import { channelJson } from '#shared/channel-rules.ts';

export interface ChannelSetting {
  /** Responses are rebuilt from the fields that OpenAI's format knows. */
  forceFormat: boolean;
  /** Reasoning text becomes content within `<think>` tags. */
  thinkingToContent: boolean;
  /** URL of the proxy for every call of this channel; null: direct. */
  proxy: string | null;
  /** Whole responses whose clients have left are ended instead of being read to their end. */
  abortsAbandoned: boolean;
  /** What costs more than the model's price passes. */
  allowsSurcharges?: boolean;
  /** Deployments are called as their models are, with dots. */
  preservesDots?: boolean;
  /** The schedule does not test the channel; administrators do. */
  skipsAutomaticTests?: boolean;
  /** Those of the provider's formats that its address speaks; empty: what is known of the provider. */
  formats: readonly string[];
  /** What every call is sent with, as it is written: `filledHeaders` puts the key in. Missing: nothing more. */
  headers?: Readonly<Record<string, string>>;
}

export const noSetting: ChannelSetting = {
  forceFormat: false,
  thinkingToContent: false,
  proxy: null,
  abortsAbandoned: false,
  formats: [],
};

/** Client model → upstream model, one step. Empty targets are left out. */
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

/** Top-level fields that overwrite those of the request. */
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

/** An empty text is an empty object. */
function parse<T>(text: string, schema: z.core.$ZodType<T>): T | null {
  try {
    const result = z.safeParse(schema, text.trim() === '' ? {} : JSON.parse(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}
