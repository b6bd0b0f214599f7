import { describe, expect, test } from 'vitest';
import { dataEvent } from '#tests/support/data-event.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { readError } from './claude/read-response.ts';
import { claudeUpstream } from './claude/upstream.ts';
import { openaiChatClient } from './openai-chat/client.ts';
import { clientDialects } from './registry.ts';
import type { ResponsePart } from './parts.ts';
import { withUsage } from './token-usage.ts';
import type { WriteOptions } from './upstream-dialect.ts';

const writing: WriteOptions = { upstreamModel: 'claude-sonnet-4-5', forceUsage: true, settings: defaultSettings };
const options = { model: 'm', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 7 };

function write(body: Record<string, unknown>, upstreamModel = writing.upstreamModel) {
  return claudeUpstream.writeRequest(openaiChatClient.readRequest({ model: 'm', ...body }), { ...writing, upstreamModel });
}

const hello = [{ role: 'user', content: 'Hello' }];

describe('chat requests to Claude', () => {
  test('leading system messages become one system text, stop texts a list, a missing limit the maximum of the model', () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, { role: 'developer', content: 'In French.' }, ...hello];
    const { body, dropped } = write({ messages, stop: 'END', user: 'u1', temperature: 1.7 });
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 64_000,
      system: 'Be brief.\nIn French.',
      messages: hello,
      stop_sequences: ['END'],
      metadata: { user_id: 'u1' },
      temperature: 1,
    });
    expect(dropped).toEqual([]);
  });

  test('results of parallel calls are one turn, in order, without empty blocks', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'get', arguments: `{"of":"${id}"}` } });
    const { body } = write({
      messages: [
        ...hello,
        { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'user', content: 'And?' },
      ],
    });
    expect(body.messages).toEqual([
      hello[0],
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'get', input: { of: 'a' } },
          { type: 'tool_use', id: 'b', name: 'get', input: { of: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1' },
          { type: 'tool_result', tool_use_id: 'b', content: '2' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  test('tools, a forced tool and no parallel calls', () => {
    const { body } = write({
      messages: hello,
      tools: [{ type: 'function', function: { name: 'now' } }],
      tool_choice: { type: 'function', function: { name: 'now' } },
      parallel_tool_calls: false,
    });
    expect(body.tools).toEqual([{ name: 'now', input_schema: { type: 'object', properties: {} } }]);
    expect(body.tool_choice).toEqual({ type: 'tool', name: 'now', disable_parallel_tool_use: true });
  });

  test('images by address and by data, under the type that their bytes show', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUg==';
    const { body } = write({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${png}` } },
          ],
        },
      ],
    });
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        ],
      },
    ]);
  });

  test('signed thinking is sent back to its provider, unsigned thinking is reported as dropped', () => {
    const signed = write({
      messages: [
        ...hello,
        { role: 'assistant', content: 'Hi', reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 's' }] },
      ],
    });
    expect(signed.body.messages).toContainEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'Hi' },
      ],
    });
    const unsigned = write({ messages: [...hello, { role: 'assistant', content: 'Hi', reasoning_content: 'hm' }] });
    expect(unsigned.dropped).toEqual(['reasoning_content']);
  });

  test.each([
    ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 5000 }, undefined],
    ['claude-opus-4-6', { type: 'adaptive', display: 'summarized' }, { effort: 'medium' }],
    ['claude-3-5-haiku-20241022', undefined, undefined],
  ])('the thinking of %s is requested in its own fields', (model, thinking, output) => {
    const { body, dropped } = write({ messages: hello, max_tokens: 10_000, reasoning_effort: 'medium', temperature: 0.2 }, model);
    expect(body.thinking).toEqual(thinking);
    expect(body.output_config).toEqual(output);
    expect(dropped).toEqual(thinking === undefined ? ['reasoning_effort'] : ['temperature']);
  });

  test('fields that cannot be translated are refused or reported as dropped, by name', () => {
    expect(() => write({ messages: hello, n: 2 })).toThrow(expect.objectContaining({ code: 'untranslatable', field: 'n' }));
    expect(() => write({ messages: hello, logprobs: true })).toThrow(expect.objectContaining({ field: 'logprobs' }));
    const audio = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] }];
    expect(() => write({ messages: audio })).toThrow(expect.objectContaining({ field: 'messages.0.content' }));
    const { dropped } = write({ messages: hello, n: 1, seed: 3, logit_bias: { a: 1 }, presence_penalty: 0, new_field: true });
    expect(dropped).toEqual(['seed', 'logit_bias', 'new_field']);
  });

  test('invalid fields are refused by their path', () => {
    expect(() => write({ messages: [{ role: 'user', content: [{ type: 'text' }] }] })).toThrow(
      expect.objectContaining({ code: 'invalid_request', field: 'messages.0.content.0.text' }),
    );
    const call = { id: 'a', type: 'function', function: { arguments: '{}' } };
    expect(() => write({ messages: [{ role: 'assistant', tool_calls: [call] }] })).toThrow(
      expect.objectContaining({ field: 'messages.0.tool_calls.0.function.name' }),
    );
  });
});

const events = [
  {
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude-x', usage: { input_tokens: 30, cache_read_input_tokens: 100, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Ok.' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't1', name: 'get', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
  { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 't2', name: 'now', input: {} } },
  { type: 'content_block_stop', index: 3 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
];

function chunksOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as unknown);
}

describe('Claude responses as chat completions', () => {
  test('a stream has our numbering of choices and calls, the usage classes added up, and the proper ending', () => {
    const reader = claudeUpstream.createStreamReader(null);
    const writer = openaiChatClient.createStreamWriter(options);
    const parts = events.flatMap((event) => reader.read(dataEvent(JSON.stringify(event))));
    const usage = usageOf(parts);
    const text = parts.map((part) => writer.write(part)).join('') + writer.end(usage);
    expect(reader.isComplete).toBe(true);
    const chunks = chunksOf(text);
    expect(chunks.map((chunk) => (chunk as { choices: { delta?: unknown }[] }).choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'hm' },
      { reasoning_details: [{ type: 'reasoning.text', text: '', signature: 'sig', format: 'anthropic-claude-v1' }] },
      { content: 'Ok.' },
      { tool_calls: [{ index: 0, id: 'call_via_t1', type: 'function', function: { name: 'get', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      { tool_calls: [{ index: 1, id: 'call_via_t2', type: 'function', function: { name: 'now', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
      undefined,
    ]);
    expect(chunks.at(-2)).toMatchObject({ id: 'chatcmpl-r1', model: 'claude-x', choices: [{ index: 0, finish_reason: 'tool_calls' }] });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 130, completion_tokens: 20, total_tokens: 150, prompt_tokens_details: { cached_tokens: 100 } },
    });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('a complete response joins its texts and preserves every call and signature', () => {
    const parts = claudeUpstream.readWhole(
      {
        id: 'msg_1',
        type: 'message',
        model: 'claude-x',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'text', text: 'One ' },
          { type: 'text', text: 'two' },
          { type: 'tool_use', id: 't1', name: 'get', input: { a: 1 } },
        ],
        stop_reason: 'max_tokens',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
      null,
    );
    expect(openaiChatClient.writeWhole(parts ?? [], usageOf(parts ?? []), options)).toMatchObject({
      id: 'chatcmpl-r1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'claude-x',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'One two',
            reasoning_content: 'hm',
            reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig', format: 'anthropic-claude-v1' }],
            tool_calls: [{ id: 'call_via_t1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }],
          },
          finish_reason: 'length',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
  });

  test.each(['constructor', 'toString', '__proto__'])('%s is not a known value', (word) => {
    expect(readError({ type: 'error', error: { type: word, message: 'x' } })).toEqual({ type: word, message: 'x' });
    const parts = claudeUpstream.readWhole({ content: [], stop_reason: word }, null);
    expect(parts).toContainEqual({ type: 'finish', reason: 'stop', unknown: word });
  });

  test('all content that a provider may read counts as prompt', () => {
    const long = 'tide '.repeat(1000);
    const { claude } = clientDialects;
    const size = (body: object) => {
      const { texts, fixed } = claude.calls.chat.promptContent({ messages: [{ role: 'user', content: 'Hi' }], ...body });
      return texts.join('').length + fixed;
    };
    for (const body of [
      { system: [{ type: 'text', text: long }] },
      { tools: [{ name: 'a', input_schema: {}, input_examples: [{ a: long }] }] },
      { output_config: { format: { type: 'json_schema', schema: { title: long } } } },
      { messages: [{ role: 'user', content: [{ type: 'search_result', content: [{ type: 'text', text: long }] }] }] },
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'content', content: long } }] }] },
      { messages: [{ role: 'assistant', content: [{ type: 'redacted_thinking', data: long }] }] },
    ]) {
      expect(size(body), JSON.stringify(body).slice(0, 80)).toBeGreaterThan(long.length);
    }
  });

  test('an error in the stream has the status of its type', () => {
    const reader = claudeUpstream.createStreamReader(null);
    const parts = reader.read(dataEvent('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'));
    expect(parts).toEqual([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded', status: 529 } }]);
    expect(reader.isComplete).toBe(false);
  });
});

function usageOf(parts: readonly ResponsePart[]) {
  return parts.reduce<ReturnType<typeof withUsage> | null>((sum, part) => (part.type === 'usage' ? withUsage(sum, part.usage) : sum), null);
}
