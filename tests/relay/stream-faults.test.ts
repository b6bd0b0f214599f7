// An exception in any callback of a stream ends that stream with an error, charged; all others continue.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ClientStream } from '#server/call/stream/client-stream.ts';
import { StreamSpending } from '#server/call/stream/stream-spending.ts';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import { UsageMeter } from '#server/formats/openai-chat/usage-meter.ts';
import { engines } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, readEvents, testModel } from '#tests/support/relay-scene.ts';
import { shows } from '#tests/support/shows.ts';

const event = (fields: object) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...fields })}\n\n`;
const word = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });

afterEach(() => vi.restoreAllMocks());

/** Throws once, at its `nth` call after the first stream has begun. */
function throwOnce<Name extends string>(target: Record<Name, (...input: never[]) => unknown>, name: Name): () => number {
  const original = target[name];
  let thrown = 0;
  vi.spyOn(target, name as never).mockImplementation(function (this: unknown, ...input: never[]) {
    if (thrown === 0) {
      thrown += 1;
      throw new Error('A fault that a test has made');
    }
    return Reflect.apply(original, this, input);
  } as never);
  return () => thrown;
}

describe.each(engines)('faults in streams on $kind', (engine) => {
  test('an event of many megabytes goes on, and the process with it', async () => {
    const image = 'A'.repeat(12 * 1024 * 1024);
    await using upstream = await startRawUpstream(
      (response) =>
        void response.end(
          `${word('here')}${word(image)}${event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } })}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
        ),
    );
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.some((data) => data.includes(image))).toBe(true);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
    expect(row?.other).not.toHaveProperty('ending');
    await scene.checkBooks();
  });

  test.each([
    ['the reader of its bytes', EventSplitter.prototype, 'push'],
    ['the meter', UsageMeter.prototype, 'push'],
    ['the end', UsageMeter.prototype, 'hasFinished'],
    ['the timer', StreamSpending.prototype, 'tick'],
    ['the check of its money', StreamSpending.prototype, 'check'],
    ['the writer', ClientStream.prototype, 'write'],
  ] as const)('a throw in %s ends one stream with an error event, charged and logged', async (_, target, name) => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '0' } });
    const logged = vi.spyOn(scene.app.context.log, 'error');
    scene.upstream.behave({ holdAfter: 4 });
    const other = scene.chat({ stream: true }).then(readEvents);
    const stored = await scene.upstream.request(0);
    await shows(() => expect(stored.eventsSent).toBeGreaterThanOrEqual(5));
    scene.upstream.behave({ holdAfter: 4, withoutDone: true }, { model: 'gpt-4o' });
    await scene.addChannel({ models: 'gpt-4o' });
    const failing = scene.chat({ stream: true, model: 'gpt-4o' });
    const hit = await scene.upstream.request(1);
    await shows(() => expect(hit.eventsSent).toBeGreaterThanOrEqual(5));
    // The answer has begun where the first events have arrived.
    const answer = await failing;
    const thrown = throwOnce(target as never, name as never);
    if (name === 'tick') await shows(() => expect(thrown()).toBe(1));
    hit.release();
    const events = await readEvents(answer);
    expect(thrown()).toBe(1);
    stored.release();
    const rest = await other;
    const both = [events, rest].map((list) => list.at(-1) ?? '');
    // The timer may meet either of them first.
    expect(both.filter((data) => data === '[DONE]')).toHaveLength(1);
    const error = both.find((data) => data !== '[DONE]') ?? '{}';
    expect(JSON.parse(error).error).toMatchObject({ code: 'internal_error' });
    const rows = await scene.logs(2);
    expect(new Set(rows.map((row) => row.other?.['ending']))).toEqual(new Set(['fault', undefined]));
    for (const row of rows) expect(row.quota).toBeGreaterThan(0);
    expect(logged.mock.calls.map(([, text]) => text)).toContain('a stream failed unexpectedly');
    await scene.checkBooks();
  });

  test.each(['lastUsage', 'countTokens'] as const)(
    'usage that cannot be read (%s) is estimated, and the answer is complete',
    async (name) => {
      await using scene = await createScene(engine);
      scene.upstream.behave({ usage: 'none' });
      throwOnce(UsageMeter.prototype as never, name as never);
      expect((await readEvents(await scene.chat({ stream: true }))).at(-1)).toBe('[DONE]');
      const [row] = await scene.logs(1);
      expect(row?.other).toMatchObject({ prompt_source: 'estimated', completion_source: 'estimated' });
      expect(row?.quota).toBeGreaterThan(0);
      await scene.checkBooks();
    },
  );

  test('a throw before the first event sends the call to another channel', async () => {
    await using scene = await createScene(engine, { channels: [{ priority: 2 }, { priority: 1 }] });
    throwOnce(EventSplitter.prototype as never, 'push' as never);
    expect((await readEvents(await scene.chat({ stream: true, model: testModel }))).at(-1)).toBe('[DONE]');
    expect(scene.upstream.requests).toHaveLength(2);
    await scene.checkBooks();
  });
});
