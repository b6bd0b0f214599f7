import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { dataEvent } from '#tests/support/data-event.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { claudeClient } from './claude/client.ts';
import { claudeUpstream } from './claude/upstream.ts';
import { openaiChatClient } from './openai-chat/client.ts';
import { openaiChatUpstream } from './openai-chat/upstream.ts';
import type { ResponsePart } from './parts.ts';
import { noTokens } from '#shared/token-usage.ts';

const options = { model: 'm', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 7 };

function write(body: Record<string, unknown>, upstreamModel = 'gpt-4o') {
  const request = claudeClient.readRequest({ model: 'm', max_tokens: 100, ...body });
  return openaiChatUpstream.writeRequest(request, { upstreamModel, forceUsage: true, settings: defaultSettings });
}

const hello = [{ role: 'user', content: 'Hello' }];

describe('Messages requests to a chat upstream', () => {
  test('system blocks are joined, one stop sequence is a text, a stream requests its usage', () => {
    const system = [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.' },
    ];
    const { body } = write({ system, messages: hello, stop_sequences: ['END'], metadata: { user_id: 'u1' }, stream: true });
    expect(body).toEqual({
      model: 'gpt-4o',
      messages: [{ role: 'system', content: 'Be brief.\nBe kind.' }, ...hello],
      max_tokens: 100,
      stop: 'END',
      user: 'u1',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('tools, calls with text, results with an image', () => {
    const { body, dropped } = write({
      tools: [{ name: 'get', input_schema: { type: 'object', properties: {} }, cache_control: { type: 'ephemeral' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      messages: [
        ...hello,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 't1', name: 'get', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                { type: 'text', text: '15C' },
                { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
              ],
            },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
    });
    expect(body).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false });
    expect(body.messages).toEqual([
      ...hello,
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: '15C' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'text', text: 'So?' },
        ],
      },
    ]);
    expect(dropped).toEqual(['thinking blocks', 'cache_control']);
  });

  test('thinking becomes an effort if the model supports one, otherwise it is reported as dropped', () => {
    const thinking = { type: 'enabled', budget_tokens: 10_000 };
    expect(write({ messages: hello, thinking }, 'gpt-5').body).toMatchObject({ reasoning_effort: 'medium', max_completion_tokens: 100 });
    expect(write({ messages: hello, thinking }).dropped).toEqual(['thinking']);
    expect(write({ messages: hello, thinking: { type: 'disabled' } }).dropped).toEqual([]);
  });

  test("features of Claude's provider only are refused, by path", () => {
    const refused = (body: Record<string, unknown>, field: string) =>
      expect(() => write({ messages: hello, ...body })).toThrow(expect.objectContaining({ code: 'untranslatable', field }));
    refused({ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools.0.type');
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    refused({ tools, tool_choice: { type: 'tool', name: 'web_search' } }, 'tool_choice');
    refused({ tools, tool_choice: { type: 'any' } }, 'tool_choice');
    refused({ mcp_servers: [{ url: 'https://example.com' }] }, 'mcp_servers');
    refused({ messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f1' }] }] }, 'messages.0.content.0.type');
  });
});

test('an empty legacy call is ignored: complete, streamed and sent back', () => {
  const empty: object[] = [{}, { name: '', arguments: '' }, { name: null, arguments: null }, { name: '', arguments: '{}' }];
  for (const functionCall of empty) {
    const message = { role: 'assistant', content: 'Hi', tool_calls: null, function_call: functionCall };
    const whole = openaiChatUpstream.readWhole({ id: 'c1', model: 'gpt', choices: [{ message, finish_reason: 'stop' }] }, null);
    expect(whole?.map(({ type }) => type)).toEqual(['start', 'text', 'finish']);
    const reader = openaiChatUpstream.createStreamReader(null);
    const streamed = [delta(message), delta(message), delta(message, 'stop')].flatMap((data) => reader.read(dataEvent(data)));
    expect(streamed.map(({ type }) => type)).toEqual(['start', 'text', 'text', 'text', 'finish']);
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }, message] };
    expect(openaiChatClient.readRequest(body).messages[1]?.content).toEqual([{ type: 'text', text: 'Hi' }]);
  }
  const calls = { tool_calls: [{ id: 'a', function: { name: 'get', arguments: '{}' } }], function_call: { name: '', arguments: '' } };
  const both = openaiChatUpstream.readWhole({ choices: [{ message: calls }] }, null);
  expect(both?.filter(({ type }) => type === 'tool_call')).toEqual([expect.objectContaining({ name: 'get' })]);
});

test('a legacy call whose arguments arrive in pieces without its name is one call', () => {
  const reader = openaiChatUpstream.createStreamReader(null);
  const pieces = [{ name: 'get', arguments: '' }, { arguments: '{"x"' }, { name: '', arguments: ':1}' }];
  const parts = pieces.flatMap((call) => reader.read(dataEvent(delta({ function_call: call }))));
  expect(parts.slice(1)).toEqual([
    { type: 'tool_call', index: 0, id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'get', choice: 0 },
    { type: 'tool_arguments', index: 0, text: '{"x"', choice: 0 },
    { type: 'tool_arguments', index: 0, text: ':1}', choice: 0 },
  ]);
});

const chunk = (rest: object) => JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 5, model: 'gpt', ...rest });
const delta = (value: object, finish: string | null = null) => chunk({ choices: [{ index: 0, delta: value, finish_reason: finish }] });

function translate(datas: readonly string[]): { type: string; [key: string]: unknown }[] {
  const reader = openaiChatUpstream.createStreamReader(null);
  const writer = claudeClient.createStreamWriter(options);
  const text = datas
    .flatMap((data) => reader.read(dataEvent(data)))
    .map((part) => writer.write(part))
    .join('');
  return eventsOf(text + writer.end({ ...noTokens, input: 9, output: 4 }));
}

function eventsOf(text: string) {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [name, data] = event.split('\n');
      const value = JSON.parse(String(data).slice(6)) as { type: string };
      expect(name).toBe(`event: ${value.type}`);
      return value;
    });
}

