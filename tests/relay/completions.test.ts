// Completions over conversations where something goes wrong midway: what comes in any pieces, breaks off, or is not waited for.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, until } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
const text = 'High water 大潮 🌊 comes at noon.';
const upstreams = [
  { format: 'OpenAI', type: 1, mapping: '' },
  { format: 'Claude', type: 14, mapping: '' },
  { format: 'Gemini', type: 24, mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) },
];
const cases = oneEngine.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

async function textsOf(response: Response): Promise<string[]> {
  const texts: string[] = [];
  for (const [, data = ''] of (await response.text()).matchAll(/^data: (\{.*\})$/gm)) {
    const { choices = [] } = JSON.parse(data);
    for (const { index, text: piece } of choices) texts[index] = (texts[index] ?? '') + piece;
  }
  return texts;
}

describe.each(cases)('completions on $kind, before $format', ({ engine, type, mapping }) => {
  const open = (settings: Record<string, string> = {}) =>
    createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '1', ...settings },
      channels: [{ type, models: model, model_mapping: mapping }],
    });
  const stream = (scene: RelayScene, prompt: readonly string[], fields: object = {}) =>
    scene.post('/v1/completions', { model, prompt, stream: true, max_tokens: 50, ...fields });

  test('streams are the same however their bytes come, and behind each other', async () => {
    await using scene = await open();
    scene.upstream.behave({ text, bytesPerWrite: 7 });
    expect(await textsOf(await stream(scene, ['a', 'b', 'c'], { echo: true }))).toEqual([`a${text}`, `b${text}`, `c${text}`]);
    expect(scene.upstream.requests).toHaveLength(3);
    const [row] = await scene.logs(1);
    expect(row?.is_stream).toBe(true);
    // One that was read to its end has no other.
    expect(row?.other).not.toHaveProperty('ending');
    await scene.checkBooks();
  });

  test.each([{ prompt: '' }, { prompt: null }, { prompt: ['', 'a'] }])(
    'an empty prompt is the beginning of a document: %j',
    async ({ prompt }) => {
      await using scene = await open();
      scene.upstream.behave({ text });
      const many = Array.isArray(prompt);
      const whole = await scene.post('/v1/completions', { model, prompt, echo: true, max_tokens: 50 });
      expect([whole.status, await whole.json()]).toMatchObject([200, { choices: many ? [{ text }, { text: `a${text}` }] : [{ text }] }]);
      expect(await textsOf(await scene.post('/v1/completions', { model, prompt, stream: true, max_tokens: 50 }))).toEqual(
        many ? [text, text] : [text],
      );
      // Empty texts are dropped, so no provider refuses them.
      for (const { text: sent } of scene.upstream.requests) expect(sent).not.toMatch(/"(?:text|content|prompt)":(?:""|\[\]|null)/);
      expect(await scene.logs(2)).toHaveLength(2);
      await scene.checkBooks();
    },
  );

  test('a whole response where a stream was asked for is told as one', async () => {
    await using scene = await open();
    scene.upstream.behave({ text, garbage: 'json to a stream' });
    expect(await textsOf(await stream(scene, ['a', 'b']))).toEqual([text, text]);
    await scene.checkBooks();
  });

  test('a first piece that fails goes to another channel', async () => {
    await using scene = await open();
    await scene.addChannel({ type, models: model, model_mapping: mapping });
    for (const isStream of [false, true]) {
      scene.upstream.queue({ status: 503 });
      scene.upstream.behave({ text });
      const response = await scene.post('/v1/completions', { model, prompt: ['a', 'b'], stream: isStream, max_tokens: 50 });
      expect(response.status).toBe(200);
      await response.text();
    }
    const rows = await scene.logs(2);
    for (const row of rows) expect(row.other).toMatchObject({ attempts: [{ status: 503 }, { status: 200 }] });
    await scene.checkBooks();
  });

  test('of pieces that are asked for at once one fails: the others end and are paid for, and no more are asked for', async () => {
    await using scene = await open();
    const slow = { text, firstByteDelay: 300 };
    scene.upstream.queue({ text }, { status: 500 }, slow, slow, slow);
    const prompt = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const response = await scene.post('/v1/completions', { model, prompt, max_tokens: 50 });
    expect(response.status).toBeGreaterThanOrEqual(500);
    const outcomes = await Promise.all(scene.upstream.requests.map(({ closed }) => closed));
    expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'complete'));
    const [failed] = await scene.logs(1);
    scene.upstream.behave({ text });
    await scene.post('/v1/completions', { model, prompt: prompt.slice(0, 4), max_tokens: 50 });
    const [, four] = await scene.logs(2);
    expect(failed?.completion_tokens).toBe(four?.completion_tokens);
    expect(failed?.quota).toBe(four?.quota);
    await scene.checkBooks();
  });

  test('a second piece that breaks off ends the stream with an error, and what came is paid for', async () => {
    await using scene = await open();
    scene.upstream.queue({ text }, { text, cutAfter: 2 });
    const response = await stream(scene, ['a', 'b', 'c']);
    expect(await response.text()).toContain('"error"');
    expect(scene.upstream.requests).toHaveLength(2);
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    expect(row?.other?.ending).toBeDefined();
    await scene.checkBooks();
  });

  test('who hangs up in the second piece stops it, is charged for what came, and no third one is asked for', async () => {
    await using scene = await open();
    scene.upstream.queue({ text }, { text, holdAfter: 2 });
    const hangUp = new AbortController();
    const response = await fetch(`${scene.app.origin}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
      body: JSON.stringify({ model, prompt: ['a', 'b', 'c'], stream: true, max_tokens: 50 }),
      signal: hangUp.signal,
    });
    const reading = response.text().catch(() => '');
    const second = await scene.upstream.request(1);
    await until(() => (second.eventsSent > 2 ? true : null));
    hangUp.abort();
    await reading;
    expect(await second.closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    expect(scene.upstream.requests).toHaveLength(2);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('pieces that fail and are billed all the same, on $kind', (engine) => {
  const open = () =>
    createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' },
      channels: [{ type: 24, models: model, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) }],
    });
  const usage = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
  const blocked = { blockReason: 'SAFETY' };

  test.each([
    ['the first', 0],
    ['a later one', 1],
  ])('%s of a whole response and of a stream', async (_which, answered) => {
    await using scene = await open();
    for (const isStream of [false, true]) {
      scene.upstream.queue(...Array.from({ length: answered }, () => ({ text, usage })), blocked);
      const response = await scene.post('/v1/completions', { model, prompt: ['a', 'b'], stream: isStream, max_tokens: 50 });
      expect(await response.text()).toContain('"error"');
    }
    const rows = await scene.logs(2);
    // As the provider counts the prompt that it stopped.
    const stopped = 13;
    for (const row of rows) {
      expect([row.prompt_tokens, row.completion_tokens]).toEqual([11 * answered + stopped, 7 * answered]);
      expect(row.quota).toBeGreaterThan(0);
    }
    expect(scene.upstream.requests).toHaveLength(2 * (answered + 1));
    await scene.checkBooks();
  });
});
