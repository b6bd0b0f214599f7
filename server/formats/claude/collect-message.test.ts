// A collected stream equals the complete response.
import { expect, test } from 'vitest';
import { noTokens } from '#shared/token-usage.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { MessageCollector } from './collect-message.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

const usage = { ...noTokens, input: 9, output: 7 };
const options = { model: 'm', requestId: 'r1', createdAt: 1, wantsUsage: true, promptEstimate: 9 };
const citation = (url: string): ResponsePart => ({ type: 'citation', url, title: 'Tides', text: 'Noon', start: 0, end: 4 });
const parts: ResponsePart[] = [
  { type: 'start', id: 'msg_1', model: 'm' },
  { type: 'reasoning', text: 'It is ' },
  { type: 'reasoning', text: 'spring.' },
  { type: 'reasoning_seal', seal: { origin: 'claude', data: 'sig' } },
  { type: 'text', text: 'Noon' },
  citation('https://a.example'),
  citation('https://b.example'),
  { type: 'tool_call', index: 0, id: 'toolu_1', name: 'get_tide' },
  { type: 'tool_arguments', index: 0, text: '{"port":' },
  { type: 'tool_arguments', index: 0, text: '"Brest"}' },
  { type: 'tool_call', index: 1, id: 'toolu_2', name: 'get_port' },
  { type: 'finish', reason: 'tool_calls' },
];

function collected(requested: Record<string, unknown>, isWhole = true): MessageCollector {
  const writer = createStreamWriter({ ...options, requested });
  const text = parts.map((part) => writer.write(part)).join('') + (isWhole ? writer.end(usage) : '');
  const collector = new MessageCollector();
  for (const line of text.split('\n')) {
    const event = line.startsWith('data: ') ? parseObject(line.slice('data: '.length)) : null;
    if (isObject(event)) collector.push(event);
  }
  return collector;
}

test.each([{}, { compaction: { isAlone: false, content: 'They asked.', usage: {} } }, { compaction: { isAlone: true } }])(
  'collect-message: blocks of every kind (%j)',
  (requested) => {
    const whole = writeWhole(parts, usage, { ...options, requested });
    expect(collected(requested).message).toMatchObject({ content: whole['content'], stop_reason: whole['stop_reason'], id: 'msg_1' });
  },
);

test('collect-message: an incomplete message is not returned', () => {
  expect(collected({}, false).message).toBeNull();
});
