// `completions.create` of OpenAI's package against a running server: before providers that have completions, and over conversations
// before those of every format.
import OpenAI from 'openai';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { allCases, channelOf, model } from './shared-cases.ts';

function openaiOf(scene: RelayScene): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
}

const text = 'High water comes at noon.';
const prompts = ['The tide', 'The moon'];

/** Choices of a stream, put together. */
async function joined(stream: AsyncIterable<OpenAI.Completion>) {
  const chunks = await Array.fromAsync(stream);
  const choices: { text: string; finish: string | null }[] = [];
  for (const { index, text: piece, finish_reason: finish } of chunks.flatMap((chunk) => chunk.choices)) {
    const before = choices[index] ?? { text: '', finish: null };
    choices[index] = { text: before.text + piece, finish: finish ?? before.finish };
  }
  return {
    choices,
    usage: chunks.at(-1)?.usage,
    objects: new Set(chunks.map(({ object }) => object)),
    ids: new Set(chunks.map(({ id }) => id)),
  };
}

describe.each(allCases)('completions by the package of OpenAI on $kind, before $format', ({ engine, type, setting }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' },
      channels: [{ ...channelOf(type), ...(setting === '' ? {} : { setting }) }],
      ...options,
    });

  test('are whole, with echo, and with one bill', async () => {
    await using scene = await open();
    scene.upstream.behave({ text });
    const completion = await openaiOf(scene).completions.create({ model, prompt: 'The tide', max_tokens: 50, echo: true });
    expect(completion).toMatchObject({ object: 'text_completion', model, id: expect.stringMatching(/^cmpl-/) });
    expect(completion.choices).toEqual([{ text: `The tide${text}`, index: 0, logprobs: null, finish_reason: 'stop' }]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: completion.usage?.prompt_tokens, completion_tokens: completion.usage?.completion_tokens });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('answer each of several prompts, whole and as a stream', async () => {
    await using scene = await open();
    scene.upstream.behave({ text });
    const { completions } = openaiOf(scene);
    const requested = { model, prompt: prompts, max_tokens: 50 };
    const whole = await completions.create(requested);
    expect(whole.choices.map(({ index, text: written, finish_reason: finish }) => ({ index, written, finish }))).toEqual(
      prompts.map((_, index) => ({ index, written: text, finish: 'stop' })),
    );
    expect(scene.upstream.requests).toHaveLength(2);
    const streamed = await joined(await completions.create({ ...requested, stream: true, stream_options: { include_usage: true } }));
    expect(streamed.choices).toEqual(prompts.map(() => ({ text, finish: 'stop' })));
    expect(streamed.usage).toMatchObject({ prompt_tokens: whole.usage?.prompt_tokens, completion_tokens: whole.usage?.completion_tokens });
    expect([[...streamed.objects], streamed.ids.size]).toEqual([['text_completion'], 1]);
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.completion_tokens)).toEqual([whole.usage?.completion_tokens, whole.usage?.completion_tokens]);
    expect(rows[0]?.quota).toBe(rows[1]?.quota);
    await scene.checkBooks();
  });

  test('are cut at sixteen tokens where the caller names no limit, or where it says', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'wave '.repeat(60) });
    const completion = await openaiOf(scene).completions.create({ model, prompt: 'The tide' });
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect(completion.usage?.completion_tokens).toBe(16);
    await scene.checkBooks();
  });

  test('number the choices of several prompts on, where the provider has several', async () => {
    await using scene = await open();
    scene.upstream.behave({ text });
    const { completions } = openaiOf(scene);
    const requested = { model, prompt: prompts, n: 2, max_tokens: 50 };
    if (setting !== '' || type === 14) {
      expect(await failureOf(completions.create(requested))).toMatchObject({ status: 400, param: 'n' });
      return;
    }
    const whole = await completions.create(requested);
    expect(whole.choices.map(({ index, text: written }) => [index, written])).toEqual([0, 1, 2, 3].map((index) => [index, text]));
    // The fake upstream streams one candidate in Gemini's format.
    if (type === 24) return;
    const streamed = await joined(await completions.create({ ...requested, stream: true }));
    expect(streamed.choices).toEqual([0, 1, 2, 3].map(() => ({ text, finish: 'stop' })));
    await scene.checkBooks();
  });

  test('name what they leave out', async () => {
    await using scene = await open();
    const response = await scene.post('/v1/completions', { model, prompt: prompts, max_tokens: 50, odd: 1 });
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, 'odd']);
  });

  test('read tokens as their texts', async () => {
    await using scene = await open();
    scene.upstream.behave({ text });
    const prompt = prompts.map((one) => encode(one));
    const completion = await openaiOf(scene).completions.create({ model, prompt, echo: true, max_tokens: 50 });
    expect(completion.choices.map((choice) => choice.text)).toEqual(prompts.map((one) => one + text));
    await openaiOf(scene).completions.create({ model, prompt: prompt[0] ?? [], max_tokens: 50 });
    expect(scene.upstream.requests[2]?.text).toContain('The tide');
  });

  test('are refused by name where a field cannot be carried, and as the package knows it where the provider refuses', async () => {
    await using scene = await open();
    const { completions } = openaiOf(scene);
    const ask = (fields: object) => failureOf(completions.create({ model, prompt: 'The tide', ...fields }));
    for (const field of ['suffix', 'best_of']) {
      const refusal = await ask({ [field]: field === 'suffix' ? 'end' : 3 });
      expect(refusal).toBeInstanceOf(OpenAI.BadRequestError);
      expect(refusal).toMatchObject({ param: field });
    }
    expect(await ask({ max_tokens: 0 })).toMatchObject({ status: 400, param: 'max_tokens' });
    expect(await ask({ n: 2, best_of: 1 })).toMatchObject({ status: 400, param: 'best_of' });
    expect(scene.upstream.requests).toEqual([]);
    scene.upstream.behave({ status: 429 });
    expect(await ask({})).toBeInstanceOf(OpenAI.RateLimitError);
    expect(await failureOf(completions.create({ model, prompt: prompts, stream: true }))).toBeInstanceOf(OpenAI.RateLimitError);
    expect(await scene.balance()).toBe(500_000_000);
    await scene.checkBooks();
  });

  test('of which a later piece fails are not asked for again, and charge what was answered', async () => {
    await using scene = await open();
    scene.upstream.queue({ text }, { status: 500 });
    expect(await failureOf(openaiOf(scene).completions.create({ model, prompt: prompts }))).toBeInstanceOf(OpenAI.InternalServerError);
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    scene.upstream.reset();
    scene.upstream.queue({ text }, { status: 500 });
    const stream = await openaiOf(scene).completions.create({ model, prompt: prompts, stream: true });
    expect(await failureOf(joined(stream))).toBeInstanceOf(OpenAI.APIError);
    const rows = await scene.logs(2);
    expect(rows[1]?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('completions of a provider that has them, on $kind', (engine) => {
  const instruct = 'gpt-3.5-turbo-instruct';
  const open = () => createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: instruct }] });

  test('pass as they are, with a limit where none is named', async () => {
    await using scene = await open();
    scene.upstream.behave({ text });
    const { completions } = openaiOf(scene);
    const prompt = prompts.map((one) => encode(one));
    const whole = await completions.create({ model: instruct, prompt, suffix: 'end', best_of: 2, n: 2 });
    const [request] = scene.upstream.requests;
    expect(request?.path).toBe('/v1/completions');
    expect(request?.body).toEqual({ model: instruct, prompt, suffix: 'end', best_of: 2, n: 2, max_tokens: 16 });
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    const streamed = await joined(await completions.create({ model: instruct, prompt: prompts, stream: true }));
    expect(streamed.choices).toEqual(prompts.map(() => ({ text, finish: 'stop' })));
    // The caller did not request usage.
    expect(streamed.usage ?? null).toBeNull();
    const [first, second] = await scene.logs(2);
    expect(first).toMatchObject({ prompt_tokens: whole.usage?.prompt_tokens, completion_tokens: whole.usage?.completion_tokens });
    expect(second?.completion_tokens).toBe(2 * text.split(' ').length);
    await scene.checkBooks();
  });

  test.each(['', null])('go on from nothing, which is the beginning of a document: %j', async (prompt) => {
    await using scene = await open();
    scene.upstream.behave({ text });
    const { choices } = await openaiOf(scene).completions.create({ model: instruct, prompt, max_tokens: 20 });
    expect(choices).toMatchObject([{ text }]);
    expect(scene.upstream.requests[0]?.body).toEqual({ model: instruct, prompt, max_tokens: 20 });
    await scene.checkBooks();
  });

  test.each([
    { fields: { n: 2 }, written: 4 },
    { fields: { n: 2, best_of: 5 }, written: 10 },
  ])('reserve for every completion that is written, and send what the account pays for: $fields', async ({ fields, written }) => {
    const priced = 'sea-1';
    const tokens = prompts.reduce((sum, prompt) => sum + encode(prompt).length, 0);
    await using scene = await createScene(engine, {
      settings: { ModelRatio: JSON.stringify({ [priced]: 10 }), CompletionRatio: JSON.stringify({ [priced]: 1 }), PreConsumedQuota: '1' },
      channels: [{ models: priced }],
      quota: 10 * (tokens + written * 100),
    });
    scene.upstream.behave({ text });
    await openaiOf(scene).completions.create({ model: priced, prompt: prompts, max_tokens: 100_000, ...fields });
    expect(scene.upstream.requests[0]).toMatchObject({ path: '/v1/completions', body: { max_tokens: 100 } });
    await scene.checkBooks();
  });
});
