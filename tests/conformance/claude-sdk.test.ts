// The official client of Claude Messages against a running server, before an upstream of the same format and one of OpenAI's.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { signatureOf } from '#tests/support/claude-responses.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { cases, channelOf, describeSharedCases, model, question as messages } from './shared-cases.ts';

const max_tokens = 2048;
const tools = [
  {
    name: 'get_tide',
    description: 'Time of high water',
    input_schema: { type: 'object' as const, properties: { port: { type: 'string' } } },
  },
];

function clientOf(scene: RelayScene, options: { apiKey?: string; maxRetries?: number; headers?: Record<string, string> } = {}): Anthropic {
  const { apiKey = scene.key, maxRetries = 0, headers = {} } = options;
  return new Anthropic({ baseURL: scene.app.origin, apiKey, maxRetries, defaultHeaders: headers });
}

describeSharedCases({
  name: 'Anthropic',
  errors: Anthropic,
  badLimit: { error: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('max_tokens') } } },
  clientOf(scene, options) {
    const client = clientOf(scene, options);
    const textOf = ({ content }: Anthropic.Message) => content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return {
      async ask(fields) {
        const message = await client.messages.create({ model, max_tokens, messages, ...fields });
        return { text: textOf(message), isCut: message.stop_reason === 'max_tokens' };
      },
      stream: async () => textOf(await client.messages.stream({ model, max_tokens, messages }).finalMessage()),
      async abortAfter(characters) {
        const stream = client.messages.stream({ model, max_tokens, messages });
        let received = '';
        stream.on('text', (text) => {
          received += text;
          if (received.length >= characters) stream.abort();
        });
        expect(await failureOf(stream.done())).toBeInstanceOf(Anthropic.APIUserAbortError);
      },
      async callTools(stream) {
        const ask = (turns: Anthropic.MessageParam[]) => {
          const body = { model, max_tokens, messages: turns, tools, tool_choice: { type: 'auto' as const } };
          return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
        };
        const first = await ask(messages);
        expect(first.stop_reason).toBe('tool_use');
        const calls = first.content.filter((block) => block.type === 'tool_use');
        const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'noon' }));
        const second = await ask([...messages, { role: 'assistant', content: first.content }, { role: 'user', content: results }]);
        expect(second.stop_reason).toBe('end_turn');
        return { calledWith: calls.map(({ input }) => input), text: textOf(second) };
      },
    };
  },
});

describe.each(cases)('the package of Anthropic on $kind, before $format', ({ engine, type, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [channelOf(type)], ...options });

  test('gets a whole message, with its usage as the log has it', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'High water is at noon.' });
    const message = await clientOf(scene).messages.create({
      model,
      max_tokens,
      messages,
      system: 'Be brief.',
      stop_sequences: ['END'],
    });
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'High water is at noon.' }],
    });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: message.usage.input_tokens, completion_tokens: message.usage.output_tokens });
    const sent = scene.upstream.requests[0]?.body;
    const wanted: Record<string, object> = {
      OpenAI: { stop: 'END' },
      Claude: { system: 'Be brief.', stop_sequences: ['END'] },
      Gemini: { systemInstruction: { parts: [{ text: 'Be brief.' }] }, generationConfig: { stopSequences: ['END'] } },
    };
    expect(sent).toMatchObject(wanted[format] ?? {});
    await scene.checkBooks();
  });

  test('reads a stream to its end, cut anywhere', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Springs come at new and full moon. 大潮 🌊', bytesPerWrite: 13 });
    const message = await clientOf(scene).messages.stream({ model, max_tokens, messages }).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Springs come at new and full moon. 大潮 🌊' }]);
    expect(message.stop_reason).toBe('end_turn');
    const [row] = await scene.logs(1);
    expect(row?.completion_tokens).toBe(message.usage.output_tokens);
    expect(row?.other).not.toHaveProperty('ending');
    await scene.checkBooks();
  });

  test('sends images, and thoughts come first', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'A wave.', reasoning: 'It looks wet.' });
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
    const message = await clientOf(scene).messages.create({
      model,
      max_tokens,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'text', text: 'What is this?' },
          ],
        },
      ],
    });
    expect(message.content.map((block) => block.type)).toEqual(['thinking', 'text']);
    expect(message.content[0]).toMatchObject({
      thinking: 'It looks wet.',
      signature: format === 'Claude' ? signatureOf('It looks wet.') : '',
    });
    expect(JSON.stringify(scene.upstream.requests[0]?.body)).toContain(data);
    await scene.logs(1);
  });
});

