// The official client of OpenAI against a running server, before an upstream of the same format and one of Claude's.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { signatureOf } from '#tests/support/claude-responses.ts';
import { cases, channelOf, describeSharedCases, model, question as messages } from './shared-cases.ts';

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

/** What messages or their deltas hold, put together; the package knows no thoughts. */
function joined(pieces: readonly unknown[]) {
  const all = pieces as { content?: string | null; reasoning_content?: string; reasoning_details?: { signature?: string }[] }[];
  const details = all.flatMap((piece) => piece.reasoning_details ?? []);
  return {
    content: all.map((piece) => piece.content ?? '').join(''),
    reasoning_content: all.map((piece) => piece.reasoning_content ?? '').join(''),
    signature: details.map((detail) => detail.signature ?? '').join(''),
  };
}

describeSharedCases({
  name: 'OpenAI',
  errors: OpenAI,
  badLimit: { type: 'invalid_request_error', param: 'max_tokens', requestID: expect.stringMatching(/./) },
  clientOf(scene, options) {
    const { completions } = clientOf(scene, options).chat;
    return {
      async ask(fields) {
        const [choice] = (await completions.create({ model, messages, ...fields })).choices;
        return { text: choice?.message.content ?? '', isCut: choice?.finish_reason === 'length' };
      },
      async stream() {
        const chunks = await Array.fromAsync(await completions.create({ model, messages, stream: true }));
        return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
      },
      async abortAfter(characters) {
        const stream = await completions.create({ model, messages, stream: true });
        let received = '';
        for await (const chunk of stream) {
          received += chunk.choices[0]?.delta.content ?? '';
          if (received.length >= characters) stream.controller.abort();
        }
      },
      async callTools(stream) {
        const ask = (turns: OpenAI.ChatCompletionMessageParam[]) => {
          const body = { model, messages: turns, tools, tool_choice: 'auto' as const, parallel_tool_calls: true };
          return stream ? completions.stream(body).finalChatCompletion() : completions.create(body);
        };
        const [first] = (await ask(messages)).choices;
        expect(first?.finish_reason).toBe('tool_calls');
        const calls = (first?.message.tool_calls ?? []).filter((call) => call.type === 'function');
        const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'noon' }));
        const [second] = (await ask([...messages, { role: 'assistant', content: null, tool_calls: calls }, ...results])).choices;
        expect(second?.finish_reason).toBe('stop');
        return { calledWith: calls.map((call) => JSON.parse(call.function.arguments)), text: second?.message.content ?? '' };
      },
    };
  },
});