describe('chat streams as Messages streams', () => {
  test('thinking, text and parallel calls are consecutive blocks, followed by all three closing events', () => {
    const events = translate([
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'Ok' }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'get', arguments: '{"x":' } }] }),
      delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'now', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      delta({}, 'tool_calls'),
      chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } }),
    ]);
    expect(events.map(({ type, index }) => (typeof index === 'number' ? `${type} ${index}` : type))).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_delta 2',
      'content_block_stop 2',
      'content_block_start 3',
      'content_block_stop 3',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({ message: { id: 'msg_r1', model: 'm', role: 'assistant', usage: { input_tokens: 7 } } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { input_tokens: 9, output_tokens: 4 } });
  });

  test('parts between the arguments of a call are delayed, not lost', () => {
    const inputs = (datas: string[]) => {
      const events = translate(datas);
      const deltas = events.flatMap(({ delta: value }) =>
        typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : [],
      );
      const joined = (field: string) => deltas.map((value) => (typeof value[field] === 'string' ? value[field] : '')).join('');
      return { json: joined('partial_json'), text: joined('text'), thinking: joined('thinking') };
    };
    const call = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'get', arguments: '{"a":' } }] });
    const rest = delta({ tool_calls: [{ index: 0, function: { arguments: '"}"}' } }] });
    expect(inputs([call, delta({ content: 'Hm' }), delta({ reasoning_content: 'so' }), rest, delta({ content: ' yes' })])).toEqual({
      json: '{"a":"}"}',
      text: 'Hm yes',
      thinking: 'so',
    });
    const bare = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'get', arguments: '' } }] });
    expect(inputs([bare, delta({ content: 'Hm' })])).toEqual({ json: '', text: 'Hm', thinking: '' });
  });

  test('many calls behind an incomplete one are read in linear time', () => {
    const open = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'get', arguments: `{"a":"${'x'.repeat(4_000_000)}` } }] });
    const calls = Array.from({ length: 300 }, (_, index) => ({
      index: index + 1,
      id: `c${index}`,
      function: { name: 'n', arguments: '{}' },
    }));
    const parse = vi.spyOn(JSON, 'parse');
    translate([open, delta({ tool_calls: calls })]);
    // One per event in and out, none for open parts.
    expect(parse.mock.calls.length).toBeLessThan(1300);
    expect(parse.mock.calls.filter(([text]) => text.startsWith('{"a":')).length).toBe(0);
    parse.mockRestore();
  });

  test('an empty response is a message without content', () => {
    expect(translate([delta({}, 'stop')]).map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  test('complete responses preserve text and every call', () => {
    const message = { content: 'Hi', tool_calls: [{ id: 'a', function: { name: 'get', arguments: '{"x":1}' } }] };
    const parts = openaiChatUpstream.readWhole({ id: 'c1', model: 'gpt', choices: [{ message, finish_reason: 'length' }] }, null);
    expect(claudeClient.writeWhole(parts ?? [], { ...noTokens, input: 3, cacheRead: 5, output: 2 }, options)).toEqual({
      id: 'msg_r1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      container: null,
      diagnostics: null,
      stop_details: null,
      content: [
        { type: 'text', text: 'Hi', citations: [] },
        { type: 'tool_use', id: 'toolu_via_a', name: 'get', input: { x: 1 }, caller: { type: 'direct' } },
      ],
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        cache_read_input_tokens: 5,
        output_tokens: 2,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        speed: null,
      },
    });
  });
});

