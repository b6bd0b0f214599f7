// Channel records for tests, and channels prepared from them.
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import { prepareChannel } from '#server/upstream/prepared-channel.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

export const testSecrets = createSecrets('a master key for tests only');

export type ChannelFields = Partial<Omit<ChannelRecord, 'key_cipher' | 'key_hash'>> & { key?: string };

/** A record that serves `gpt-4o-mini` to `default` with OpenAI, not yet stored. */
export function buildChannel({ key = 'sk-test', ...fields }: ChannelFields = {}, secrets = testSecrets): ChannelRecord {
  return {
    id: 1,
    type: 1,
    name: 'channel',
    key_cipher: secrets.encrypt(key),
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

export function buildPreparedChannel(fields: ChannelFields = {}): PreparedChannel {
  return prepareChannel(buildChannel(fields), testSecrets, { siteUrl: 'https://gateway.example' });
}
