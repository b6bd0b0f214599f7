// Streams and money, streams and slow or vanished clients.
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { leasedOf } from '#server/money/account.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, readEvents, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

/** Priced by nothing but the settings below: one token of either kind costs 10. */
const model = 'sea-1';
const settings = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 1 }) };
const channels = [{ models: model }];
const ask = (scene: RelayScene, fields: Record<string, unknown> = {}) => scene.chat({ model, stream: true, ...fields });

/** A client that has sent its call and reads nothing until released. */
function callUnread(scene: RelayScene): Promise<IncomingMessage> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'go' }] });
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${scene.app.origin}/v1/chat/completions`,
      { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` }, agent: false },
      resolve,
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<{ bytes: number; tail: string }> {
  let bytes = 0;
  let tail = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-200);
  }
  return { bytes, tail };
}

describe.each(engines)('streams on $kind', (engine) => {
  test('an account that runs empty: `finish` lets the one stream end below zero, and refuses the next call', async () => {
    await using scene = await createScene(engine, { settings, channels, quota: 6_000 });
    const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 };
    scene.upstream.behave({ repeat: { text: 'word '.repeat(100), times: 60 }, chunkDelay: 2, usage });
    const events = await readEvents(await ask(scene));
    expect(events.at(-1)).toBe('[DONE]');
    const [row] = await scene.logs(1);
    expect(row?.other).not.toHaveProperty('ending');
    expect(row?.quota).toBeGreaterThan(6_000);
    expect(await scene.balance()).toBe(6_000 - (row?.quota ?? 0));
    const next = await ask(scene);
    expect([next.status, (await next.json()).error.code]).toEqual([403, 'insufficient_user_quota']);
    await scene.checkBooks();
  });

  test('an account that runs empty: `stop` ends the stream with an error when all of it is used, and not before', async () => {
    const quota = 300_000;
    await using scene = await createScene(engine, { settings: { ...settings, StreamOverdraft: 'stop' }, channels, quota });
    // 100 words cost about 1,000 and are 500 bytes.
    scene.upstream.behave({ repeat: { text: 'word '.repeat(100), times: 20_000 }, chunkDelay: 1 });
    const events = await readEvents(await ask(scene));
    expect(JSON.parse(events.at(-1) ?? '{}').error).toMatchObject({ code: 'overdraft_stopped' });
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'overdraft' });
    // What an estimate of the tokens can do.
    expect(row?.quota).toBeGreaterThan(quota * 0.8);
    expect(row?.quota).toBeLessThan(quota * 1.2);
    expect(await scene.balance()).toBe(quota - (row?.quota ?? 0));
    await scene.checkBooks();
  });

  test('`stop`: a stream whose reservation cannot be grown waits for the database, and goes on when it is back', async () => {
    await using scene = await createScene(engine, {
      settings: { ...settings, StreamOverdraft: 'stop' },
      channels,
      quota: 10_000_000,
      env: { STREAMING_TIMEOUT: '1' },
    });
    const away = vi.spyOn(scene.app.context.ledger, 'extend').mockRejectedValue(new DatabaseUnavailable('A test has taken it away'));
    const usage = { prompt_tokens: 10, completion_tokens: 40_000, total_tokens: 40_010 };
    scene.upstream.behave({ repeat: { text: 'word '.repeat(100), times: 4_000 }, chunkDelay: 1, usage });
    const answer = ask(scene).then(readEvents);
    // Longer than an upstream may be silent.
    await until(() => away.mock.calls.length >= 6);
    away.mockRestore();
    expect((await answer).at(-1)).toBe('[DONE]');
    const [row] = await scene.logs(1);
    expect(row?.other).not.toHaveProperty('ending');
    expect(await scene.balance()).toBe(10_000_000 - (row?.quota ?? 0));
    await scene.checkBooks();
  });

  test('a stream that outgrows its reservation extends it while it runs', async () => {
    // Of a model that answers with more than is known of it.
    const small = { ...settings, DefaultMaxOutputTokens: '1000' };
    await using scene = await createScene(engine, { settings: small, channels, quota: 1_000_000, tokenQuota: 1_000_000 });
    scene.upstream.behave({ repeat: { text: 'word '.repeat(100), times: 400 }, holdAfter: 300 });
    const answer = ask(scene).then(readEvents);
    const upstream = await scene.upstream.request(0);
    await until(() => upstream.eventsSent > 300);
    const held = async () => {
      const { db } = scene.app.context;
      const [user, token] = [await db.collection('users').get(scene.user.id), await db.collection('tokens').get(scene.token.id)];
      return Math.min(user === null ? 0 : leasedOf(user), token === null ? 0 : leasedOf(token));
    };
    // Some 30,000 tokens have been written.
    await until(async () => (await held()) > 200_000);
    upstream.release();
    expect((await answer).at(-1)).toBe('[DONE]');
    await until(async () => (await held()) === 0);
    const [row] = await scene.logs(1);
    expect(await scene.balance()).toBe(1_000_000 - (row?.quota ?? 0));
    await scene.checkBooks();
  });

  test('a client that does not read holds up the upstream, loses nothing and is not taken for a stalled one', async () => {
    await using scene = await createScene(engine, {
      channels: [{ models: model }],
      settings,
      quota: 1e12,
      env: { STREAMING_TIMEOUT: '3' },
    });
    const [size, times] = [10_000, 8_000];
    scene.upstream.behave({
      repeat: { text: 'x'.repeat(size), times },
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    });
    const response = await callUnread(scene);
    const upstream = await scene.upstream.request(0);
    let sent = -1;
    await until(async () => {
      sent = upstream.eventsSent;
      // On a busy machine it pauses without being held up.
      for (let turn = 0; turn < 8 && sent === upstream.eventsSent; turn += 1) await sleep(150);
      return sent === upstream.eventsSent && sent > 0;
    }, 60_000);
    // What fits into the buffers of four sockets and no more.
    expect(sent).toBeLessThan(times * 0.6);
    await sleep(4_500);
    // (The kernel moves its limits a little.)
    expect(upstream.eventsSent).toBeLessThan(sent + 5);
    const { bytes, tail } = await readAll(response);
    expect(tail.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(bytes).toBeGreaterThan(size * times);
    const [row] = await scene.logs(1);
    expect(row?.other).not.toHaveProperty('ending');
    await scene.checkBooks();
  });

  test('a client that leaves aborts the upstream at once and pays for what came, however full the pipes are', async () => {
    await using scene = await createScene(engine, { settings, channels, quota: 1e12 });
    scene.upstream.behave({ repeat: { text: 'word '.repeat(1_000), times: 50_000 } });
    for (let turn = 0; turn < 5; turn += 1) {
      const response = await callUnread(scene);
      const upstream = await scene.upstream.request(turn);
      // Flowing, or held up.
      await sleep(turn * 60);
      response.destroy();
      expect(await upstream.closed).toBe('aborted');
    }
    const rows = await scene.logs(5);
    for (const row of rows) {
      expect(row.other).toMatchObject({ ending: 'client_closed' });
      expect(row.quota).toBeGreaterThan(0);
    }
    await scene.checkBooks();
  });
});
