// Tools that run at the provider, as the official packages see them, before upstreams of every format that has them.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { channelOf, model, question } from './shared-cases.ts';

const upstreams = [
  { format: 'claude', type: 14, setting: '' },
  { format: 'responses', type: 1, setting: '{"formats":["openai-responses"]}' },
  { format: 'gemini', type: 24, setting: '' },
];
const cases = oneEngine.flatMap((engine) =>
  upstreams.flatMap((upstream) => [false, true].map((stream) => ({ engine, kind: engine.kind, stream, ...upstream }))),
);
const url = 'https://tides.example/brest';

describe.each(cases)('tools at the provider before $format on $kind, stream: $stream', ({ engine, type, setting, format, stream }) => {
  const open = async () => {
    const scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }] });
    scene.upstream.behave({ replay: `hosted/${format}.${stream ? 'sse' : 'json'}` });
    return scene;
  };
  const sentTools = (scene: RelayScene) => scene.upstream.requests[0]?.text ?? '';

  test('the package of Claude gets the search, what it found, and which text rests on it', async () => {
    await using scene = await open();
    const client = new Anthropic({ baseURL: scene.app.origin, apiKey: scene.key, maxRetries: 0 });
    const requested = {
      model,
      max_tokens: 100,
      messages: [...question],
      tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const, allowed_domains: ['tides.example'] }],
    };
    const message = stream ? await client.messages.stream(requested).finalMessage() : await client.messages.create(requested);
    expect(sentTools(scene)).toMatch(/web_search|googleSearch/);
    const called = message.content.find((block) => block.type === 'server_tool_use' && block.name === 'web_search');
    expect(called).toMatchObject({ id: expect.stringMatching(/^srvtoolu_/), input: { query: 'tides Brest' } });
    const found = message.content.find((block) => block.type === 'web_search_tool_result');
    expect(found).toMatchObject({ content: [{ type: 'web_search_result', url, encrypted_content: expect.any(String) }] });
    const cited = message.content.find((block) => block.type === 'text' && (block.citations ?? []).length > 0);
    expect(cited).toMatchObject({ text: 'High water is at noon.', citations: [{ type: 'web_search_result_location', url }] });
    expect(message.usage.server_tool_use?.web_search_requests).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('what a search came to can be sent back', async () => {
    await using scene = await open();
    const client = new Anthropic({ baseURL: scene.app.origin, apiKey: scene.key, maxRetries: 0 });
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }];
    const requested = { model, max_tokens: 100, messages: [...question], tools };
    const first = stream ? await client.messages.stream(requested).finalMessage() : await client.messages.create(requested);
    const messages = [
      ...question,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: 'And in Dover?' },
    ];
    scene.upstream.behave({ text: 'One hour later.' });
    const { data, response } = await client.messages.create({ model, max_tokens: 100, messages, tools }).withResponse();
    expect(data.content).toEqual([expect.objectContaining({ text: 'One hour later.' })]);
    // Only its own vendor can read it.
    if (format !== 'claude') expect(response.headers.get('x-tidegate-dropped')).toContain('server tool blocks');
    await scene.checkBooks();
  });

  test("the package of OpenAI's Responses gets the search as an item and annotations with ranges", async () => {
    await using scene = await open();
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const requested = { model, input: 'When is high water in Brest?', tools: [{ type: 'web_search' as const }] };
    const response = stream ? await client.responses.stream(requested).finalResponse() : await client.responses.create(requested);
    const called = response.output.find((item) => item.type === 'web_search_call');
    expect(called).toMatchObject({ status: 'completed', action: { type: 'search' } });
    const text = response.output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .find((part) => part.type === 'output_text' && part.annotations.length > 0);
    if (text?.type !== 'output_text') throw new Error('Nothing is cited');
    const [annotation] = text.annotations;
    if (annotation?.type !== 'url_citation') throw new Error('No page is cited');
    expect(annotation.url).toBe(url);
    expect(text.text.slice(annotation.start_index, annotation.end_index)).toBe('High water is at noon.');
    await scene.checkBooks();
  });

  test("the package of OpenAI's chat completions gets annotations with ranges, and code as text", async () => {
    await using scene = await open();
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const requested = { model, messages: [...question], web_search_options: {} };
    const parts: { content?: string | null; annotations?: unknown }[] = [];
    if (stream)
      for await (const { choices } of await client.chat.completions.create({ ...requested, stream })) parts.push(choices[0]?.delta ?? {});
    else parts.push((await client.chat.completions.create(requested)).choices[0]?.message ?? {});
    const content = parts.map((part) => part.content ?? '').join('');
    const [annotation] = parts.flatMap(
      ({ annotations }) => (annotations ?? []) as OpenAI.Chat.Completions.ChatCompletionMessage.Annotation[],
    );
    if (annotation === undefined) throw new Error('Nothing is cited');
    const { start_index: start, end_index: end, url: cited } = annotation.url_citation;
    expect([content.slice(start, end), cited]).toEqual(['High water is at noon.', url]);
    if (format !== 'claude') expect(content).toContain('```output\n12\n```');
    await scene.checkBooks();
  });
});
