import { describe, expect, test } from 'vitest';
import type { Answer, ChatSettings, Conversation } from '#pwa/offline/conversation.ts';
import { callIn } from './other-formats.ts';
import { chatBody, countSet, emptySettings, isSoundLost, listOf, objectOf, unsendable } from './request-body.ts';

const answerOf = (text: string, state: Answer['state'] = 'done'): Answer => ({
  model: 'm',
  state,
  text,
  reasoning: 'secret thoughts',
  tool_calls: [],
  startedAt: 0,
});

function conversationOf(turns: [string, ...(Answer | null)[]][], settings: Partial<ChatSettings> = {}): Conversation {
  return {
    userId: 1,
    id: 'c',
    title: '',
    updatedAt: 0,
    models: ['small', 'large'],
    settings: { ...emptySettings, ...settings },
    turns: turns.map(([text, ...answers], index) => ({ id: String(index), text, pictures: [], at: 0, answers })),
  };
}

describe('what is sent', () => {
  test('of a first question, without parameters: only what is needed', () => {
    expect(chatBody(conversationOf([['Hi']]), 0, 0)).toEqual({
      model: 'small',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('each model has its own answers before it; questions without one are left out, thoughts never go', () => {
    const conversation = conversationOf([
      ['one', answerOf('small one'), answerOf('large one')],
      ['two', answerOf('', 'failed'), answerOf('large two', 'stopped')],
      ['three', null, null],
      ['four', null, null],
    ]);
    const textsOf = (column: number) => chatBody(conversation, 3, column).messages.map(({ content }) => content);
    expect(textsOf(0)).toEqual(['one', 'small one', 'four']);
    expect(textsOf(1)).toEqual(['one', 'large one', 'two', 'large two', 'four']);
    expect(JSON.stringify(chatBody(conversation, 3, 1))).not.toContain('secret thoughts');
    // An earlier one is sent again with the turns before it.
    expect(chatBody(conversation, 1, 0).messages).toHaveLength(3);
  });

  test('parameters that are set, zero too', () => {
    const settings: Partial<ChatSettings> = {
      group: 'vip',
      system: 'Be brief.',
      temperature: 0,
      seed: 0,
      stop: ['END'],
      reasoning_effort: 'low',
      json: true,
      tools: '[{"type":"function"}]',
      extra: '{"logit_bias":{"1":2},"messages":[],"model":"other","stream":false,"group":"stolen"}',
    };
    const conversation = conversationOf([['Hi']], settings);
    expect(chatBody(conversation, 0, 1)).toEqual({
      model: 'large',
      group: 'vip',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      seed: 0,
      stop: ['END'],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
      tools: [{ type: 'function' }],
      logit_bias: { 1: 2 },
    });
    expect(countSet(conversation.settings)).toBeGreaterThan(7);
    expect(countSet(emptySettings)).toBe(0);
  });

  test('pictures stand behind their text', () => {
    const conversation = conversationOf([['Look'], ['']]);
    const picture = { name: 'a.png', url: 'data:image/jpeg;base64,AA==', width: 1, height: 1 };
    for (const turn of conversation.turns) turn.pictures = [picture];
    const image = { type: 'image_url', image_url: { url: picture.url } };
    expect(chatBody(conversation, 0, 0).messages[0]?.content).toEqual([{ type: 'text', text: 'Look' }, image]);
    expect(chatBody(conversation, 1, 0).messages.at(-1)?.content).toEqual([image]);
  });

  test('files stand before the question: texts as texts, documents and sound as bytes', () => {
    const conversation = conversationOf([['Sum it up']]);
    for (const turn of conversation.turns)
      turn.files = [
        { name: 'a "b".md', kind: 'text', content: '# Tides' },
        { name: 'a.pdf', kind: 'document', content: 'JVBE' },
        { name: 'a.mp3', kind: 'sound', format: 'mp3', content: 'SUQz' },
      ];
    const body = chatBody(conversation, 0, 0);
    expect(body.messages[0]?.content).toEqual([
      { type: 'text', text: `<file name="a 'b'.md">\n# Tides\n</file>` },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
      { type: 'text', text: 'Sum it up' },
    ]);
    expect(JSON.stringify(callIn('openai-responses', body).body)).toContain(
      '{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"},{"type":"input_audio","input_audio":{"data":"SUQz","format":"mp3"}}',
    );
    expect(JSON.stringify(callIn('gemini', body).body)).toContain(
      '{"inlineData":{"mimeType":"application/pdf","data":"JVBE"}},{"inlineData":{"mimeType":"audio/mp3","data":"SUQz"}}',
    );
    expect(JSON.stringify(callIn('claude', body).body)).toContain(
      '{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBE"},"title":"a.pdf"},{"type":"text"',
    );
    const isLost = (format: 'claude' | 'gemini') => isSoundLost({ ...conversation, settings: { ...emptySettings, format } });
    expect([isLost('claude'), isLost('gemini')]).toEqual([true, false]);
  });

  test.each(['{', '[]x', '{"a":1}', 'null', '5'])('%s is no list', (text) => expect(listOf(text)).toBeUndefined());
  test.each(['{', '[1]', 'null', '"a"'])('%s is no object', (text) => expect(objectOf(text)).toBeUndefined());
  test('what is no JSON yet is not sent', () => {
    const body = chatBody(conversationOf([['Hi']], { tools: '[', extra: '{"a"' }), 0, 0);
    expect(Object.keys(body).toSorted()).toEqual(['messages', 'model', 'stream', 'stream_options']);
  });

  test('a parameter that cannot be read is named, so that no question goes without it', () => {
    expect(unsendable(emptySettings)).toBeUndefined();
    expect(unsendable({ ...emptySettings, tools: '[]', extra: '{"n":1}' })).toBeUndefined();
    for (const tools of ['{bad', '{}', '"x"']) expect(unsendable({ ...emptySettings, tools })).toBe('tools');
    for (const extra of ['{bad', '[]', '7']) expect(unsendable({ ...emptySettings, extra })).toBe('extra');
  });
});
