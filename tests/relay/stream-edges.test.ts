// Streams at moments that no well-behaved provider or client brings about.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { leasedOf } from '#server/money/account.ts';
import type { CollectionName } from '#server/db/database.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, readEvents, type RelayScene, until } from '#tests/support/relay-scene.ts';

const event = (fields: object) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...fields })}\n\n`;
const word = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });
const earlyUsage = event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 } });

async function checkNothingHeld(scene: RelayScene): Promise<void> {
  await until(async () => {
    const user = await scene.app.context.db.collection('users').get(scene.user.id);
    return user !== null && leasedOf(user) === 0 ? true : null;
  });
}

describe.each(oneEngine)('streams at odd moments on $kind', (engine) => {
  test.each([true, false])('a client that left while its money was being reserved costs nothing (stream: %s)', async (stream) => {
    await using scene = await createScene(engine);
    const { ledger } = scene.app.context;
    const reserve = ledger.reserve.bind(ledger);
    const reserving = vi.spyOn(ledger, 'reserve').mockImplementation(async (options) => {
      await sleep(300);
      return reserve(options);
    });
    const leaving = AbortSignal.timeout(100);
    await expect(
      fetch(`${scene.app.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
        body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: 'Say hello' }] }),
        signal: leaving,
      }),
    ).rejects.toThrow(/timeout/i);
    await Promise.all(reserving.mock.results.map(({ value }) => value));
    await checkNothingHeld(scene);
    await until(() => (scene.app.context.bodies.bytes === 0 ? true : null));
    expect(scene.upstream.requests).toEqual([]);
    expect(await scene.app.context.db.collection('logs').count({ type: 2 })).toBe(0);
    await scene.checkBooks();
  });

  test.each([true, false])('a call is answered when its success could not be counted for the rate limit (stream: %s)', async (stream) => {
    await using scene = await createScene(engine, { settings: { ModelRequestRateLimitEnabled: 'true' } });
    const { db } = scene.app.context;
    const limits = db.collection('limits');
    const broken = { ...limits, get: limits.get.bind(limits), patch: () => Promise.reject(new DatabaseUnavailable('A test took it away')) };
    const collection = db.collection.bind(db);
    // The first use, before the call, looks at the user's successes; the next counts this one.
    let uses = 0;
    vi.spyOn(db, 'collection').mockImplementation(((name: CollectionName) => {
      if (name !== 'limits') return collection(name);
      uses += 1;
      return uses > 1 ? broken : limits;
    }) as typeof db.collection);
    const answer = await scene.chat({ stream });
    expect(answer.status).toBe(200);
    if (stream) expect((await readEvents(answer)).at(-1)).toBe('[DONE]');
    else expect(await answer.json()).toHaveProperty('choices');
    expect(uses).toBeGreaterThan(1);
    vi.restoreAllMocks();
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('a fault at the end of a stream breaks the connection, instead of keeping it alive for ever', async () => {
    await using scene = await createScene(engine);
    vi.spyOn(scene.app.context.ledger, 'settle').mockRejectedValueOnce(new Error('A fault that a test has made'));
    await expect(scene.chat({ stream: true }).then((answer) => answer.text())).rejects.toThrow();
    await checkNothingHeld(scene);
  });

  test('headers leave although the first events are not for the client', async () => {
    let goOn = () => {};
    const released = new Promise<void>((resolve) => (goOn = resolve));
    await using upstream = await startRawUpstream(async (response) => {
      response.write(earlyUsage);
      await released;
      response.end(`${word('late')}data: [DONE]\n\n`);
    });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    // Resolves with the headers.
    const answer = await scene.chat({ stream: true });
    goOn();
    expect((await readEvents(answer)).map((data) => (data === '[DONE]' ? data : JSON.parse(data).choices[0].delta.content))).toEqual([
      'late',
      '[DONE]',
    ]);
    await scene.checkBooks();
  });

  test.each(['breaks off', 'is left by its client'])('usage told early does not make the rest free when the stream %s', async (how) => {
    await using upstream = await startRawUpstream(async (response) => {
      response.write(earlyUsage + word('one two three four five six seven eight'));
      if (how === 'breaks off') {
        await sleep(50);
        response.destroy();
      }
    });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    const leaving = new AbortController();
    const answer = await fetch(`${scene.app.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'Say hello' }] }),
      signal: leaving.signal,
    });
    const reading = answer.text().catch(() => '');
    if (how !== 'breaks off') {
      await sleep(100);
      leaving.abort();
    }
    await reading;
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 10, other: { prompt_source: 'upstream', completion_source: 'counted' } });
    expect(row?.completion_tokens).toBeGreaterThanOrEqual(8);
    await scene.checkBooks();
  });

  test('usage told long before the end is believed, and what was written after it is counted', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
    const empty = event({ choices: [{ index: 0, delta: {} }] });
    const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    let text = '';
    await using upstream = await startRawUpstream((response) => void response.end(text));
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    const reported = event({ choices: [], usage, search_results: ['x'.repeat(9_000)] });
    text = `${word('one')}${reported}${empty.repeat(300)}${finish}data: [DONE]\n\n`;
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(events.filter((data) => data.includes('usage'))).toEqual([]);
    const early = event({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 } });
    text = `${early}${word('one two three four five')}${finish}data: [DONE]\n\n`;
    await readEvents(await scene.chat({ stream: true }));
    const rows = await scene.logs(2);
    expect(rows[0]).toMatchObject({ prompt_tokens: 1000, completion_tokens: 500, other: { completion_source: 'upstream' } });
    expect(rows[1]).toMatchObject({ prompt_tokens: 1000, completion_tokens: 5, other: { completion_source: 'counted' } });
    await scene.checkBooks();
  });

  test.each(['data: {not json\n\n', '<html>502 Bad Gateway</html>\n\n'])(
    'something that is no event ends the stream with an error: %j',
    async (garbage) => {
      await using upstream = await startRawUpstream(
        (response) => void response.end(`${word('one')}${garbage}${word('two')}data: [DONE]\n\n`),
      );
      await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
      const events = await readEvents(await scene.chat({ stream: true }));
      expect(events).toHaveLength(2);
      expect(JSON.parse(events[0] ?? '').choices[0].delta.content).toBe('one');
      expect(JSON.parse(events[1] ?? '').error).toMatchObject({ code: 'invalid_upstream_response' });
      const [row] = await scene.logs(1);
      expect(row).toMatchObject({ completion_tokens: 1, other: { ending: 'invalid_answer' } });
      await scene.checkBooks();
    },
  );

  test('an answer that is complete stays so, whatever comes behind it', async () => {
    const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    for (const rest of ['<html>late</html>\n\n', 'data: {"choices":[],"usa', 'data: {"choices":[]}\ndata: [DONE]\n\n']) {
      await using upstream = await startRawUpstream((response) => void response.end(word('one') + finish + rest));
      await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
      const events = await readEvents(await scene.chat({ stream: true }));
      expect(events.at(-1)).toBe('[DONE]');
      for (const data of events.slice(0, -1)) expect(JSON.parse(data)).toHaveProperty('choices');
      const [row] = await scene.logs(1);
      expect(row?.other).not.toHaveProperty('ending');
    }
  });

  test.each([
    ['half an event at its end', `${word('one')}data: {"choi`, 'truncated'],
    ['a placeholder for usage', `${event({ choices: [], usage: { prompt_tokens: -1 } })}${word('one')}data: [DONE]\n\n`, undefined],
    ['a byte order mark and a blank event', `\uFEFFdata:\n\n${word('one')}data: [DONE]\n\n`, undefined],
  ])('a stream with %s', async (_, text, ending) => {
    await using upstream = await startRawUpstream((response) => void response.end(text));
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    await readEvents(await scene.chat({ stream: true }));
    const [row] = await scene.logs(1);
    expect([row?.completion_tokens, row?.other?.['completion_source'], row?.other?.['ending']]).toEqual([1, 'counted', ending]);
    await scene.checkBooks();
  });

  test('a stream that still waits for its upstream is told when the server ends', async () => {
    await using scene = await createScene(engine, { env: { STREAM_KEEPALIVE: '1' } });
    scene.upstream.behave({ firstByteDelay: Infinity });
    const answer = await scene.chat({ stream: true });
    scene.app.app.shutDown();
    expect(await answer.text()).toContain('"code":"shutting_down"');
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: 0, other: { ending: 'shutdown' } });
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    await scene.checkBooks();
  });

  test('nothing is sent after `[DONE]`', async () => {
    await using upstream = await startRawUpstream(
      (response) => void response.end(`${word('one')}data: [DONE]\n\n${earlyUsage}${word('two')}`),
    );
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(events.map((data) => (data === '[DONE]' ? data : JSON.parse(data).choices[0].delta.content))).toEqual(['one', '[DONE]']);
    await scene.checkBooks();
  });

  test.each(['text/plain; charset=utf-8', 'none'])('a stream may come as %s when one was asked for', async (type) => {
    await using upstream = await startRawUpstream((response) => void response.end(`${word('one')}data: [DONE]\n\n`), { type });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    expect((await readEvents(await scene.chat({ stream: true }))).at(-1)).toBe('[DONE]');
    expect((await scene.chat()).status).toBe(502);
    await scene.checkBooks();
  });

  test('an error of any type is read as one, also where a stream was asked for', async () => {
    const refusal = JSON.stringify({ error: { message: 'Too many images', type: 'invalid_request_error', code: null } });
    await using upstream = await startRawUpstream((response) => void response.end(refusal), { type: 'text/plain' });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    expect((await (await scene.chat({ stream: true })).json()).error.message).toContain('Too many images');
  });

  test('usage told last is believed although the stream breaks off behind it', async () => {
    await using upstream = await startRawUpstream(async (response) => {
      response.write(
        word('one two three four five six') + event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } }),
      );
      await sleep(50);
      response.destroy();
    });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    await (await scene.chat({ stream: true })).text();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, other: { completion_source: 'upstream' } });
    await scene.checkBooks();
  });
});
