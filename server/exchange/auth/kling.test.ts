import { expect, it } from 'vitest';
import { noSender } from '#tests/support/no-sender.ts';
import { framings } from '#server/framing/registry.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { kling } from './kling.ts';
import { problemText } from '#tests/support/problem-text.ts';

const requested: SendRequest = { origin: '', path: '/', method: 'POST', headers: {}, body: null, proxy: null, framing: framings.sse };

it.each(['api-key-kling-1', 'sk-gateway', ' api-key-kling-1 '])('kling: an API key (%j) is sent unchanged', (key) => {
  const authorization = kling(key);
  expect(authorization).toEqual({ headers: { authorization: `Bearer ${key.trim()}` }, problem: null });
});

it('kling: an access key and its secret sign a token', async () => {
  const authorization = kling('access|secret');
  expect(authorization).toMatchObject({ headers: {}, problem: null });
  const sent = await authorization.sign?.(requested, { now: 1_700_000_000_000, sender: noSender });
  const [head = '', claims = '', signature = ''] = (sent?.headers['authorization'] ?? '').replace('Bearer ', '').split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  expect(read(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(read(claims)).toEqual({ iss: 'access', exp: 1_700_001_800, nbf: 1_699_999_995 });
  expect(signature).toHaveLength(43);
});

it.each(['', 'access|', '|secret', 'access|secret|more'])('kling: %j is not a valid key', (key) => {
  expect(problemText(kling(key))).toMatch('AccessKey|SecretKey');
});