describe.each(oneEngine)('between formats on $kind', (engine) => {
  test('models are listed page by page in both directions, and read one by one', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `tide/model-${String(index).padStart(2, '0')}`);
    await using scene = await createScene(engine, { channels: [{ models: names.join(',') }] });
    const client = clientOf(scene);
    const ids = async (params: Anthropic.ModelListParams) => (await Array.fromAsync(client.models.list(params))).map(({ id }) => id);
    expect(await ids({})).toEqual(names);
    expect(await ids({ limit: 5 })).toEqual(names);
    expect(await ids({ limit: 1000 })).toEqual(names);
    const [last, ...before] = names.toReversed();
    const backward: string[] = [];
    const first = await client.models.list({ limit: 4, before_id: last ?? '' });
    for await (const page of first.iterPages()) backward.push(...page.data.map(({ id }) => id).toReversed());
    expect(backward).toEqual(before);
    expect(await client.models.retrieve('tide/model-07')).toMatchObject({
      type: 'model',
      id: 'tide/model-07',
      display_name: 'tide/model-07',
    });
    expect(await failureOf(client.models.retrieve('none'))).toBeInstanceOf(Anthropic.NotFoundError);
    expect(await failureOf(client.models.list({ limit: 0 }))).toBeInstanceOf(Anthropic.BadRequestError);
    expect(await failureOf(clientOf(scene, { apiKey: 'sk-nobody' }).models.list())).toBeInstanceOf(Anthropic.AuthenticationError);
  });

  test('headers of the client reach a provider of the same format, and unknown fields survive', async () => {
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 14, models: model }] });
    const client = clientOf(scene, { headers: { 'anthropic-beta': 'some-beta-2026-01-01' } });
    await client.messages.create({ model, max_tokens, messages, service_tier: 'auto' });
    expect(scene.upstream.requests[0]?.headers).toMatchObject({
      'anthropic-beta': 'some-beta-2026-01-01',
      'anthropic-version': expect.stringMatching(/^20\d\d-/),
    });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ service_tier: 'auto' });
    expect(scene.upstream.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('a text that is passed on as it is stays as it is', async () => {
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', 'global.pass_through_request_enabled': 'true' },
      channels: [{ type: 14, models: model, model_mapping: JSON.stringify({ [model]: 'other' }), param_override: '{"top_k":3}' }],
    });
    const body = { max_tokens, model, messages, top_k: 7 };
    expect((await scene.post('/v1/messages', body)).status).toBe(200);
    expect(scene.upstream.requests[0]?.text).toBe(JSON.stringify(body));
    await scene.logs(1);
    await scene.checkBooks();
  });

  test('what is left out is named, what cannot be left out is refused before anything is sent or charged', async () => {
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 14, models: model }] });
    const named = await scene.chat({ model, seed: 7, logit_bias: { 1: 1 } });
    expect(named.headers.get('x-tidegate-dropped')).toBe('seed, logit_bias');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ dropped_fields: ['seed', 'logit_bias'] });
    const before = await scene.balance();
    const refused = await scene.chat({ model, n: 2 });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: 'untranslatable', param: 'n', type: 'invalid_request_error' } });
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('an upstream that tells no usage is counted', async () => {
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: model }] });
    scene.upstream.behave({ text: 'High water is at noon today.', usage: 'none' });
    const message = await clientOf(scene).messages.stream({ model, max_tokens, messages }).finalMessage();
    const [row] = await scene.logs(1);
    expect(row?.completion_tokens).toBeGreaterThan(4);
    expect(message.usage.output_tokens).toBe(row?.completion_tokens);
    await scene.checkBooks();
  });

  test('tokens of a prompt are counted by a provider that can, else here, and cost nothing', async () => {
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true' },
      channels: [{ type: 14, models: model, param_override: '{"temperature":0.5}' }, { models: 'tide' }],
    });
    const client = clientOf(scene);
    const before = await scene.balance();
    expect(await client.messages.countTokens({ model, messages })).toEqual({ input_tokens: 4242 });
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('temperature');
    const { input_tokens: counted } = await client.messages.countTokens({ model: 'tide', messages, tools });
    expect(counted).toBeGreaterThan(10);
    scene.upstream.queue({ status: 500 });
    const { input_tokens: fallback } = await client.messages.countTokens({ model, messages });
    expect(fallback).toBeGreaterThan(5);
    expect(fallback).not.toBe(4242);
    expect(await failureOf(client.messages.countTokens({ model, messages: [] }))).toBeInstanceOf(Anthropic.BadRequestError);
    expect(await scene.balance()).toBe(before);
    const { id } = scene.user;
    await scene.app.context.ledger.setBalance({ account: 'user', id, balance: 0, ref: 'empty', kind: 'test', actorId: 0 });
    const requested = scene.upstream.requests.length;
    expect(await failureOf(client.messages.countTokens({ model, messages }))).toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect(scene.upstream.requests).toHaveLength(requested);
    await scene.checkBooks();
  });
});
