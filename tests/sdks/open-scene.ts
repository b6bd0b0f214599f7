// A running server before an upstream of one format, for the packages of this folder.
import { clientDialects } from '../../server/dialects/registry.ts';
import { channelOf } from '../conformance/shared-cases.ts';
import { embeddedEngine } from '../support/engines.ts';
import { createScene } from '../support/relay-scene.ts';
import type { RelayScene, SceneOptions } from '../support/relay-scene.ts';
import type { ChannelFields } from '../support/build-channel.ts';

export { model } from '../conformance/shared-cases.ts';

/** Types of channels by the format that their upstreams speak. */
const channels = {
  'openai-chat': { type: 1, setting: '' },
  claude: { type: 14, setting: '' },
  'openai-responses': { type: 1, setting: JSON.stringify({ formats: ['openai-responses'] }) },
  gemini: { type: 24, setting: '' },
};

export type Format = keyof typeof channels;

export const formats = Object.keys(channels) as Format[];

/** Formats that callers speak, as far as they are there. */
export const spoken: readonly string[] = Object.keys(clientDialects);

export function channelTo(format: Format): ChannelFields {
  const { type, setting } = channels[format];
  return { ...channelOf(type), setting };
}

export function openScene(format: Format, options: SceneOptions = {}): Promise<RelayScene> {
  return createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels: [channelTo(format)], ...options });
}
