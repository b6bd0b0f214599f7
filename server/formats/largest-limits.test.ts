// Agents request the maximum of the largest models; providers reject more than their own.
import { expect, test } from 'vitest';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';

const question = [{ role: 'user', content: 'Hello' }];
/** Request fields other than the limit. */
const requested: Readonly<Record<string, object>> = {
  'openai-chat': { messages: question },
  claude: { messages: question },
  'openai-responses': { input: question },
  'openai-completions': { prompt: 'Hello' },
  'openai-mixed': { input: question },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
};
const upstreams = [
  { model: 'gpt-4o', type: 1, setting: '{"formats":["openai-chat"]}' },
  { model: 'gpt-4o', type: 1, setting: '{"formats":["openai-responses"]}' },
  { model: 'claude-sonnet-4-5', type: 14, setting: '' },
  { model: 'gemini-2.5-flash', type: 24, setting: '{"formats":["gemini"]}' },
];
const clients = Object.values<ClientDialect>(clientDialects).filter(({ calls }) => calls.chat !== undefined);
const pairs = clients.flatMap((client) => upstreams.map((upstream) => ({ client, from: client.name, ...upstream })));

function sentLimit({ client, from, model, ...fields }: (typeof pairs)[number], tokens: number): number | undefined {
  const route = buildPreparedChannel({ base_url: 'https://up.example', ...fields }).route(client, 'chat', model);
  if (route === null) throw new Error('There is no such way');
  const body = client.limits.bound({ model, ...requested[from] }, tokens);
  const call = { client, route, clientHeaders: {}, body, rawText: JSON.stringify(body), originModel: model };
  const encoded = encodeRequest({ ...call, isStream: false, forceUsage: true, settings: defaultSettings });
  const sent: Record<string, unknown> = JSON.parse(encoded.body.toString());
  expect(route.dialect.limits.read(sent)).toBe(encoded.sentLimit);
  return encoded.sentLimit;
}

test.each(pairs)('a limit above that of the model is lowered from $from to $model $setting', (pair) => {
  const most = maxOutputTokens(pair.model) ?? 0;
  expect(most).toBeGreaterThan(0);
  expect(sentLimit(pair, 1_000_000)).toBe(most);
  expect(sentLimit(pair, 1000)).toBe(1000);
});
