// Wide, deep, repeated and recursive inputs from every client format to every upstream format: doubling the input may little more than
// double the work and the output.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { createStepCounter, type StepCounter } from '#tests/support/count-steps.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { AppError } from '#shared/errors.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';

type Body = Record<string, unknown>;

const numbered = <Value>(count: number, value: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => value(index));
const named = (count: number, value: (index: number) => unknown): Body =>
  Object.fromEntries(numbered(count, (index) => [`p${index}`, value(index)]));

/** A request independent of format. */
interface Requested {
  turns: (
    | { text: string }
    | { calls: { id: string; input: unknown }[] }
    | { results: { id: string; text: string }[] }
    | { said: string }
  )[];
  tools?: { name: string; schema: Body }[];
  format?: Body;
  allowed?: string[];
}

const hello = [{ text: 'Hello' }];
const oneTool = (schema: Body): Requested => ({ turns: hello, tools: [{ name: 'read', schema: { type: 'object', ...schema } }] });
const callsOf = (count: number) => numbered(count, (index) => ({ id: `c${index}`, input: {} }));
const resultsOf = (count: number) => numbered(count, (index) => ({ id: `c${index}`, text: 'done' }));

const shapes: Record<string, (size: number) => Requested> = {
  'properties with their names': (size) =>
    oneTool({ properties: named(size, () => ({})), required: numbered(size, (index) => `p${index}`) }),
  'names of no properties': (size) => oneTool({ properties: named(size, () => ({})), required: numbered(size, (index) => `q${index}`) }),
  allOf: (size) => oneTool({ allOf: numbered(size, (index) => ({ properties: { [`p${index}`]: {} }, required: [`p${index}`] })) }),
  'allOf within allOf': (size) => oneTool({ allOf: [{ allOf: [{ allOf: numbered(size, (index) => ({ [`w${index}`]: 1 })) }] }] }),
  anyOf: (size) => oneTool({ anyOf: numbered(size, () => ({ type: 'string' })) }),
  'a type, often': (size) => oneTool({ type: numbered(size, () => 'object'), properties: named(size, () => ({})) }),
  'one reference, often': (size) => oneTool({ $defs: { a: { type: 'string' } }, properties: named(size, () => ({ $ref: '#/$defs/a' })) }),
  'itself, often': (size) => oneTool({ properties: named(size, () => ({ $ref: '#' })) }),
  'definitions of allOf': (size) => oneTool({ allOf: numbered(size, (index) => ({ definitions: { [`d${index}`]: {} }, $ref: '#' })) }),
  'a format of the response': (size) => ({
    turns: hello,
    format: {
      type: 'object',
      properties: named(size, () => ({ type: 'string' })),
      required: numbered(size, (index) => `p${index}`),
      additionalProperties: false,
    },
  }),
  tools: (size) => ({
    turns: hello,
    tools: numbered(size, (index) => ({ name: `t${index}`, schema: { type: 'object', properties: { a: {} } } })),
  }),
  'allowed tools': (size) => ({
    turns: hello,
    tools: numbered(size, (index) => ({ name: `n_t${index}`, schema: { type: 'object' } })),
    allowed: numbered(size, (index) => `t${size - 1 - index}`),
  }),
  'turns of the user': (size) => ({ turns: numbered(size, () => ({ text: 'Hello' })) }),
  turns: (size) => ({ turns: numbered(size, (index) => (index % 2 === 0 ? { text: 'Hello' } : { said: 'Hello' })) }),
  'calls and results at once': (size) => ({ turns: [...hello, { calls: callsOf(size) }, { results: resultsOf(size) }] }),
  'results in other order': (size) => ({ turns: [...hello, { calls: callsOf(size) }, { results: resultsOf(size).toReversed() }] }),
  'calls and results by turns': (size) => ({
    turns: [
      ...hello,
      ...numbered(size, (index) => [{ calls: [{ id: `c${index}`, input: {} }] }, { results: [{ id: `c${index}`, text: 'done' }] }]).flat(),
    ],
  }),
  'wide arguments and results': (size) => ({
    turns: [
      ...hello,
      { calls: [{ id: 'c0', input: { a: numbered(size, () => ({})) } }] },
      { results: [{ id: 'c0', text: JSON.stringify({ a: numbered(size, () => ({})) }) }] },
    ],
  }),
};

