// Headers that an administrator can enable: the cost of a whole response, and the time of gateway and upstream.
import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, setOption, testModel } from '#tests/support/relay-scene.ts';

const timing = /^gateway;dur=(\d+\.\d), upstream;dur=(\d+\.\d)(?:;desc="(\d) attempts")?$/;

async function headersOf(calling: Promise<Response>): Promise<[string | null, string | null]> {
  const response = await calling;
  expect(response.status, await response.text()).toBe(200);
  return [response.headers.get('x-tidegate-cost'), response.headers.get('server-timing')];
}

describe.each(oneEngine)('headers about a call on $kind', (engine) => {
  const messages = [{ role: 'user', content: 'Say hello' }];
  const calls: [string, object][] = [
    ['/v1/chat/completions', { model: testModel, messages }],
    ['/v1/messages', { model: testModel, max_tokens: 9, messages }],
    ['/v1/responses', { model: testModel, input: 'Say hello' }],
    [`/v1beta/models/${testModel}:generateContent`, { contents: [{ parts: [{ text: 'Say hello' }] }] }],
    ['/v1/embeddings', { model: testModel, input: 'Say hello' }],
  ];

  it.each(calls)('%s has them while they are enabled', async (path, body) => {
    await using scene = await createScene(engine);
    expect(await headersOf(scene.post(path, body))).toEqual([null, null]);
    await setOption(scene.app, 'CostHeaderEnabled', 'true');
    await setOption(scene.app, 'ServerTimingEnabled', 'true');
    const [cost, time] = await headersOf(scene.post(path, body));
    const row = (await scene.logs(2))[1];
    expect(row?.quota).toBeGreaterThan(0);
    expect(cost).toMatch(/^0\.\d+$/);
    expect(Math.round(Number(cost) * 500_000)).toBe(row?.quota);
    expect(time).toMatch(timing);
  });

  it('a stream has its timing until the first byte, and no cost', async () => {
    await using scene = await createScene(engine, { settings: { CostHeaderEnabled: 'true', ServerTimingEnabled: 'true' } });
    scene.upstream.behave({ firstByteDelay: 50, chunkDelay: 40, text: 'one two three four five' });
    const [cost, time] = await headersOf(scene.chat({ stream: true }));
    expect(cost).toBeNull();
    expect(Number(timing.exec(time ?? '')?.[2])).toBeGreaterThanOrEqual(45);
  });

  it('the time of failed attempts is the upstreams’', async () => {
    const settings = { ServerTimingEnabled: 'true', RetryTimes: '1' };
    await using scene: RelayScene = await createScene(engine, { settings, channels: [{ priority: 9 }, {}] });
    scene.upstream.queue({ status: 500, firstByteDelay: 60 }, {});
    const [, time] = await headersOf(scene.chat());
    const [, , upstream, attempts] = timing.exec(time ?? '') ?? [];
    expect(attempts).toBe('2');
    expect(Number(upstream)).toBeGreaterThanOrEqual(55);
  });
});
