import { expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { geminiClient } from './client.ts';
import { forwardRequest } from './identity.ts';

const model = 'gemini-2.5-flash';
const route = buildPreparedChannel({ type: 24, base_url: 'https://up.example' }).route(geminiClient, 'chat', model);

function sent(contents: readonly object[]): unknown {
  if (route === null) throw new Error('There is no such way');
  const body = { contents };
  const call = {
    client: geminiClient,
    route,
    clientHeaders: {},
    body,
    clientBody: body,
    rawText: JSON.stringify(body),
    originModel: model,
  };
  return JSON.parse(forwardRequest({ ...call, isStream: false, forceUsage: true, settings: defaultSettings }).body.toString()).contents;
}

const requested = { role: 'user', parts: [{ text: 'When?' }] };
const called = { role: 'model', parts: ['a', 'b'].map((name) => ({ functionCall: { name, args: {} } })) };
const result = (name: string) => ({ functionResponse: { name, response: {} } });

test('results of parallel calls are sent in one turn, however the caller splits them', () => {
  const apart = [requested, called, { role: 'user', parts: [result('a')] }, { role: 'user', parts: [result('b')] }];
  expect(sent(apart)).toEqual([requested, called, { role: 'user', parts: [result('a'), result('b')] }]);
});

test('everything else stays in its turn', () => {
  const others = [requested, called, { role: 'user', parts: [result('a'), result('b')] }, { role: 'user', parts: [{ text: 'And then?' }] }];
  expect(sent(others)).toEqual(others);
});

test('turns without a role are sent as the user’s', () => {
  const parts = [{ text: 'When?' }];
  expect(sent([{ parts }, called, { role: null, parts }])).toEqual([requested, called, requested]);
});