test('any response is unchanged after a round trip through each format', () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
  const part: fc.Arbitrary<ResponsePart[]> = fc.oneof(
    text.map((value): ResponsePart[] => [{ type: 'text', text: value }]),
    text.map((value): ResponsePart[] => [
      { type: 'reasoning', text: value },
      { type: 'reasoning_seal', seal: { origin: 'claude', data: `s${value.length}` } },
    ]),
    fc.tuple(text, fc.dictionary(text, text)).map(([name, input]): ResponsePart[] => [
      { type: 'tool_call', index: 0, id: `id_${name}`, name },
      { type: 'tool_arguments', index: 0, text: JSON.stringify(input) },
    ]),
  );
  const pairs = [
    { client: claudeClient, upstream: claudeUpstream },
    { client: openaiChatClient, upstream: openaiChatUpstream },
  ];
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (groups) => {
      const parts = numbered(groups.flat());
      for (const { client, upstream } of pairs) {
        const writer = client.createStreamWriter({ ...options, preservesIds: true });
        const reader = upstream.createStreamReader(null);
        const written = parts.map((one) => writer.write(one)).join('') + writer.end({ ...noTokens, input: 1, output: 1 });
        const read = written
          .split('\n\n')
          .map((event) => event.split('\n').find((line) => line.startsWith('data: {')))
          .flatMap((line) => (line === undefined ? [] : reader.read(dataEvent(line.slice(6)))));
        expect(contentOf(read)).toEqual(contentOf(parts));
        expect(reader.isComplete).toBe(upstream === claudeUpstream);
      }
    }),
  );
});

/** Numbers calls in order. */
function numbered(parts: readonly ResponsePart[]): ResponsePart[] {
  let index = -1;
  return parts.map((part) => {
    if (part.type === 'tool_call') index += 1;
    return part.type === 'tool_call' || part.type === 'tool_arguments' ? { ...part, index } : part;
  });
}

/** Joined texts by kind and calls by number: the content that a client ends up with. */
function contentOf(parts: readonly ResponsePart[]) {
  const joined = (type: 'text' | 'reasoning') => parts.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [`${part.index} ${part.id} ${part.name}`] : []));
  const inputs = parts.flatMap((part) => (part.type === 'tool_arguments' ? [part] : []));
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    signatures: parts.flatMap((part) => (part.type === 'reasoning_seal' ? [part.seal.data] : [])),
    calls,
    inputs: calls.map((_, index) => inputs.map((part) => (part.index === index ? part.text : '')).join('')),
  };
}
