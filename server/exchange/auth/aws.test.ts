import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { framings } from '#server/framing/registry.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { signedHeaders } from '#tests/support/aws-oracle.ts';
import { readSignatureVectors } from '#tests/support/aws-vectors.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { aws } from './aws.ts';
import { problemText } from '#tests/support/problem-text.ts';

const key = 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1';

async function signed(text: string, request: Partial<SendRequest>, now: number): Promise<SendRequest['headers']> {
  const plain = { origin: 'https://bedrock-runtime.us-east-1.amazonaws.com', path: '/', headers: {}, body: null, proxy: null };
  const open = { ...plain, method: 'POST', framing: framings.sse, ...request } as const;
  const authorization = aws(text, 'bedrock');
  expect(authorization.problem).toBeNull();
  return (await authorization.sign?.(open, { now, sender: noSender }))?.headers ?? {};
}

describe('a signature', () => {
  test.each(readSignatureVectors())('equals the test vector: $name', async ({ input, output, now_unix }) => {
    const body = Buffer.from(input.body);
    const request = { origin: `https://${input.host}`, path: input.raw_path, headers: input.headers, body };
    expect(await signed(input.key, request, now_unix * 1000)).toEqual({ ...input.headers, ...output });
  });

  test('equals that of the AWS package for any path, query, port and body', async () => {
    const text = fc.string({ unit: fc.constantFrom(..."aZ09-_.~!'()*:/ +&=?%#$;,@|äß潮🌊"), maxLength: 12 });
    const segment = text.map((typed) => encodeURIComponent(typed)).filter((part) => part !== '' && !/^\.{1,2}$/.test(part));
    const any = fc.record({
      segments: fc.array(segment, { maxLength: 3 }),
      query: fc.uniqueArray(fc.tuple(text, text), { maxLength: 4, selector: ([name]) => name }),
      port: fc.constantFrom('', ':8443'),
      body: fc.option(text),
      seconds: fc.integer({ min: 0, max: 4_000_000_000 }),
      session: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(any, async ({ segments, query, port, body, seconds, session }) => {
        const given = query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
        const url = new URL(`https://host.example${port}/${segments.join('/')}${given === '' ? '' : `?${given}`}`);
        const request = {
          method: body === null ? ('GET' as const) : ('POST' as const),
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          headers: { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'Tidegate' },
          body: body === null ? null : Buffer.from(body),
        };
        const own = session ? `${key}|IQoJb3==` : key;
        const { host: _host, ...expected } = await signedHeaders(own, request, seconds * 1000);
        expect(await signed(own, request, seconds * 1000)).toEqual(expected);
      }),
    );
  });

  test('uses the signing key of its day', async () => {
    const authorization = aws(key, 'bedrock');
    const plain = { origin: 'https://a.example', path: '/', headers: {}, body: null, proxy: null };
    const request: SendRequest & { body: null } = { ...plain, method: 'GET', framing: framings.sse };
    for (const now of [0, 86_399_000, 86_400_000, 0]) {
      const made = await authorization.sign?.(request, { now, sender: noSender });
      const { authorization: expected } = await signedHeaders(key, request, now);
      expect(made?.headers['authorization'], `${now}`).toBe(expected);
    }
  });
});

test('an API key is a bearer token', () => {
  expect(aws('ABSKey+/==|us-east-1', 'bedrock')).toEqual({ headers: { authorization: 'Bearer ABSKey+/==' }, problem: null });
});

test('an invalid key makes the channel unusable', () => {
  expect(problemText(aws('ABSKey', 'bedrock'))).toContain('ApiKey|Region');
});
