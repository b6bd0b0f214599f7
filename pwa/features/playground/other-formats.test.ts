import { describe, expect, it } from 'vitest';
import type { ChatPiece } from '#pwa/api/stream-chat.ts';
import { callIn, type OtherFormat, readers } from './other-formats.ts';
import type { ChatBody } from './request-body.ts';

const url = 'data:image/png;base64,AAAA';
const body: ChatBody = {
  model: 'tide',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url } },
      ],
    },
    { role: 'assistant', content: 'A boat.' },
    { role: 'user', content: 'And now?' },
  ],
  stream: true,
  stream_options: { include_usage: true },
  group: 'vip',
  temperature: 0.5,
  max_tokens: 100,
  seed: 7,
  stop: ['END'],
  reasoning_effort: 'low',
  response_format: { type: 'json_object' },
  tools: [{ type: 'function', function: { name: 'get_tide', parameters: { type: 'object' } } }],
  further: 1,
};

describe('other formats', () => {
  it('Responses: instructions, input, and nothing that it has no place for', () => {
    expect(callIn('openai-responses', body)).toEqual({
      path: 'responses',
      body: {
        model: 'tide',
        instructions: 'Be brief.',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'What is this?' },
              { type: 'input_image', image_url: url },
            ],
          },
          { role: 'assistant', content: 'A boat.' },
          { role: 'user', content: 'And now?' },
        ],
        temperature: 0.5,
        max_output_tokens: 100,
        reasoning: { effort: 'low' },
        text: { format: { type: 'json_object' } },
        tools: [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }],
        group: 'vip',
        further: 1,
        store: false,
        stream: true,
      },
    });
  });

  it('Claude: the system prompt beside the messages, and always a limit', () => {
    expect(callIn('claude', body)).toEqual({
      path: 'messages',
      body: {
        model: 'tide',
        system: 'Be brief.',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { role: 'assistant', content: 'A boat.' },
          { role: 'user', content: 'And now?' },
        ],
        temperature: 0.5,
        max_tokens: 100,
        stop_sequences: ['END'],
        tools: [{ name: 'get_tide', input_schema: { type: 'object' } }],
        group: 'vip',
        further: 1,
        stream: true,
      },
    });
    const { max_tokens: _limit, ...unlimited } = body;
    expect(callIn('claude', unlimited).body).toMatchObject({ max_tokens: 4096 });
  });

  it('Gemini: the model in its path, the parameters in its settings', () => {
    expect(callIn('gemini', { ...body, model: 'vendor/tide' })).toEqual({
      path: 'v1beta/models/vendor%2Ftide:streamGenerateContent?alt=sse',
      body: {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [
          { role: 'user', parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
          { role: 'model', parts: [{ text: 'A boat.' }] },
          { role: 'user', parts: [{ text: 'And now?' }] },
        ],
        generationConfig: {
          temperature: 0.5,
          maxOutputTokens: 100,
          seed: 7,
          stopSequences: ['END'],
          responseMimeType: 'application/json',
        },
        tools: [{ functionDeclarations: [{ name: 'get_tide', parameters: { type: 'object' } }] }],
        group: 'vip',
        further: 1,
      },
    });
  });

  function read(format: OtherFormat, events: readonly unknown[]) {
    const reader = readers[format]();
    const reported = events.map((event) => reader(event));
    const pieces: ChatPiece[] = reported.flatMap(({ piece }) => (piece === undefined ? [] : [piece]));
    return {
      text: pieces.map(({ text = '' }) => text).join(''),
      reasoning: pieces.map(({ reasoning = '' }) => reasoning).join(''),
      toolCalls: pieces.flatMap(({ toolCalls = [] }) => toolCalls),
      finish: pieces.findLast(({ finish }) => finish !== undefined)?.finish,
      usage: pieces.findLast(({ usage }) => usage !== undefined)?.usage,
      isEnded: reported.at(-1)?.isEnd === true,
      error: reported.find(({ error }) => error !== undefined)?.error,
    };
  }

  it('Responses are read', () => {
    const events = [
      { type: 'response.created', response: {} },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm' },
      { type: 'response.output_item.added', output_index: 1, item: { type: 'function_call', name: 'get_tide' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
      { type: 'response.output_text.delta', output_index: 2, delta: 'Hello' },
      {
        type: 'response.completed',
        response: { usage: { input_tokens: 5, output_tokens: 7, output_tokens_details: { reasoning_tokens: 3 } } },
      },
    ];
    expect(read('openai-responses', events)).toEqual({
      text: 'Hello',
      reasoning: 'Hm',
      toolCalls: [
        { index: 0, name: 'get_tide', arguments: '' },
        { index: 0, name: '', arguments: '{}' },
      ],
      finish: 'stop',
      usage: { prompt: 5, completion: 7, reasoning: 3 },
      isEnded: true,
      error: undefined,
    });
    const cut = { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } };
    expect(read('openai-responses', [cut])).toMatchObject({ finish: 'length', isEnded: true });
    const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'It broke' } } };
    expect(read('openai-responses', [failed])).toMatchObject({ error: { message: 'It broke', code: 'server_error' }, isEnded: false });
  });

  it('Claude’s are read', () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 5, cache_read_input_tokens: 10, output_tokens: 1 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', name: 'get_tide' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ];
    expect(read('claude', events)).toMatchObject({
      text: 'Hello',
      reasoning: 'Hm',
      toolCalls: [
        { index: 0, name: 'get_tide', arguments: '' },
        { index: 0, name: '', arguments: '{}' },
      ],
      finish: 'length',
      usage: { prompt: 15, completion: 7 },
      isEnded: true,
    });
    expect(read('claude', [{ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }])).toMatchObject({
      error: { message: 'Busy', code: 'overloaded_error' },
      isEnded: false,
    });
  });

  it('Gemini’s are read, and have ended when a reason for it was told', () => {
    const events = [
      { candidates: [{ content: { parts: [{ text: 'Hm', thought: true }, { text: 'Hel' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'lo' }, { functionCall: { name: 'get_tide', args: {} } }] } }] },
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 4, thoughtsTokenCount: 3 },
      },
    ];
    expect(read('gemini', events)).toMatchObject({
      text: 'Hello',
      reasoning: 'Hm',
      toolCalls: [{ index: 0, name: 'get_tide', arguments: '{}' }],
      finish: 'stop',
      usage: { prompt: 5, completion: 7, reasoning: 3 },
      isEnded: true,
    });
    expect(read('gemini', events.slice(0, 2)).isEnded).toBe(false);
    expect(read('gemini', [{ promptFeedback: { blockReason: 'SAFETY' } }])).toMatchObject({ finish: 'content_filter', isEnded: true });
    expect(read('gemini', [{}, 'nothing', null]).isEnded).toBe(false);
  });
});
