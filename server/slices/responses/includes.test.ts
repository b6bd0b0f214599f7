import { expect, test } from 'vitest';
import { eventWithIncludes, readIncludes, withIncludes } from './includes.ts';

const output = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
  {
    type: 'web_search_call',
    id: 'ws_1',
    action: { type: 'search', query: 'tide', sources: [{ type: 'url', url: 'https://tides.example' }] },
  },
  { type: 'code_interpreter_call', id: 'ci_1', outputs: [{ type: 'logs', logs: '4' }] },
  { type: 'file_search_call', id: 'fs_1', results: [{ text: 'noon' }] },
  { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Noon.', annotations: [], logprobs: [{ token: 'Noon' }] }] },
  { type: 'message', id: 'msg_2', content: [{ type: 'refusal', refusal: 'No.' }] },
];
const reported = (query: string) => withIncludes({ id: 'resp_1', output }, readIncludes(new URLSearchParams(query)));

test('without `include` the optional members are removed and the rest is unchanged', () => {
  expect(reported('')).toEqual({
    id: 'resp_1',
    output: [
      { ...output[0], encrypted_content: null },
      { ...output[1], action: { type: 'search', query: 'tide' } },
      { ...output[2], outputs: null },
      { ...output[3], results: null },
      { ...output[4], content: [{ type: 'output_text', text: 'Noon.', annotations: [], logprobs: [] }] },
      output[5],
    ],
  });
});

test.each([
  ['reasoning.encrypted_content', 0],
  ['web_search_call.action.sources', 1],
  ['code_interpreter_call.outputs', 2],
  ['file_search_call.results', 3],
  ['message.output_text.logprobs', 4],
])('%s is returned if included', (name, at) => {
  const plain = reported('')['output'] as object[];
  for (const query of [`include=${name}`, `include[]=${name}`, `include[]=message.input_image.image_url&include=${name}`])
    expect(reported(query)['output']).toEqual(plain.map((item, index) => (index === at ? output[at] : item)));
});

test('all includes return the response as stored', () => {
  const names = ['reasoning.encrypted_content', 'web_search_call.action.sources', 'code_interpreter_call.outputs'];
  const all = [...names, 'file_search_call.results', 'message.output_text.logprobs'].map((name) => `include[]=${name}`).join('&');
  expect(reported(all)).toEqual({ id: 'resp_1', output });
});

test.each(['include=tide', 'include[]=constructor', 'include='])('%s is refused as an unknown name', (query) => {
  expect(() => reported(query)).toThrow(expect.objectContaining({ code: 'invalid_request', field: 'include' }));
});

test.each([
  [
    'reasoning.encrypted_content',
    { type: 'response.output_item.done', item: output[0] },
    { item: { ...output[0], encrypted_content: null } },
  ],
  [
    'web_search_call.action.sources',
    { type: 'response.completed', response: { id: 'resp_1', output: [output[1]] } },
    {
      response: { id: 'resp_1', output: [{ ...output[1], action: { type: 'search', query: 'tide' } }] },
    },
  ],
  ['message.output_text.logprobs', { type: 'response.output_text.delta', delta: 'Noon', logprobs: [{ token: 'Noon' }] }, { logprobs: [] }],
  [
    'message.output_text.logprobs',
    { type: 'response.content_part.done', part: { type: 'output_text', text: '', logprobs: [{ token: 'Noon' }] } },
    {
      part: { type: 'output_text', text: '', logprobs: [] },
    },
  ],
])('a stream event contains %s only if included: %j', (name, event, hidden) => {
  expect(eventWithIncludes(event, new Set())).toEqual({ ...event, ...hidden });
  expect(eventWithIncludes(event, new Set([name]))).toEqual(event);
});
