// Errors of a provider that stand with what it has read and written: it bills that, so it is paid, and nobody else is asked to do it again.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const usage = { prompt_tokens: 40, completion_tokens: 300, total_tokens: 340 };
const error = { message: 'The output was filtered', type: 'server_error', param: null, code: 'content_filter' };
const begun = { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'High' }, finish_reason: null }] };
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

describe.each(engines)('errors with usage on $kind', (engine) => {
  test.each([
    ['whole', false, 'application/json', JSON.stringify({ error, usage })],
    ['first of a stream', true, 'text/event-stream', event({ error, usage })],
    ['amid a stream', true, 'text/event-stream', event(begun) + event({ error, usage })],
  ])('%s', async (_where, stream, type, body) => {
    await using upstream = await startRawUpstream((response) => void response.end(body), { type });
    const channel = { base_url: upstream.url };
    await using scene = await createScene(engine, { settings: { RetryTimes: '3' }, channels: [channel, channel] });
    const answer = await scene.chat({ stream });
    expect(await answer.text()).toContain('The output was filtered');
    const [row] = await scene.logs(1);
    expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([40, 300]);
    expect(row?.quota).toBeGreaterThan(0);
    expect(row?.other?.attempts).toHaveLength(1);
    await scene.checkBooks();
  });

  test('one that says that nothing was used is free, and goes to another channel', async () => {
    const free = JSON.stringify({ error, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } });
    await using upstream = await startRawUpstream((response) => void response.end(free), { type: 'application/json' });
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '3' },
      channels: [{ base_url: upstream.url, priority: 1 }, {}],
    });
    expect((await scene.chat()).status).toBe(200);
    expect((await scene.logs(1))[0]?.other?.attempts).toHaveLength(2);
    await scene.checkBooks();
  });
});
