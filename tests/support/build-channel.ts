// Channel records for tests, and channels prepared from them.
import type { CallKindName } from '#server/kinds/call-kind.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { defaultClientDialect } from '#server/formats/registry.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { prepareChannel, type PreparedChannel } from '#server/exchange/prepared-channel.ts';

const testSecrets = createSecrets('a master key for tests only');

export type ChannelFields = Partial<Omit<ChannelRecord, 'key_cipher' | 'key_hash'>> & { key?: string };

/** A record that serves `gpt-4o-mini` to `default` with OpenAI, not yet stored. */
export function buildChannel({ key = 'sk-test', ...fields }: ChannelFields = {}, secrets = testSecrets): ChannelRecord {
  return {
    id: 1,
    type: 1,
    name: 'channel',
    key_cipher: secrets.encrypt(key, 'channel_key'),
    key_hash: secrets.hash(key),
    openai_organization: '',
    test_model: '',
    status: 1,
    weight: 0,
    priority: 0,
    created_time: 1_700_000_000,
    test_time: 0,
    response_time: 0,
    base_url: '',
    other: '',
    balance: 0,
    balance_updated_time: 0,
    models: 'gpt-4o-mini',
    group: 'default',
    used_quota: 0,
    model_mapping: '',
    status_code_mapping: '',
    setting: '',
    param_override: '',
    other_info: '',
    auto_ban: 1,
    tag: '',
    max_input_tokens: 0,
    revision: 1,
    ...fields,
  };
}

/** The way of OpenAI's callers through such a channel. */
export function buildRoute(fields: ChannelFields = {}, kind: CallKindName = 'chat'): ChannelRoute {
  const route = buildPreparedChannel({ base_url: 'https://up.example', ...fields }).route(defaultClientDialect, kind, 'gpt-4o-mini');
  if (route === null) throw new Error(`A channel of type ${fields.type} has no way for ${kind}`);
  return route;
}

export function buildPreparedChannel(fields: ChannelFields = {}, settings = { ...defaultSettings, revision: 1 }): PreparedChannel {
  return prepareChannel(buildChannel(fields), testSecrets, { siteUrl: 'https://gateway.example', settings });
}
