import { describe, expect, test } from 'vitest';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import { buildRoute } from '#tests/support/build-channel.ts';
import { ClaudeIdentityStream } from './claude/identity-stream.ts';
import { clientDialects } from './registry.ts';
import type { StreamPipe } from './stream-pipe.ts';
import { TextTally } from './text-tally.ts';
import { TranslatedStream } from './translated-stream.ts';

const writer = { model: 'tide', requestId: 'r', createdAt: 1, wantsUsage: true, promptEstimate: 3 };

/** Counts words and stores the texts it received. */
function createTally(): { tally: TextTally; counted: string[] } {
  const counted: string[] = [];
  const countText = (text: string) => {
    counted.push(text);
    return Promise.resolve(text.match(/\S+/g)?.length ?? 0);
  };
  return { tally: new TextTally({ countText, estimateText: estimateTextTokens }), counted };
}

const pipes: { name: string; create(tally: TextTally): StreamPipe }[] = [
  { name: 'identity', create: (tally) => new ClaudeIdentityStream({ tally, writer }) },
  {
    name: 'translated',
    create: (tally) =>
      new TranslatedStream({
        client: clientDialects['openai-chat'],
        route: buildRoute({ type: 14 }),
        writer,
        tally,
      }),
  },
];

const event = (data: { type: string } & Record<string, unknown>) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const start = (usage?: unknown) => event({ type: 'message_start', message: { id: 'm', model: 'tide', content: [], usage } });
const begin = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
const write = (text: string) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const end = (usage?: unknown) => event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
const stop = event({ type: 'message_stop' });

function feed(pipe: StreamPipe, text: string, size: number): void {
  const splitter = new EventSplitter();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const events = splitter.push(bytes.subarray(at, at + size));
    if (events !== null) pipe.push(events, false);
  }
}

describe.each(pipes)('$name stream of Claude', ({ create }) => {
  const read = (text: string, size = 1_000_000) => {
    const { tally, counted } = createTally();
    const pipe = create(tally);
    feed(pipe, text, size);
    return { pipe, counted };
  };

  test.each([1, 2, 3, 7, 61, 250, 1_000_000])('usage is read from pieces of %d bytes', (size) => {
    const { pipe } = read(start({ input_tokens: 10, output_tokens: 1 }) + begin + write('one 潮 two') + end({ output_tokens: 7 }), size);
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 10, output: 7 }, isInvalid: false, hasTextAfter: false });
    expect(pipe.hasFinished()).toBe(true);
  });

  test.each([
    ['no usage at the start', undefined],
    ['a usage of 0', { input_tokens: 0, output_tokens: 1 }],
  ])('%s leaves the input at 0 and the output as reported', (_, usage) => {
    const { pipe } = read(start(usage) + begin + write('one') + end({ output_tokens: 7 }));
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 0, output: 7 }, isInvalid: false });
  });

  test.each([-1, 1.5, 2e9, 'many'])('an input of %j that is not corrected is invalid', (input_tokens) => {
    const { pipe } = read(start({ input_tokens, output_tokens: 1 }) + begin + write('one') + end({ output_tokens: 7 }));
    expect(pipe.reportedUsage()).toMatchObject({ usage: null, isInvalid: true });
  });

  test.each([-1, 1.5, 2e9, 'many'])('an output of %j at the end is invalid', (output_tokens) => {
    const { pipe } = read(start({ input_tokens: 5, output_tokens: 1 }) + begin + write('one') + end({ output_tokens }));
    expect(pipe.reportedUsage()).toMatchObject({ usage: null, isInvalid: true });
  });

  test('an implausible count is replaced by a later one', () => {
    const { pipe } = read(
      start({ input_tokens: -1, output_tokens: -1 }) + begin + write('one') + end({ input_tokens: 4, output_tokens: 7 }),
    );
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 4, output: 7 }, isInvalid: false });
  });

  test.each([1, 61, 1_000_000])('text after the last output count is noticed, in pieces of %d bytes', async (size) => {
    const text = start({ input_tokens: 9, output_tokens: 1 }) + begin + write('one ') + end({ output_tokens: 1 });
    const { pipe } = read(text + write('two '), size);
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 9, output: 1 }, hasTextAfter: true });
    expect(pipe.hasFinished()).toBe(false);
    expect(await pipe.countTokens()).toBe(2);
    const empty = read(text + write('') + event({ type: 'content_block_stop', index: 0 }), size).pipe;
    expect(empty.reportedUsage()).toMatchObject({ hasTextAfter: false });
    expect(empty.hasFinished()).toBe(true);
  });

  test('an output count at the start only excludes the text', () => {
    const { pipe } = read(start({ input_tokens: 9, output_tokens: 1 }) + begin + write('one ') + end());
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 9, output: 1 }, hasTextAfter: true });
  });

  test('input repeated at the end without output is not an output count', () => {
    const { pipe } = read(start({ input_tokens: 9, output_tokens: 1 }) + begin + write('one ') + end({ input_tokens: 11 }));
    expect(pipe.reportedUsage()).toMatchObject({ usage: { input: 11, output: 1 }, hasTextAfter: true });
  });

  test.each([97, 1_000_000])('all output is counted, beyond the buffer, in pieces of %d bytes', async (size) => {
    const think = event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: ' hm "so" ' } });
    const call = event({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: ' tide ', input: {} } });
    const whole = event({ type: 'content_block_start', index: 2, content_block: { type: 'tool_use', name: ' ebb ', input: { a: 'b c' } } });
    const part = event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ' {"a": 1} ' } });
    const { pipe } = read(start() + begin + think + write('wave ').repeat(1000) + call + part + whole + stop, size);
    expect(await pipe.countTokens()).toBe(1000 + 2 + 1 + 2 + 1 + 2);
  });

  test('the approximate number of tokens is near the estimate of the whole text', () => {
    const { pipe } = read(start() + begin + write('wave ').repeat(4000), 500);
    const whole = estimateTextTokens('wave '.repeat(4000));
    expect(pipe.roughTokens()).toBeGreaterThan(whole * 0.9);
    expect(pipe.roughTokens()).toBeLessThan(whole * 1.15);
  });
});
