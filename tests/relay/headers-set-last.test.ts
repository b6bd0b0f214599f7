// What an operator sets as a channel's headers is sent with every kind of request to its provider, whatever that kind writes itself.
import { expect, test } from 'vitest';
import { defaultClientDialect } from '#server/formats/registry.ts';
import type { AppContext } from '#server/context.ts';
import { requestAccount } from '#server/objects/upstream-files.ts';
import { questionRequest } from '#server/tasks/request-upstream.ts';
import { authorizedGet } from '#server/exchange/authorized-get.ts';
import { handshakeOf } from '#server/exchange/handshake.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { noSender } from '#tests/support/no-sender.ts';

const own = { 'openai-beta': 'ours', 'x-dashscope-async': 'ours', 'x-api-key': 'ours', authorization: 'Token {api_key}', accept: 'ours' };
const channel = buildPreparedChannel({
  base_url: 'https://up.example',
  models: 'gpt-realtime',
  setting: JSON.stringify({ header_override: own }),
});
const sent = { ...own, authorization: 'Token sk-test' };
const url = new URL('https://up.example/v1/x');

async function requestedOfAccount(): Promise<SendRequest['headers']> {
  let headers: SendRequest['headers'] = {};
  const sender = {
    send(request: SendRequest) {
      ({ headers } = request);
      throw new Error('seen');
    },
  };
  const requesting = { sender, now: Date.now, env: { RELAY_TIMEOUT: 1 } } as unknown as AppContext;
  await failureOf(
    requestAccount(requesting, channel, { method: 'GET', path: '/vector_stores', headers: { 'openai-beta': 'assistants=v2' } }),
  );
  return headers;
}

test.each<[string, () => SendRequest['headers'] | Promise<SendRequest['headers']>, readonly (keyof typeof own)[]]>([
  [
    'sessions in the shape of the beta',
    () => {
      const route = channel.route(defaultClientDialect, 'realtime', 'gpt-realtime');
      if (route === null) throw new Error('There is no way');
      return handshakeOf(channel, route, { isBeta: true, isTranscription: false }).headers;
    },
    ['openai-beta', 'authorization', 'accept'],
  ],
  [
    'tasks',
    () => questionRequest(channel, { path: '/v1/x', body: Buffer.from('{}'), headers: { 'x-dashscope-async': 'enable' } }, url).headers,
    ['x-dashscope-async', 'authorization', 'accept'],
  ],
  ['what lies in the account', requestedOfAccount, ['openai-beta', 'authorization', 'accept']],
  [
    'balances that are asked for with the key elsewhere',
    async () => (await authorizedGet(channel, url, { now: 0, sender: noSender }, 'x-api-key')).headers,
    ['x-api-key', 'authorization', 'accept'],
  ],
  ['lists of models', async () => (await authorizedGet(channel, url, { now: 0, sender: noSender })).headers, ['authorization', 'accept']],
])('%s', async (_name, headersOf, names) => {
  const headers = await headersOf();
  expect(Object.fromEntries(names.map((name) => [name, headers[name]]))).toEqual(
    Object.fromEntries(names.map((name) => [name, sent[name]])),
  );
});
