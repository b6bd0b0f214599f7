// A running server before an upstream of one format, for the packages of this folder.
import { clientDialects } from '../../server/formats/registry.ts';
import { model } from '../conformance/shared-cases.ts';
import { embeddedEngine } from '../support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '../support/relay-scene.ts';
import type { ChannelFields } from '../support/build-channel.ts';

export { model } from '../conformance/shared-cases.ts';

/** Channels by the format that their upstreams speak. */
const channels = {
  'openai-chat': { type: 1, setting: '', model: 'gpt-5-mini' },
  claude: { type: 14, setting: '', model },
  'openai-responses': { type: 1, setting: JSON.stringify({ formats: ['openai-responses'] }), model: 'gpt-5-mini' },
  gemini: { type: 24, setting: '', model: 'gemini-3-flash-preview' },
};

export type Format = keyof typeof channels;

export const formats = Object.keys(channels) as Format[];

/** Formats that callers speak, as far as they are there. */
export const spoken: readonly string[] = Object.keys(clientDialects);

/** @param as the callers' name of its model: packages infer a model's features from its name */
export function channelTo(format: Format, as: string): ChannelFields {
  const { type, setting, model: own } = channels[format];
  return { type, setting, models: as, ...(as === own ? {} : { model_mapping: JSON.stringify({ [as]: own }) }) };
}

export function openScene(format: Format, as: string, options: SceneOptions = {}): Promise<RelayScene> {
  return createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels: [channelTo(format, as)], ...options });
}
