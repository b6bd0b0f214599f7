import { expect, test } from 'vitest';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { encodeRequest } from './encode-request.ts';
import { plainSchema } from './plain-schema.ts';
import { clientDialects } from './registry.ts';

test('a plain schema stays the same object, names that look like words included', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { type: { type: ['integer', 'null'], maximum: 9007199254740991 }, nullable: { type: 'boolean' } },
    required: ['type'],
    additionalProperties: false,
  };
  expect(plainSchema(schema)).toBe(schema);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    'capitals, nullable and counts of Google',
    { type: 'OBJECT', properties: { TYPE: { type: 'STRING', nullable: true, minLength: '2' } }, nullable: false },
    { type: 'object', properties: { TYPE: { type: ['string', 'null'], minLength: 2 } } },
  ],
  [
    'lists of types, deep in it',
    { anyOf: [{ type: 'ARRAY', items: { type: ['INTEGER', 'NULL'] } }] },
    { anyOf: [{ type: 'array', items: { type: ['integer', 'null'] } }] },
  ],
  [
    'bounds that are yes or no',
    { type: 'number', minimum: 0, exclusiveMinimum: true, exclusiveMaximum: false },
    { type: 'number', exclusiveMinimum: 0 },
  ],
  ['bounds that no number holds', { type: 'array', maxItems: 1e300, minimum: -Infinity, maximum: 5 }, { type: 'array', maximum: 5 }],
  ['no type at all', { type: 'TYPE_UNSPECIFIED', enum: ['OBJECT'] }, { enum: ['OBJECT'] }],
])('%s', (_about, schema, plain) => expect(plainSchema(schema)).toEqual(plain));

const capitals = { type: 'OBJECT', properties: { word: { type: 'STRING' } }, required: ['word'] };
const requested = {
  'openai-chat': {
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ type: 'function', function: { name: 'get', parameters: capitals } }],
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: capitals } },
  },
  claude: {
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ name: 'get', input_schema: capitals }],
    output_config: { format: { type: 'json_schema', schema: capitals } },
  },
  'openai-responses': {
    input: 'Hello',
    tools: [{ type: 'function', name: 'get', parameters: capitals }],
    text: { format: { type: 'json_schema', name: 'n', schema: capitals } },
  },
};
const upstreams = [
  { model: 'gpt-4o', type: 1, setting: '{"formats":["openai-chat"]}' },
  { model: 'gpt-5.5', type: 1, setting: '{"formats":["openai-responses"]}' },
  { model: 'claude-sonnet-4-5', type: 14, setting: '' },
  { model: 'gemini-2.5-flash', type: 24, setting: '{"formats":["gemini"]}' },
];
const pairs = Object.entries(requested).flatMap(([from, body]) => upstreams.map((upstream) => ({ from, body, ...upstream })));

test.each(pairs)('types in capitals are read from $from to $model', ({ from, body, model, ...fields }) => {
  const client = Object.values(clientDialects).find(({ name }) => name === from);
  const route =
    client === undefined ? null : buildPreparedChannel({ base_url: 'https://up.example', ...fields }).route(client, 'chat', model);
  if (client === undefined || route === null) throw new Error(`There is no way from ${from}`);
  const whole = { model, ...body };
  const call = {
    client,
    route,
    clientHeaders: {},
    body: whole,
    rawText: JSON.stringify(whole),
    originModel: model,
  };
  const sent = encodeRequest({ ...call, isStream: false, forceUsage: true, settings: defaultSettings }).body.toString();
  // Within one format, the schema is forwarded.
  if (route.identity !== null) expect(sent).toContain('"OBJECT"');
  else {
    expect(sent).not.toMatch(/"OBJECT"|"STRING"/);
    expect(sent.match(/"type":"object"/g)).toHaveLength(2);
  }
});
