// Code infilling between a prefix and a suffix, as Mistral's packages request it.
import { describe, expect, test, vi } from 'vitest';
import { startPlain } from '#tests/conformance/provider-table/plain-front.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'codestral-latest';
const text = 'return high_water(port)';
/** One token costs 10 to read and 20 to write. */
const settings = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 2 }), RetryTimes: '0' };
const usage = { prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 };
const requested = { model, prompt: 'def tide(port):', suffix: 'print(tide("Brest"))', random_seed: 7, min_tokens: 1 };

describe.each(oneEngine)('filling a middle on $kind', (engine) => {
  const open = () => createScene(engine, { settings, channels: [{ models: model }], front: startPlain(42) });
  const ask = (scene: RelayScene, fields: object = {}) => scene.post('/v1/fim/completions', { ...requested, max_tokens: 50, ...fields });

  test.each([false, true])('goes to Mistral as it is, and is metered and paid for as a chat is (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text, usage });
    const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
    const response = await ask(scene, { stream, stream_options: { include_usage: false } });
    const reported = await response.text();
    expect(response.status, reported).toBe(200);
    const { stream: _stream, messages: _messages, stream_options: _options, ...sent } = Object(scene.upstream.requests[0]?.body);
    expect(sent).toEqual({ ...requested, max_tokens: 50 });
    if (stream) {
      const chunks = [...reported.matchAll(/^data: (\{.*\})$/gm)].map(([, data = '']) => JSON.parse(data));
      expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe(text);
      expect(chunks.at(-1)).toMatchObject({ object: 'chat.completion.chunk', usage });
    } else {
      expect(JSON.parse(reported)).toMatchObject({ object: 'chat.completion', choices: [{ message: { content: text } }], usage });
    }
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: model, prompt_tokens: 12, completion_tokens: 6, quota: 240, is_stream: stream });
    expect(reserve.mock.calls[0]?.[0].amount).toBeGreaterThanOrEqual(20 * 50);
    await scene.checkBooks();
  });

  test('is refused before anything is spent where it asks for nothing, or no channel can', async () => {
    await using scene = await open();
    for (const fields of [{ prompt: undefined }, { prompt: ['a'] }, { suffix: 5 }, { n: 2 }, { max_tokens: 0 }]) {
      const response = await ask(scene, fields);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_request' } }]);
    }
    await using other = await createScene(engine, { settings, channels: [{ models: model }] });
    expect([...scene.upstream.requests, ...other.upstream.requests]).toEqual([]);
    const response = await ask(other);
    expect([response.status, await response.json()]).toMatchObject([501, { error: { code: 'format_unsupported' } }]);
    expect(await other.balance()).toBe(await scene.balance());
  });

  test.each([false, true])('words that the site blocks end it (stream: %s)', async (stream) => {
    const blocking = { ...settings, SensitiveWords: 'contraband', StopOnSensitiveEnabled: 'true' };
    await using scene = await createScene(engine, { settings: blocking, channels: [{ models: model }], front: startPlain(42) });
    scene.upstream.behave({ pieces: ['return contra', 'band', '(port)'] });
    const response = await ask(scene, { stream });
    const reported = await response.text();
    expect(response.status).toBe(stream ? 200 : 400);
    expect(reported).toContain('output_blocked');
    expect(reported).not.toContain('contraband');
    expect(await scene.logs(1)).toMatchObject([{ other: { ending: 'blocked_words' } }]);
    await scene.checkBooks();
  });

  test('a poor account gets as much of it as it pays for', async () => {
    await using scene = await createScene(engine, { settings, channels: [{ models: model }], front: startPlain(42), quota: 14_300 });
    expect((await ask(scene, { max_tokens: undefined })).status).toBe(200);
    const { max_tokens: limit } = Object(scene.upstream.requests[0]?.body);
    expect(limit).toBeGreaterThan(600);
    expect(limit).toBeLessThan(715);
    await scene.checkBooks();
  });
});
