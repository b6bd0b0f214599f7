// Log probabilities between all formats that have them, complete and streamed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { framings } from '#server/framing/registry.ts';
import type { ResponsePart, TokenLogprob } from './parts.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import { writeWhole as writeGemini } from './gemini/write-response.ts';

const options = { model: 'm', requestId: 'r1', createdAt: 1, wantsUsage: true, promptEstimate: 0 };
const formats = {
  'openai-chat': {
    upstream: upstreamDialects['openai-chat'],
    client: clientDialects['openai-chat'],
    write: clientDialects['openai-chat'].writeWhole,
  },
  'openai-responses': {
    upstream: upstreamDialects['openai-responses'],
    client: clientDialects['openai-responses'],
    write: clientDialects['openai-responses'].writeWhole,
  },
  gemini: { upstream: upstreamDialects.gemini, client: clientDialects.gemini, write: writeGemini },
};

const likely = fc.record({
  token: fc.string({ minLength: 1 }),
  logprob: fc.double({ min: -50, max: 0, noNaN: true, noDefaultInfinity: true }),
});
const tokens = fc.array(
  fc.tuple(likely, fc.array(likely, { maxLength: 3 })).map(([{ token, logprob }, top]): TokenLogprob => {
    return { token, logprob, bytes: null, top: top.map((other) => ({ ...other, bytes: null })) };
  }),
  { minLength: 1, maxLength: 4 },
);

function partsOf(all: readonly TokenLogprob[]): ResponsePart[] {
  return [
    { type: 'start', id: 'x', model: 'm' },
    ...all.flatMap((token): ResponsePart[] => [
      { type: 'logprobs', tokens: [token], choice: 0 },
      { type: 'text', text: token.token, choice: 0 },
    ]),
    { type: 'finish', reason: 'stop', choice: 0 },
  ];
}

/** Fields that every format has. */
function plain(parts: readonly ResponsePart[]) {
  const reported = parts.flatMap((part) => (part.type === 'logprobs' ? part.tokens : []));
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return {
    text,
    reported: reported.map(({ token, logprob, top }) => ({ token, logprob, top: top.map((other) => [other.token, other.logprob]) })),
  };
}

// JSON does not distinguish negative zero.
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(Object.entries(formats))('probabilities in %s', (_name, { upstream, client, write }) => {
  test('survive a whole response', () => {
    fc.assert(
      fc.property(tokens, (all) => {
        const parts = partsOf(all);
        const body = write(parts, null, options);
        expect(json(plain(upstream.readWhole(body, null) ?? []))).toEqual(json(plain(parts)));
      }),
    );
  });

  test('survive a stream', () => {
    fc.assert(
      fc.property(tokens, (all) => {
        const parts = partsOf(all);
        const writer = client.createStreamWriter(options);
        const events = Buffer.from(parts.map((part) => writer.write(part)).join('') + writer.end(null));
        const reader = upstream.createStreamReader(null);
        const again = [...framings.sse.events(events)].flatMap((event) => reader.read(event));
        expect(json(plain(again))).toEqual(json(plain(parts)));
      }),
    );
  });
});