const function_ = ({ name, schema }: { name: string; schema: Body }) => ({ name, parameters: schema });
const list = (items: unknown[] | undefined, name = 'tools'): Body => (items === undefined ? {} : { [name]: items });

const bodies: { client: ClientDialect; write(requested: Requested): Body }[] = [
  {
    client: clientDialects['openai-chat'],
    write: ({ turns, tools, format, allowed }) => ({
      messages: turns.flatMap((turn): Body[] => {
        if ('text' in turn) return [{ role: 'user', content: turn.text }];
        if ('said' in turn) return [{ role: 'assistant', content: turn.said }];
        if ('results' in turn) return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
        const tool_calls = turn.calls.map(({ id, input }) => ({
          id,
          type: 'function',
          function: { name: id, arguments: JSON.stringify(input) },
        }));
        return [{ role: 'assistant', tool_calls }];
      }),
      ...list(tools?.map((tool) => ({ type: 'function', function: function_(tool) }))),
      ...(format === undefined ? {} : { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: format } } }),
      ...(allowed === undefined
        ? {}
        : {
            tool_choice: {
              type: 'allowed_tools',
              allowed_tools: { mode: 'auto', tools: allowed.map((name) => ({ type: 'function', function: { name: `n_${name}` } })) },
            },
          }),
    }),
  },
  {
    client: clientDialects['openai-responses'],
    write: ({ turns, tools, format, allowed }) => ({
      input: turns.flatMap((turn): Body[] => {
        if ('text' in turn) return [{ role: 'user', content: turn.text }];
        if ('said' in turn) return [{ role: 'assistant', content: turn.said }];
        if ('results' in turn) return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }));
        return turn.calls.map(({ id, input }) => ({ type: 'function_call', call_id: id, name: id, arguments: JSON.stringify(input) }));
      }),
      ...list(tools?.map((tool) => ({ type: 'function', ...function_(tool) }))),
      ...(format === undefined ? {} : { text: { format: { type: 'json_schema', name: 'a', schema: format } } }),
      ...(allowed === undefined
        ? {}
        : { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed.map((name) => ({ type: 'function', name })) } }),
    }),
  },
  {
    client: clientDialects.claude,
    write: ({ turns, tools, format }) => ({
      max_tokens: 100,
      messages: turns.map((turn): Body => {
        if ('text' in turn) return { role: 'user', content: turn.text };
        if ('said' in turn) return { role: 'assistant', content: turn.said };
        if ('results' in turn)
          return { role: 'user', content: turn.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })) };
        return { role: 'assistant', content: turn.calls.map(({ id, input }) => ({ type: 'tool_use', id, name: id, input })) };
      }),
      ...list(tools?.map(({ name, schema }) => ({ name, input_schema: schema }))),
      ...(format === undefined ? {} : { output_config: { format: { type: 'json_schema', schema: format } } }),
    }),
  },
  {
    client: clientDialects.gemini,
    write: ({ turns, tools, format, allowed }) => ({
      contents: turns.map((turn): Body => {
        if ('text' in turn) return { role: 'user', parts: [{ text: turn.text }] };
        if ('said' in turn) return { role: 'model', parts: [{ text: turn.said }] };
        if ('results' in turn)
          return {
            role: 'user',
            parts: turn.results.map(({ id, text }) => ({ functionResponse: { name: id, response: { output: text } } })),
          };
        return { role: 'model', parts: turn.calls.map(({ id, input }) => ({ functionCall: { name: id, args: input } })) };
      }),
      ...list(tools === undefined ? undefined : [{ functionDeclarations: tools.map(function_) }]),
      ...(format === undefined ? {} : { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: format } }),
      ...(allowed === undefined
        ? {}
        : { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: allowed.map((name) => `n_${name}`) } } }),
    }),
  },
  {
    client: clientDialects['gemini-interactions'],
    write: ({ turns, tools, format }) => ({
      input: turns.flatMap((turn): Body[] => {
        if ('text' in turn) return [{ type: 'user_input', content: turn.text }];
        if ('said' in turn) return [{ type: 'model_output', content: [{ type: 'text', text: turn.said }] }];
        if ('results' in turn) return turn.results.map(({ id, text }) => ({ type: 'function_result', call_id: id, result: text }));
        return turn.calls.map(({ id, input }) => ({ type: 'function_call', id, name: id, arguments: input }));
      }),
      ...list(tools?.map((tool) => ({ type: 'function', ...function_(tool) }))),
      ...(format === undefined ? {} : { response_format: { type: 'text', mime_type: 'application/json', schema: format } }),
    }),
  },
];

