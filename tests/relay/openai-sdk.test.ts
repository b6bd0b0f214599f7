// The official client against a running server: what people will have on the other side.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { embeddingOf } from '#tests/support/fake-upstream.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const messages = [{ role: 'user' as const, content: 'When is high water in Brest?' }];
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_tide',
      description: 'Time of high water',
      parameters: { type: 'object', properties: { port: { type: 'string' } } },
    },
  },
];

function clientOf(scene: RelayScene, options: { apiKey?: string; maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0, ...options });
}

/** What a promise was refused with. */
describe.each(oneEngine)('the openai package on $kind', (engine) => {
  test('lists models and reads one', async () => {
    await using scene = await createScene(engine, { channels: [{ models: 'tide-large,ebb-small' }] });
    const client = clientOf(scene);
    const models = await Array.fromAsync(client.models.list());
    expect(models.map((model) => model.id)).toEqual(['ebb-small', 'tide-large']);
    expect(await client.models.retrieve('tide-large')).toMatchObject({ id: 'tide-large', object: 'model' });
    expect(await failureOf(client.models.retrieve('none'))).toBeInstanceOf(OpenAI.NotFoundError);
  });

  test('gets a whole answer, and its request id, under which the log has it', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'High water is at noon.' });
    const {
      data,
      response,
      request_id: requestId,
    } = await clientOf(scene)
      .chat.completions.create({ model: testModel, messages, temperature: 0.2, seed: 7, metadata: { a: 'b' } })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: 'High water is at noon.' } });
    expect(requestId).toBe(response.headers.get('x-oneapi-request-id'));
    expect(data).toMatchObject({ _request_id: requestId });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      request_id: requestId,
      prompt_tokens: data.usage?.prompt_tokens,
      completion_tokens: data.usage?.completion_tokens,
    });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ temperature: 0.2, seed: 7, metadata: { a: 'b' } });
    // The client's headers describe its machine: they are not for the upstream.
    expect(Object.keys(scene.upstream.requests[0]?.headers ?? {}).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
    await scene.checkBooks();
  });

  test('reads a stream to its end, with usage when it asked for it', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'Springs come at new and full moon. 大潮 🌊', bytesPerWrite: 11 });
    const request = { model: testModel, messages, stream: true as const };
    const plain = await Array.fromAsync(await clientOf(scene).chat.completions.create(request));
    const requested = await Array.fromAsync(
      await clientOf(scene).chat.completions.create({ ...request, stream_options: { include_usage: true } }),
    );
    for (const chunks of [plain, requested]) {
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
      expect(text).toBe('Springs come at new and full moon. 大潮 🌊');
      expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === 'stop')).toHaveLength(1);
      expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    }
    expect(plain.some((chunk) => chunk.usage != null)).toBe(false);
    const rows = await scene.logs(2);
    expect(requested.at(-1)?.usage).toMatchObject({ prompt_tokens: rows[1]?.prompt_tokens, completion_tokens: rows[1]?.completion_tokens });
    await scene.checkBooks();
  });

  test('keeps parallel streams apart', async () => {
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' } });
    const client = clientOf(scene);
    const texts = Array.from({ length: 20 }, (_, index) => `stream ${index} `.repeat(30).trim());
    // Each has a channel and an answer of its own.
    for (const [index, text] of texts.entries()) {
      await scene.addChannel({ models: `m${index}` });
      scene.upstream.behave({ text, chunkDelay: 1 }, { model: `m${index}` });
    }
    const got = await Promise.all(texts.map((_, index) => client.chat.completions.stream({ model: `m${index}`, messages }).finalContent()));
    expect(got).toEqual(texts);
    await scene.logs(20);
    await scene.checkBooks();
  });

  test.each([false, true])('makes a round trip through tools, two calls at once (stream: %s)', async (stream) => {
    await using scene = await createScene(engine);
    scene.upstream.behave({
      toolCalls: [
        { name: 'get_tide', arguments: '{"port":"Brest"}' },
        { name: 'get_tide', arguments: '{"port":"Dover"}' },
      ],
      text: 'Noon in Brest, one in Dover.',
    });
    const ports: string[] = [];
    const getTide = ({ port }: { port: string }) => {
      ports.push(port);
      return `high water in ${port}: ${11 + ports.length}:00`;
    };
    const tool = {
      ...tools[0],
      type: 'function' as const,
      function: { ...tools[0]?.function, name: 'get_tide', description: 'Tide', parameters: {}, parse: parsePort, function: getTide },
    };
    const client = clientOf(scene);
    const body = { model: testModel, messages, tools: [tool] };
    const runner = stream ? client.chat.completions.runTools({ ...body, stream: true }) : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toBe('Noon in Brest, one in Dover.');
    expect(ports).toEqual(['Brest', 'Dover']);
    const sent = scene.upstream.requests[1]?.body;
    const [, assistant, ...results] =
      sent !== null && typeof sent === 'object' && 'messages' in sent && Array.isArray(sent.messages) ? sent.messages : [];
    expect(assistant.tool_calls.map((call: { id: string }) => call.id)).toEqual(
      results.map((result: { tool_call_id: string }) => result.tool_call_id),
    );
    expect(results.map((result: { content: string }) => result.content)).toEqual([
      'high water in Brest: 12:00',
      'high water in Dover: 13:00',
    ]);
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('gets structured output and reasoning as the upstream gives them', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: '{"hour":12}', reasoning: 'The moon is full.' });
    const format = {
      type: 'json_schema' as const,
      json_schema: { name: 'tide', strict: true, schema: { type: 'object', properties: { hour: { type: 'number' } } } },
    };
    const answer = await clientOf(scene).chat.completions.create({
      model: testModel,
      messages,
      response_format: format,
      reasoning_effort: 'low',
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({ hour: 12 });
    expect(answer.choices[0]?.message).toMatchObject({ reasoning_content: 'The moon is full.' });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ response_format: format, reasoning_effort: 'low' });
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(4);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ reasoning_tokens: 4, reasoning_effort: 'low' });
  });

  test.each([{}, { ignores: ['encoding_format'] as const }, { ignores: ['encoding_format', 'dimensions'] as const }])(
    'decodes embeddings, which it asks for in base64 (upstream: %j)',
    async (behaviour) => {
      await using scene = await createScene(engine, { channels: [{ models: 'text-embedding-3-small' }] });
      scene.upstream.behave(behaviour);
      const client = clientOf(scene);
      const model = 'text-embedding-3-small';
      const input = ['flood', 'ebb'];
      const packed = await client.embeddings.create({ model, input });
      expect(scene.upstream.requests[0]?.body).toMatchObject({ encoding_format: 'base64' });
      expect(packed.data.map((item) => item.embedding)).toEqual(input.map((text) => embeddingOf(text, 1536)));
      const small = await client.embeddings.create({ model, input: 'flood', dimensions: 8 });
      // Cut and scaled by the gateway where the upstream does not do it, which costs the last digit.
      const rounded = (vector: readonly number[] | undefined) => vector?.map((part) => part.toFixed(6));
      expect(rounded(small.data[0]?.embedding)).toEqual(rounded(embeddingOf('flood', 8)));
      const floats = await client.embeddings.create({ model, input: 'flood', dimensions: 8, encoding_format: 'float' });
      expect(rounded(floats.data[0]?.embedding)).toEqual(rounded(embeddingOf('flood', 8)));
      const rows = await scene.logs(3);
      expect(rows[0]).toMatchObject({
        model_name: model,
        prompt_tokens: packed.usage.prompt_tokens,
        completion_tokens: 0,
        is_stream: false,
      });
      await scene.checkBooks();
    },
  );

  test('aborts the upstream when it aborts in the middle of a stream, and pays for what came', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ repeat: { text: 'wave ', times: 1000 }, holdAfter: 12 });
    const stream = await clientOf(scene).chat.completions.create({ model: testModel, messages, stream: true });
    let received = '';
    for await (const chunk of stream) {
      received += chunk.choices[0]?.delta.content ?? '';
      if (received.length >= 'wave '.length * 12) stream.controller.abort();
    }
    const request = await scene.upstream.request(0);
    expect(await request.closed).toBe('aborted');
    expect(request.eventsSent).toBe(13);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    expect(row?.completion_tokens).toBeGreaterThan(10);
    expect(row?.completion_tokens).toBeLessThan(20);
    await scene.checkBooks();
  });

  test('aborts the upstream when it gives up waiting for a whole answer and the channel says so, and pays for what was asked', async () => {
    await using scene = await createScene(engine, { channels: [{ setting: '{"on_client_gone":"abort"}' }] });
    scene.upstream.behave({ firstByteDelay: Number.POSITIVE_INFINITY });
    const before = await scene.balance();
    const controller = new AbortController();
    const requested = failureOf(clientOf(scene).chat.completions.create({ model: testModel, messages }, { signal: controller.signal }));
    const request = await scene.upstream.request(0);
    controller.abort();
    expect(await requested).toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(await request.closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(5);
    expect(await scene.balance()).toBe(before - (row?.quota ?? 0));
    await scene.checkBooks();
  });

  describe('throws the class that fits', () => {
    const ask = (client: OpenAI, fields: { model?: string; max_tokens?: number } = {}) =>
      failureOf(client.chat.completions.create({ model: testModel, messages, ...fields }));

    test('AuthenticationError for a wrong key', async () => {
      await using scene = await createScene(engine);
      const failure = await ask(clientOf(scene, { apiKey: 'sk-wrong' }));
      expect(failure).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(failure).toMatchObject({ status: 401, code: 'key_invalid', error: { message: expect.stringContaining('Invalid token') } });
    });

    test('PermissionDeniedError for a model that the key may not use, and for an empty account', async () => {
      await using scene = await createScene(engine, { quota: 0 });
      const { key } = await scene.addToken({ model_limits_enabled: true, model_limits: 'other' });
      const denied = await ask(clientOf(scene, { apiKey: key }));
      expect(denied).toBeInstanceOf(OpenAI.PermissionDeniedError);
      expect(denied).toMatchObject({ status: 403, code: 'model_denied' });
      const poor = await ask(clientOf(scene));
      expect(poor).toBeInstanceOf(OpenAI.PermissionDeniedError);
      expect(poor).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
      expect(scene.upstream.requests).toHaveLength(0);
    });

    test('NotFoundError for an unknown model', async () => {
      await using scene = await createScene(engine);
      const failure = await ask(clientOf(scene), { model: 'gpt-none' });
      expect(failure).toBeInstanceOf(OpenAI.NotFoundError);
      expect(failure).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    });

    test('BadRequestError for bad input, ours and the upstream’s', async () => {
      await using scene = await createScene(engine);
      const own = await ask(clientOf(scene), { max_tokens: -1 });
      expect(own).toBeInstanceOf(OpenAI.BadRequestError);
      expect(own).toMatchObject({ status: 400, type: 'invalid_request_error' });
      scene.upstream.behave({
        replay: 'openai/error-400-context.json',
        status: 400,
        error: { message: 'too long', type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
      });
      const theirs = await ask(clientOf(scene));
      expect(theirs).toBeInstanceOf(OpenAI.BadRequestError);
      expect(theirs).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'messages' });
    });

    test('RateLimitError once its retries are used up, each of which the upstream has seen', async () => {
      await using scene = await createScene(engine);
      scene.upstream.behave({ status: 429, retryAfter: 1 });
      const failure = await ask(clientOf(scene, { maxRetries: 1 }));
      expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
      expect(failure).toMatchObject({ status: 429 });
      expect(scene.upstream.requests.length).toBeGreaterThanOrEqual(2);
      expect(await scene.balance()).toBe(500_000_000);
    });

    test('InternalServerError for an upstream that fails, after which a retry succeeds', async () => {
      await using scene = await createScene(engine);
      scene.upstream.queue({ status: 500 }, { status: 500 });
      const failure = await ask(clientOf(scene));
      expect(failure).toBeInstanceOf(OpenAI.InternalServerError);
      expect(failure).toMatchObject({ status: 500, requestID: expect.stringMatching(/^\d{14}/), headers: expect.anything() });
      const answer = await clientOf(scene, { maxRetries: 2 }).chat.completions.create({ model: testModel, messages });
      expect(answer.choices).toHaveLength(1);
    });

    test('InternalServerError for a model that no enabled channel serves just now', async () => {
      await using scene = await createScene(engine, { channels: [{ status: 2 }] });
      const failure = await ask(clientOf(scene));
      expect(failure).toBeInstanceOf(OpenAI.InternalServerError);
      expect(failure).toMatchObject({ status: 503, code: 'no_channel' });
    });

    test.each([
      [{ cutAfter: 3, chunkDelay: 5 }, 'upstream_truncated'],
      [{ endAfter: 3 }, 'upstream_truncated'],
    ])('APIError inside a stream that the upstream breaks off: %j', async (behaviour, code) => {
      await using scene = await createScene(engine);
      scene.upstream.behave({ text: 'one two three four five six', ...behaviour });
      const stream = await clientOf(scene).chat.completions.create({ model: testModel, messages, stream: true });
      const pieces: string[] = [];
      const failure = await failureOf(
        (async () => {
          for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '');
        })(),
      );
      expect(failure).toBeInstanceOf(OpenAI.APIError);
      expect(failure).toMatchObject({ code });
      expect(pieces.join('')).toBe('one two three');
      await scene.logs(1);
      await scene.checkBooks();
    });

    test('a message in the language that was asked for', async () => {
      await using scene = await createScene(engine);
      const client = new OpenAI({
        baseURL: `${scene.app.origin}/v1`,
        apiKey: 'sk-wrong',
        maxRetries: 0,
        defaultHeaders: { 'accept-language': 'en' },
      });
      expect(await ask(client)).toMatchObject({ message: expect.stringContaining('Invalid token') });
    });
  });
});

function parsePort(text: string): { port: string } {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('port' in value) || typeof value.port !== 'string') throw new Error('No port');
  return { port: value.port };
}