describe.each(cases)('the package of OpenAI on $kind, before $format', ({ engine, type, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [channelOf(type)], ...options });

  test('gets a whole response, with its usage and id as the log has them', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'High water is at noon.' });
    const system = { role: 'system' as const, content: 'Be brief.' };
    const completion = await clientOf(scene).chat.completions.create({
      model,
      messages: [system, ...messages],
      stop: 'END',
      max_tokens: 50,
    });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'High water is at noon.' } }],
    });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      request_id: completion._request_id,
      prompt_tokens: completion.usage?.prompt_tokens,
      completion_tokens: completion.usage?.completion_tokens,
    });
    expect(completion.usage?.total_tokens).toBe((row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0));
    const sent: Record<string, object> = {
      OpenAI: { stop: 'END', max_tokens: 50 },
      Claude: { system: 'Be brief.', stop_sequences: ['END'], max_tokens: 50 },
      Gemini: { systemInstruction: { parts: [{ text: 'Be brief.' }] }, generationConfig: { stopSequences: ['END'], maxOutputTokens: 50 } },
    };
    expect(scene.upstream.requests[0]?.body).toMatchObject(sent[format] ?? {});
    await scene.checkBooks();
  });

  test('reads a stream to its end, cut anywhere, with usage when it asked for it', async () => {
    await using scene = await open();
    const text = 'Springs come at new and full moon. 大潮 🌊';
    scene.upstream.behave({ text, bytesPerWrite: 13 });
    const body = { model, messages, stream: true as const };
    const plain = await Array.fromAsync(await clientOf(scene).chat.completions.create(body));
    const requested = await Array.fromAsync(
      await clientOf(scene).chat.completions.create({ ...body, stream_options: { include_usage: true } }),
    );
    for (const chunks of [plain, requested]) {
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(text);
      expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === 'stop')).toHaveLength(1);
      expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    }
    expect(plain.some((chunk) => chunk.usage != null)).toBe(false);
    const rows = await scene.logs(2);
    expect(requested.at(-1)?.usage).toMatchObject({ prompt_tokens: rows[1]?.prompt_tokens, completion_tokens: rows[1]?.completion_tokens });
    expect(rows.every(({ other }) => other?.['ending'] === undefined)).toBe(true);
    await scene.checkBooks();
  });

  test('sends images', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'A wave.' });
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
    const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${data}` } };
    const content = [image, { type: 'text' as const, text: 'What is this?' }];
    const completion = await clientOf(scene).chat.completions.create({ model, messages: [{ role: 'user', content }] });
    expect(completion.choices[0]?.message.content).toBe('A wave.');
    const ofClaude = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const sent: Record<string, object> = {
      OpenAI: { messages: [{ content }] },
      Claude: { messages: [{ content: [ofClaude, content[1]] }] },
      Gemini: { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data } }, { text: 'What is this?' }] }] },
    };
    expect(scene.upstream.requests[0]?.body).toMatchObject(sent[format] ?? {});
    await scene.logs(1);
  });

  test.each([false, true])('is shown thoughts, and may send them back (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'At noon.', reasoning: 'The moon is full.' });
    const client = clientOf(scene);
    const ask = async (turns: OpenAI.ChatCompletionMessageParam[]) => {
      const body = { model, messages: turns, reasoning_effort: 'low' as const, max_completion_tokens: 4096 };
      if (!stream) return (await client.chat.completions.create(body)).choices.map(({ message }) => message);
      const chunks = await Array.fromAsync(await client.chat.completions.create({ ...body, stream: true }));
      return chunks.map((chunk) => chunk.choices[0]?.delta);
    };
    const reported = joined(await ask(messages));
    expect(reported).toMatchObject({ content: 'At noon.', reasoning_content: 'The moon is full.' });
    if (format === 'OpenAI') expect(scene.upstream.requests[0]?.body).toMatchObject({ reasoning_effort: 'low' });
    else if (format === 'Gemini') {
      const thinkingConfig = { thinkingLevel: 'LOW', includeThoughts: true };
      expect(scene.upstream.requests[0]?.body).toMatchObject({ generationConfig: { thinkingConfig } });
    } else {
      expect(scene.upstream.requests[0]?.body).toMatchObject({ thinking: { type: 'enabled' }, max_tokens: 4096 });
      // The upstream refuses thoughts whose signature is not its own.
      expect(reported.signature).toBe(signatureOf('The moon is full.'));
      const details = [{ type: 'reasoning.text', text: reported.reasoning_content, signature: reported.signature }];
      const turn = { role: 'assistant' as const, content: reported.content, reasoning_details: details };
      expect(joined(await ask([...messages, turn, { role: 'user', content: 'Sure?' }])).content).toBe('At noon.');
      const sent = JSON.stringify(scene.upstream.requests[1]?.body);
      expect(sent).toContain(signatureOf('The moon is full.'));
    }
    const [row] = await scene.logs(format === 'Claude' ? 2 : 1);
    expect(row?.completion_tokens).toBeGreaterThan(4);
    await scene.checkBooks();
  });

  test('is told why a response ends', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'one two three four' });
    const cut = await clientOf(scene).chat.completions.create({ model, messages, max_tokens: 2 });
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'one two' } });
    const filtered = { OpenAI: 'content_filter', Claude: 'refusal', Gemini: 'SAFETY' }[format] ?? '';
    scene.upstream.behave({ text: 'No.', finishReason: filtered });
    const refused = await clientOf(scene).chat.completions.create({ model, messages });
    expect(refused.choices[0]?.finish_reason).toBe('content_filter');
    const streamed = await Array.fromAsync(await clientOf(scene).chat.completions.create({ model, messages, stream: true }));
    expect(streamed.map((chunk) => chunk.choices[0]?.finish_reason).filter((reason) => reason != null)).toEqual(['content_filter']);
  });

  test.each([false, true])('is told of cached tokens within the prompt, and pays for them as the log says (stream: %s)', async (stream) => {
    await using scene = await open();
    const usages: Record<string, object> = {
      OpenAI: {
        prompt_tokens: 60,
        completion_tokens: 7,
        total_tokens: 67,
        prompt_tokens_details: { cached_tokens: 30, cached_creation_tokens: 20 },
      },
      Claude: {
        input_tokens: 10,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 20,
        cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 5 },
        output_tokens: 7,
      },
      Gemini: {
        promptTokenCount: 55,
        toolUsePromptTokenCount: 5,
        cachedContentTokenCount: 30,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 3,
        totalTokenCount: 67,
      },
    };
    scene.upstream.behave({ text: 'At noon.', usage: usages[format] });
    const client = clientOf(scene);
    const reported = stream
      ? (
          await Array.fromAsync(
            await client.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } }),
          )
        ).at(-1)?.usage
      : (await client.chat.completions.create({ model, messages })).usage;
    expect(reported).toMatchObject({
      prompt_tokens: 60,
      completion_tokens: 7,
      total_tokens: 67,
      prompt_tokens_details: { cached_tokens: 30 },
    });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 60, completion_tokens: 7, other: { cache_tokens: 30 } });
    expect(row?.other).toMatchObject({ prompt_source: 'upstream', completion_source: 'upstream' });
    await scene.checkBooks();
  });
});
