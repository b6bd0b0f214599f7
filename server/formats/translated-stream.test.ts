// Whole responses in place of streams: every format of callers gets all of their parts as its stream.
import { describe, expect, test } from 'vitest';
import { noTokens } from '#shared/token-usage.ts';
import { framings } from '#server/framing/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import type { ResponsePart } from './parts.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import { TextTally } from './text-tally.ts';
import { TranslatedStream } from './translated-stream.ts';

const model = 'ERNIE-4.0-8K';
const callers = {
  'openai-chat': upstreamDialects['openai-chat'],
  'openai-responses': upstreamDialects['openai-responses'],
  claude: upstreamDialects.claude,
  gemini: upstreamDialects.gemini,
};

/** @param name format of the caller */
function pipeTo(name: keyof typeof callers) {
  const client = clientDialects[name];
  const route = buildPreparedChannel({ type: 15, models: model, key: 'a|b' }).route(client, 'chat', model);
  if (route === null) throw new Error('The channel has no route');
  const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: (text) => text.length });
  const writer = { model, requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };
  return { pipe: new TranslatedStream({ client, route, writer, tally }), read: callers[name] };
}

const body = {
  id: 'as-1',
  result: '',
  function_call: { name: 'get', thoughts: 'Hm', arguments: '{"a":1}' },
  usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
};

const isNamed = (part: ResponsePart) => ['reasoning', 'text', 'tool_call', 'tool_arguments', 'finish'].includes(part.type);

describe.each(Object.keys(callers).map((name) => name as keyof typeof callers))('a whole response, as a stream of %s', (name) => {
  test('has thinking, call, end and usage', () => {
    const { pipe, read } = pipeTo(name);
    const parts = upstreamDialects.ernie.readWhole(body, null) ?? [];
    const { forClient, next } = pipe.pushWhole(parts, 300);
    const { usage, hasTextAfter } = pipe.reportedUsage();
    expect({ next, usage, hasTextAfter, bytes: pipe.bytes, hasFinished: pipe.hasFinished() }).toEqual({
      next: 'complete',
      usage: { ...noTokens, input: 2, output: 3 },
      hasTextAfter: false,
      bytes: 300,
      hasFinished: true,
    });
    const bytes = Buffer.concat([...forClient, pipe.ending(usage)]);
    const reader = read.createStreamReader(null);
    const received = [...framings.sse.events(bytes)].flatMap((event) => reader.read(event));
    expect(received.filter(isNamed).map((part) => ('text' in part ? part.text : 'name' in part ? part.name : part.type))).toEqual([
      'Hm',
      'get',
      '{"a":1}',
      'finish',
    ]);
    expect(received.filter(({ type }) => type === 'error' || type === 'invalid_usage')).toEqual([]);
  });

  test('has a usage that arrives before its text', () => {
    const { pipe } = pipeTo(name);
    pipe.pushWhole(
      [
        { type: 'usage', usage: { input: 2, output: 3 } },
        { type: 'text', text: 'Noon.' },
        { type: 'finish', reason: 'stop' },
      ],
      9,
    );
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 2, output: 3 }, hasTextAfter: false });
  });
});
