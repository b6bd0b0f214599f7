// Hanging up is not free: a call that an upstream had is charged, whenever its client leaves.
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { countMessages } from '#tests/support/count-prompt.ts';
import { engines } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

/** Priced by nothing but the settings below: one token of either kind costs 10. */
const model = 'sea-1';
const settings = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 1 }) };
const channels = [{ models: model }];
const messages = [{ role: 'user', content: 'Say hello' }];
const promptTokens = await countMessages(messages, model);

/** A call whose client leaves when `when` is over. */
async function leave(scene: RelayScene, fields: object, when: (index: number) => Promise<unknown>): Promise<void> {
  const index = scene.upstream.requests.length;
  const client = new AbortController();
  const requested = fetch(`${scene.app.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
    body: JSON.stringify({ model, messages, ...fields }),
    signal: client.signal,
  }).catch(() => null);
  await when(index);
  client.abort();
  await requested;
}

const sent = (scene: RelayScene) => (index: number) => scene.upstream.request(index);

describe.each(engines)('a client that leaves on $kind', (engine) => {
  test('before a stream has opened: the upstream is aborted, the prompt is charged', async () => {
    await using scene = await createScene(engine, { settings, channels });
    scene.upstream.behave({ firstByteDelay: Infinity });
    await leave(scene, { stream: true }, sent(scene));
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: promptTokens, completion_tokens: 0, quota: 10 * promptTokens });
    expect(row?.other).toMatchObject({ ending: 'client_closed', after_leaving: 'counted', prompt_source: 'counted' });
    await scene.checkBooks();
  });

  test.each([{ firstByteDelay: Infinity }, { holdAfter: 3 }])(
    'what was too long to be counted is called an estimate: %j',
    async (behaviour) => {
      await using scene = await createScene(engine, { settings, channels });
      scene.upstream.behave(behaviour);
      const long = [{ role: 'user', content: 'hello '.repeat(700_000) }];
      await leave(scene, { stream: true, messages: long }, async (index) => {
        const request = await scene.upstream.request(index);
        if ('holdAfter' in behaviour) await until(() => request.eventsSent >= 3);
      });
      const [row] = await scene.logs(1);
      expect(row?.other).toMatchObject({ ending: 'client_closed', after_leaving: 'estimated', prompt_source: 'estimated' });
      await scene.checkBooks();
    },
  );

  test('a whole answer is read to its end and charged exactly, and nobody else is asked', async () => {
    await using scene = await createScene(engine, { settings, channels: [...channels, ...channels] });
    // Long after the server has noticed.
    scene.upstream.behave({ firstByteDelay: 2_000 });
    await leave(scene, {}, sent(scene));
    const upstream = await scene.upstream.request(0);
    expect(await upstream.closed).toBe('complete');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed', after_leaving: 'read', completion_source: 'upstream' });
    expect(row).toMatchObject({ completion_tokens: 9, quota: 10 * ((row?.prompt_tokens ?? 0) + 9) });
    expect(scene.upstream.requests).toHaveLength(1);
    await scene.checkBooks();
  });

  test('a whole answer of a channel that says `abort` is ended and estimated', async () => {
    await using scene = await createScene(engine, { settings, channels: [{ models: model, setting: '{"on_client_gone":"abort"}' }] });
    scene.upstream.behave({ firstByteDelay: Infinity });
    await leave(scene, { max_tokens: 5_000 }, sent(scene));
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed', after_leaving: 'estimated', completion_source: 'estimated' });
    expect(row?.prompt_tokens).toBe(promptTokens);
    expect(row?.completion_tokens).toBeGreaterThan(0);
    expect(row?.completion_tokens).toBeLessThanOrEqual(5_000);
    expect(row?.quota).toBe(10 * (promptTokens + (row?.completion_tokens ?? 0)));
    await scene.checkBooks();
  });

  test.each([{ stream: false }, { stream: true }])('an upstream that failed by itself costs nothing: %j', async (fields) => {
    await using scene = await createScene(engine, { settings, channels });
    const before = await scene.balance();
    scene.upstream.queue({ status: 500, firstByteDelay: 100 });
    // The first one fails; the client is gone before a second.
    await leave(scene, fields, async (index) => {
      const request = await scene.upstream.request(index);
      if (fields.stream) await request.closed;
    });
    const rows = await scene.logs(1);
    expect(rows.every((row) => row.quota === 0)).toBe(true);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('45 calls that are left: every one is charged, and no user keeps more upstreams busy than the bound', async () => {
    await using scene = await createScene(engine, { settings, channels });
    scene.upstream.behave({ holdAfter: 10 });
    await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        leave(scene, { max_tokens: 100 }, () =>
          until(() => scene.upstream.requests.length >= 45 || scene.upstream.requests.length > index + 45),
        ),
      ),
    );
    await until(() => scene.upstream.requests.filter((request) => request.outcome === 'aborted').length === 45 - 16);
    for (const request of scene.upstream.requests) request.release();
    const rows = await scene.logs(45);
    expect(rows.filter((row) => row.other?.['after_leaving'] === 'read')).toHaveLength(16);
    expect(rows.filter((row) => row.other?.['after_leaving'] === 'estimated')).toHaveLength(29);
    for (const row of rows) expect(row.quota).toBeGreaterThanOrEqual(10 * promptTokens);
    await scene.checkBooks();
  });

  test('answers that nobody waits for hold so many bytes: what is beyond is ended and estimated', async () => {
    const open: ServerResponse[] = [];
    await using upstream = await startRawUpstream((response) => void open.push(response), { type: 'application/json' });
    await using scene = await createScene(engine, { settings, channels: [{ models: model, base_url: upstream.url }] });
    for (let call = 1; call <= 2; call += 1) await leave(scene, { max_tokens: 5_000 }, () => until(() => open.length >= call));
    // Two of nine megabytes are more than one user's answers may hold.
    for (const response of open)
      response.write(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"${'a'.repeat(9 * 1024 * 1024)}`);
    await until(() => open.some((response) => response.destroyed));
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    for (const response of open) if (!response.destroyed) response.end(`"},"finish_reason":"stop"}],"usage":${JSON.stringify(usage)}}`);
    const rows = await scene.logs(2);
    const [read, estimated] = ['read', 'estimated'].map((how) => rows.filter((row) => row.other?.['after_leaving'] === how));
    expect(read).toMatchObject([{ prompt_tokens: 3, completion_tokens: 4 }]);
    expect(estimated).toHaveLength(1);
    await scene.checkBooks();
  });

  test('a server that ends does not wait for answers that nobody reads: they are settled as left', async () => {
    await using scene = await createScene(engine, { settings, channels });
    scene.upstream.behave({ firstByteDelay: Infinity });
    await leave(scene, {}, sent(scene));
    await until(() => scene.upstream.requests[0]?.outcome === 'open');
    scene.app.app.drain();
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ after_leaving: 'estimated' });
    expect(row?.quota).toBeGreaterThanOrEqual(10 * promptTokens);
    await scene.checkBooks();
  });
});
