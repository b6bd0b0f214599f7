import { describe, expect, test } from 'vitest';
import { noSender } from '#tests/support/no-sender.ts';
import { typedKeyProblem } from '#shared/channel-type-rules.ts';
import { channelTypes } from '#shared/channel-types.ts';
import { framings } from '#server/framing/registry.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { type Auth, authorizationOf } from './registry.ts';
import { problemText } from '#tests/support/problem-text.ts';

const request: SendRequest = {
  origin: 'https://up.example',
  path: '/v1/chat?alt=sse',
  method: 'POST',
  headers: { accept: 'application/json' },
  body: Buffer.from('{}'),
  proxy: null,
  framing: framings.sse,
};

async function signed(auth: Auth, key: string, now = 0): Promise<SendRequest> {
  const authorization = authorizationOf(auth, key, '');
  const open = { ...request, headers: { ...request.headers, ...authorization.headers } };
  return authorization.sign === undefined ? open : authorization.sign(open, { now, sender: noSender });
}

describe('a key', () => {
  test('is sent as a bearer token, or split in two', async () => {
    expect((await signed({ kind: 'bearer' }, 'sk-a|b')).headers).toMatchObject({ authorization: 'Bearer sk-a|b' });
    const split = { kind: 'bearer', split: { separator: '|', header: 'appid' } } as const;
    expect((await signed(split, 'sk-a|b')).headers).toMatchObject({ authorization: 'Bearer sk-a', appid: 'b' });
    expect((await signed(split, 'sk-a')).headers).toEqual({ accept: 'application/json', authorization: 'Bearer sk-a' });
  });

  test('is sent in a header named by the provider', async () => {
    expect((await signed({ kind: 'header', name: 'x-api-key' }, 'k')).headers).toMatchObject({ 'x-api-key': 'k' });
  });

  test('is appended to the query, escaped', async () => {
    const { path, headers } = await signed({ kind: 'query', name: 'key' }, 'a&b c');
    expect(path).toBe('/v1/chat?alt=sse&key=a%26b%20c');
    expect(headers).toEqual({ accept: 'application/json' });
  });

  test('signs a token of one day, which is renewed after half of it', async () => {
    const hour = 3600_000;
    const authorization = authorizationOf({ kind: 'zhipu-jwt' }, 'id1.secret1', '');
    const tokenAt = async (now: number) => (await authorization.sign?.(request, { now, sender: noSender }))?.headers['authorization'];
    const first = await tokenAt(0);
    const [, payload = ''] = first?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({ api_key: 'id1', exp: 24 * hour, timestamp: 0 });
    expect(await tokenAt(11 * hour)).toBe(first);
    expect(await tokenAt(13 * hour)).not.toBe(first);
    expect(authorization.problem).toBeNull();
    expect(problemText(authorizationOf({ kind: 'zhipu-jwt' }, 'no-dot', ''))).toContain('id.secret');
  });
});

describe('the form of a key', () => {
  const texts = ['key', 'a|b', 'a | b', 'a|b|c', 'a|b|c|d', '|b', 'a|', 'a||c', 'id.secret', '.secret', 'id.', 'a.b.c'];
  const formed = channelTypes.filter(({ keyForms }) => keyForms !== undefined);

  test.each(formed)('of type $type, $name: a key that the editor accepts can be sent', ({ type, keyForms = [] }) => {
    const auth = providerOf(type)?.auth;
    if (auth === undefined) throw new Error('There is no such provider');
    const taken = [...texts, ...keyForms].filter((key) => typedKeyProblem(type, key) === undefined);
    expect(taken).toEqual(expect.arrayContaining([...keyForms]));
    for (const key of taken) expect([key, authorizationOf(auth, key, 'https://up.example').problem]).toEqual([key, null]);
    // A key that the schema rejects must not be sent, or sent as something else than its parts.
    const refused = texts.filter((key) => !taken.includes(key));
    if (auth.kind === 'bearer') return;
    for (const key of refused) expect([key, authorizationOf(auth, key, 'https://up.example').problem]).not.toEqual([key, null]);
  });
});
