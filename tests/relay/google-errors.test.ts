// Google's errors, as callers and operators get them.
import { expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type SceneOptions, until } from '#tests/support/relay-scene.ts';

const model = 'gemini-3-flash-preview';
const rpc = 'type.googleapis.com/google.rpc.';
const open = (options: SceneOptions = {}) =>
  createScene(embeddedEngine, { channels: [{ type: 24, models: model }], settings: { SelfUseModeEnabled: 'true' }, ...options });
const ask = { model, messages: [{ role: 'user', content: 'Hi' }] };
const refusal = (code: number, status: string, message: string, detail: object) => ({
  status: code,
  error: { message, type: status, metadata: detail },
});

test('a limit of a minute says when to come back, whatever it is called, and does not take the channel out of use', async () => {
  await using scene = await open({ settings: { SelfUseModeEnabled: 'true', AutomaticDisableChannelEnabled: 'true' } });
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  scene.upstream.behave(refusal(429, 'RESOURCE_EXHAUSTED', message, { '@type': `${rpc}RetryInfo`, retryDelay: '1.5s' }));
  const response = await scene.post('/v1/chat/completions', ask);
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await response.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED' } });
  const gemini = await scene.post(`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
  expect(gemini.status).toBe(429);
  await gemini.text();
  await scene.logs(2);
  expect(await scene.app.context.db.collection('channels').get(scene.channelIds[0] ?? 0)).toMatchObject({ status: 1 });
});

test('a key that is not valid is the channel’s, and takes it out of use', async () => {
  await using scene = await open({ settings: { SelfUseModeEnabled: 'true', AutomaticDisableChannelEnabled: 'true' } });
  const message = 'API key not valid. Please pass a valid API key.';
  scene.upstream.behave(refusal(400, 'INVALID_ARGUMENT', message, { '@type': `${rpc}ErrorInfo`, reason: 'API_KEY_INVALID' }));
  const response = await scene.post('/v1/chat/completions', ask);
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ error: { code: 'channel_refused' } });
  const channels = scene.app.context.db.collection('channels');
  await until(async () => ((await channels.get(scene.channelIds[0] ?? 0))?.status === 3 ? true : null));
});
