// Schemas for Claude's structured output, compared with the output of Anthropic's SDK.
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { describe, expect, it, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import type { ClientDialect } from './client-dialect.ts';
import { describedSchema } from './described-schema.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';

type Json = Record<string, unknown>;

const rating = {
  type: 'object',
  description: 'A rating.',
  properties: {
    score: { type: 'integer', minimum: 1, maximum: 10 },
    summary: { type: 'string', description: 'Short.', minLength: 1, maxLength: 280, pattern: '^A' },
    at: { type: 'string', format: 'date-time' },
    phone: { type: 'string', format: 'phone' },
    tags: { type: 'array', items: { type: 'string', minLength: 2 }, maxItems: 5, minItems: 2 },
    one: { type: 'array', items: { type: 'number' }, minItems: 1 },
    any: { anyOf: [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }, { type: 'null' }] },
    kind: { oneOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { $ref: '#/$defs/other' }] },
    both: { allOf: [{ type: 'object', properties: {} }] },
    word: { type: 'string', enum: ['a', 'b'] },
    only: { const: 3 },
    // A property name, not a keyword.
    minimum: { type: 'string' },
  },
  required: ['score'],
  $defs: { other: { type: 'object', properties: { b: { type: 'number', maximum: 3 } }, additionalProperties: true } },
};

describe('a schema for structured output', () => {
  it("is the one that Anthropic's package makes", () => expect(describedSchema(rating)).toEqual(transformJSONSchema(rating as never)));

  test.each<{ what: string; given: Json; made: Json }>([
    {
      what: 'types in a list keep what belongs to them',
      given: { type: ['object', 'null'], properties: { a: { type: ['string', 'null'], maxLength: 3 } } },
      made: {
        type: ['object', 'null'],
        properties: { a: { type: ['string', 'null'], description: '{maxLength: 3}' } },
        additionalProperties: false,
      },
    },
    {
      what: 'a missing type is inferred from the keywords',
      given: { properties: { a: { items: { type: 'string' } } }, required: ['a'] },
      made: {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
        required: ['a'],
      },
    },
    {
      what: 'definitions under both names are preserved',
      given: { $ref: '#/definitions/a', definitions: { a: { type: 'number', minimum: 1 } } },
      made: { $ref: '#/definitions/a', definitions: { a: { type: 'number', description: '{minimum: 1}' } } },
    },
    {
      what: 'values of a map are described',
      given: { type: 'object', additionalProperties: { type: 'string' } },
      made: { type: 'object', properties: {}, additionalProperties: false, description: '{additionalProperties: {"type":"string"}}' },
    },
    { what: 'an empty one stays so', given: {}, made: {} },
  ])('$what', ({ given, made }) => expect(describedSchema(given)).toEqual(made));

  it('visits each part once, for schemas of the maximum width and depth', () => {
    let looks = 0;
    const seen = (schema: Json): Json =>
      new Proxy(schema, {
        ownKeys(target) {
          looks += 1;
          return Reflect.ownKeys(target);
        },
      });
    let deep: Json = seen({ type: 'string', maxLength: 1 });
    for (let level = 0; level < 90; level += 1) deep = seen({ type: 'object', properties: { a: deep }, not: { minimum: level } });
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_none, at) => [`p${at}`, seen({ type: 'integer', minimum: at })]));
    const made = describedSchema(seen({ type: 'object', properties: { ...wide, deep } }));
    expect(looks).toBe(1 + 10_000 + 91);
    expect(JSON.stringify(made)).not.toMatch(/"(?:minimum|maxLength|not)":/);
  });
});

const clients: Readonly<Record<string, ClientDialect>> = clientDialects;
const schema = { type: 'object', properties: { score: { type: 'integer', minimum: 1 } }, required: ['score'] };
const named = { name: 'rate', strict: true };
const requested: Readonly<Record<string, Json>> = {
  'openai-chat': {
    messages: [{ role: 'user', content: 'Rate' }],
    response_format: { type: 'json_schema', json_schema: { ...named, schema } },
    tools: [{ type: 'function', function: { ...named, parameters: schema } }],
  },
  'openai-responses': {
    input: 'Rate',
    text: { format: { type: 'json_schema', ...named, schema } },
    tools: [{ type: 'function', ...named, parameters: schema }],
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'Rate' }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  },
};
const refused = /"minimum":/;
const hosts = [
  { host: 'Anthropic', channel: { type: 14 } },
  { host: 'Bedrock', channel: { type: 33, key: 'AKIDEXAMPLE|secret|us-east-1' } },
  {
    host: 'Vertex',
    channel: {
      type: 41,
      other: 'us-east5',
      key: JSON.stringify({ type: 'service_account', project_id: 'p', client_email: 'a@p.example', private_key: 'k' }),
    },
  },
];

describe.each(hosts)('before $host', ({ channel }) => {
  test.each(Object.keys(requested))('the schema of a caller of %s is described', (from) => {
    const model = 'claude-opus-4-8';
    const client = clients[from];
    if (client === undefined) throw new Error(`No client ${from}`);
    const route = buildPreparedChannel({ models: model, ...channel }).route(client, 'chat', model);
    if (route === null) throw new Error('There is no such way');
    const body = { model, ...requested[from] };
    const text = encodeRequest({
      client,
      route,
      clientHeaders: {},
      body,
      rawText: JSON.stringify(body),
      originModel: model,
      isStream: false,
      forceUsage: true,
      settings: defaultSettings,
    }).body.toString();
    expect(text).not.toMatch(refused);
    expect(text).toContain('"description":"{minimum: 1}"');
    expect(text).toContain('"additionalProperties":false');
  });
});
