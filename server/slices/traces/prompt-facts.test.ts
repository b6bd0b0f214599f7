import { describe, expect, it } from 'vitest';
import type { Message } from '#server/formats/parts.ts';
import { messagesText } from './prompt-facts.ts';

const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], field: 'messages' });

describe('messages of a prompt', () => {
  it('have the shape of the convention', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' }], field: '' },
      {
        role: 'user',
        content: [{ type: 'tool_result', callId: 'c1', content: [{ type: 'text', text: 'rain' }], isError: false }],
        field: '',
      },
    ];
    expect(JSON.parse(messagesText(messages))).toEqual([
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'rain' }] },
    ]);
  });

  it('leave out the oldest, and are cut, so that the text is JSON within its limit', () => {
    const texts = ['the oldest', 'x'.repeat(400), 'the newest'];
    const text = messagesText(texts.map(said), 500);
    expect(text.length).toBeLessThanOrEqual(500);
    const contents = JSON.parse(text).map(({ parts }: { parts: { content: string }[] }) => parts[0]?.content);
    expect(contents.at(-1)).toBe('the newest');
    expect(contents).not.toContain('the oldest');
    for (const long of ['\n'.repeat(5000), '\u0001'.repeat(5000), '汐'.repeat(5000), '"'.repeat(5000)]) {
      const one = messagesText([said(long)], 600);
      expect(one.length).toBeLessThanOrEqual(600);
      expect(JSON.parse(one)).toHaveLength(1);
    }
    expect(messagesText([])).toBe('[]');
  });
});
