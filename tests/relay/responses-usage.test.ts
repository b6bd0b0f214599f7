// Charges if a provider of Responses reports its usage, in part, or impossible numbers; and the permitted parameters of its callers.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'gpt-4o-mini';
const question = 'When is high water in Brest, and when in Dover? Say it in one sentence.';
const setting = '{"formats":["openai-responses"]}';
const bodies: Readonly<Record<string, object>> = {
  '/v1/responses': { model, input: question, max_output_tokens: 200 },
  '/v1/chat/completions': { model, messages: [{ role: 'user', content: question }], max_tokens: 200 },
  '/v1/messages': { model, messages: [{ role: 'user', content: question }], max_tokens: 200 },
};
const cases = oneEngine.flatMap((engine) => Object.keys(bodies).map((path) => ({ engine, kind: engine.kind, path })));

describe.each(cases)('usage of a Responses channel on $kind, asked at $path', ({ engine, path }) => {
  const open = (options: SceneOptions = {}) => createScene(engine, { channels: [{ models: model, setting }], ...options });
  const ask = async (scene: RelayScene, stream: boolean) => {
    const response = await scene.post(path, { ...bodies[path], stream });
    return { status: response.status, text: await response.text() };
  };
  const whole = {
    input_tokens: 60,
    input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 67,
  };

  test.each([true, false])('every class is priced once, and told again (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon and one.', usage: whole });
    const { text } = await ask(scene, stream);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 60, completion_tokens: 7, other: { cache_tokens: 30 } });
    expect(row?.other).toMatchObject({ prompt_source: 'upstream', completion_source: 'upstream' });
    if (path === '/v1/responses') expect(text).toContain(JSON.stringify(whole).slice(1, -1));
    await scene.checkBooks();
  });

  test.each([true, false])('numbers that are told as texts are numbers (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon and one.', usage: { input_tokens: '60', output_tokens: '7', total_tokens: '67' } });
    expect((await ask(scene, stream)).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      prompt_tokens: 60,
      completion_tokens: 7,
      other: { prompt_source: 'upstream', completion_source: 'upstream' },
    });
    await scene.checkBooks();
  });

  test.each([
    { stream: true, usage: { output_tokens: 7 } },
    { stream: false, usage: { output_tokens: 7 } },
    { stream: true, usage: { input_tokens: 0, output_tokens: 7 } },
  ])('a prompt that was not told is counted, and the output is as told: %j', async ({ stream, usage }) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon and one.', usage });
    expect((await ask(scene, stream)).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(15);
    expect(row?.completion_tokens).toBe(7);
    await scene.checkBooks();
  });

  test.each([true, false])('what was not told at all is counted (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest and one in Dover.', usage: 'none' });
    const { text } = await ask(scene, stream);
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(15);
    expect(row?.completion_tokens).toBeGreaterThan(5);
    if (stream && path === '/v1/responses') expect(text).toContain(`"output_tokens":${row?.completion_tokens}`);
    await scene.checkBooks();
  });

  test.each([
    { input_tokens: -1, output_tokens: 7 },
    { input_tokens: 5, output_tokens: 1.5 },
    { input_tokens: 2e9, output_tokens: 7 },
  ])('a stream whose usage cannot be true is counted and ends with an error: %j', async (usage) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest and one in Dover.', usage });
    const { text } = await ask(scene, true);
    expect(text).toMatch(/"type":"error"|"error":\{/);
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(15);
    expect(row?.prompt_tokens).toBeLessThan(60);
    expect(row?.completion_tokens).toBeLessThan(20);
    expect(row?.other).toMatchObject({ ending: 'invalid_usage' });
    await scene.checkBooks();
  });

  test('an account that pays for little bounds the response, and is never in debt', async () => {
    await using scene = await open({ quota: 300 });
    scene.upstream.behave({ repeat: { text: 'wave ', times: 600 } });
    const limit = path === '/v1/responses' ? { max_output_tokens: 5000 } : { max_tokens: 5000 };
    const response = await scene.post(path, { ...bodies[path], ...limit });
    expect(response.status).toBe(200);
    await response.text();
    const sent: unknown = scene.upstream.requests[0]?.body;
    // 0.3 for each token.
    expect(sent).toMatchObject({ max_output_tokens: expect.toSatisfy((tokens: number) => tokens > 500 && tokens < 1000) });
    expect(await scene.balance()).toBeGreaterThanOrEqual(0);
    await scene.logs(1);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('what costs more, and what is spelled otherwise, at /v1/responses on $kind', (engine) => {
  test.each([
    ['"input":"Hi","MAX_OUTPUT_TOKENS":16000', 'MAX_OUTPUT_TOKENS'],
    ['"input":[{"role":"user","content":"short","Content":"long"}]', 'Content'],
    ['"input":[{"role":"user","content":[{"type":"input_text","text":"short","Text":"long"}]}]', 'Text'],
    ['"input":"Hi","Input":"long"', 'Input'],
    ['"input":"Hi","Instructions":"long"', 'Instructions'],
    ['"input":"Hi","Reasoning":{"effort":"high"}', 'Reasoning'],
    ['"input":"Hi","Previous_Response_Id":"resp_1"', 'Previous_Response_Id'],
    ['"input":"Hi","tools":[{"type":"function","name":"f","Description":"long"}]', 'Description'],
  ])('{%s}', async (fields, name) => {
    await using scene = await createScene(engine, { channels: [{ models: model, setting }] });
    const response = await scene.post('/v1/responses', `{"model":"${model}",${fields}}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: name } });
    expect(scene.upstream.requests).toHaveLength(0);
  });

  test('a dearer tier is left out and named', async () => {
    await using scene = await createScene(engine, { channels: [{ models: model, setting }] });
    const response = await scene.post('/v1/responses', { model, input: 'Hi', service_tier: 'priority' });
    expect(response.headers.get('x-tidegate-dropped')).toBe('service_tier');
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('service_tier');
  });

  test('nothing is kept at the provider, and thoughts of models that think come encrypted', async () => {
    await using scene = await createScene(engine, { channels: [{ models: 'gpt-5.5', setting }] });
    await scene.post('/v1/responses', { model: 'gpt-5.5', input: 'Hi', store: true, unknown_field: undefined });
    await scene.post('/v1/responses', { model: 'gpt-5.5', input: 'Hi', store: false });
    const [stored, plain] = scene.upstream.requests.map(({ body }) => body);
    expect(stored).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(plain).toEqual({ model: 'gpt-5.5', input: 'Hi', store: false });
  });
});