const upstreams = [
  { model: 'gpt-4o', type: 1, setting: '{"formats":["openai-chat"]}' },
  { model: 'gpt-4.1', type: 1, setting: '{"formats":["openai-responses"]}' },
  { model: 'claude-sonnet-4-5', type: 14 },
  { model: 'gemini-2.0-flash', type: 24, setting: '{"formats":["gemini"]}' },
  { model: 'gemini-2.5-flash', type: 24, setting: '{"formats":["gemini"]}' },
  { model: 'amazon.nova-pro-v1:0', type: 33, key: 'a|b|us-east-1' },
  { model: 'llama3.1', type: 4 },
  { model: 'command-r-plus', type: 34 },
  { model: 'ernie-4.0-8k', type: 15, key: 'a|b' },
  { model: 'hunyuan-pro', type: 23, key: '1|a|b' },
];

const size = 150;
/** Maximum growth for a doubled input; fixed work per request reduces it. */
const mostGrowth = 2.3;
/** The engine loses counts of functions that it discards; real growth recurs in each measurement. */
const mostMeasurings = 3;

let steps: StepCounter;
beforeAll(() => {
  steps = createStepCounter();
});
afterAll(() => steps[Symbol.dispose]());

describe.each(bodies)('a caller of $client.title', ({ client, write }) => {
  const routes = upstreams.flatMap(({ model, ...channel }) => {
    const route = buildPreparedChannel({ base_url: 'https://up.example', ...channel }).route(client, 'chat', model);
    return route === null || route.identity !== null ? [] : [{ model, route }];
  });

  test.each(routes)('before $model', ({ model, route }) => {
    const encode = (requested: Requested): { cost: number; length: number } => {
      const body = { model, ...write(requested) };
      const call = { client, route, clientHeaders: {}, body, rawText: JSON.stringify(body), originModel: model };
      let length = 0;
      const cost = steps.count(() => {
        try {
          const sent = encodeRequest({ ...call, isStream: false, forceUsage: true, settings: defaultSettings }).body;
          if (Buffer.isBuffer(sent)) length = sent.length;
        } catch (failure) {
          // The format may not support the input.
          if (!(failure instanceof AppError)) throw failure;
        }
      });
      return { cost, length };
    };
    const grown = Object.entries(shapes).flatMap(([about, shape]) => {
      let last = {};
      for (let measuring = 0; measuring < mostMeasurings; measuring += 1) {
        const [once, twice] = [encode(shape(size)), encode(shape(2 * size))];
        // A long schema may be truncated: the rest is not the measure of the work.
        const isGrown = twice.cost > mostGrowth * once.cost || twice.length > mostGrowth * Math.max(once.length, 100);
        if (!isGrown) return [];
        last = { about, once, twice };
      }
      return [last];
    });
    expect(grown).toEqual([]);
  });
});
