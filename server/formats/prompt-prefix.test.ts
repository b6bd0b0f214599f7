// Provider caches match prompts by prefix: each turn's request begins with the bytes of the previous one.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject } from '#server/framing/loose-json.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';
import { type SealOrigin, writeSeal } from './seal.ts';

type Json = Record<string, unknown>;

interface Call {
  id: string;
  name: string;
  argument: string;
  result: string;
  hasImage: boolean;
}
/** One step: a user message or tool results, and the model's response. */
interface Step {
  text: string;
  hasImage: boolean;
  /** Instruction between messages. */
  reminder: string | null;
  thought: string | null;
  signedBy: SealOrigin | null;
  answer: string;
  calls: Call[];
}
interface Conversation {
  system: string[];
  tools: readonly string[];
  steps: Step[];
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { z: { type: 'string' }, a: { type: ['string', 'null'] }, '2': { type: 'number' } } };

/** Request for the last step, whose response is not part of it. */
type Body = (conversation: Conversation) => Json;

/** Results of the previous step's calls. */
function resultsBefore(steps: readonly Step[], at: number): readonly Call[] {
  return steps[at - 1]?.calls ?? [];
}
const written = (steps: readonly Step[], at: number) => (at === steps.length - 1 ? null : (steps[at] ?? null));

const chatBody: Body = ({ system, tools, steps }) => ({
  model: 'm',
  messages: [
    ...system.map((content) => ({ role: 'system', content })),
    ...steps.flatMap((step, at) => {
      const results = resultsBefore(steps, at);
      const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
      const answer = written(steps, at);
      return [
        ...results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
        ...(results.length > 0 ? [] : [{ role: 'user', content: step.hasImage ? [{ type: 'text', text: step.text }, image] : step.text }]),
        ...(step.reminder === null ? [] : [{ role: 'system', content: step.reminder }]),
        ...(answer === null
          ? []
          : [
              {
                role: 'assistant',
                content: answer.answer,
                ...(answer.thought === null ? {} : { reasoning_details: [chatThought(answer.thought, answer.signedBy)] }),
                ...(answer.calls.length === 0
                  ? {}
                  : {
                      tool_calls: answer.calls.map(({ id, name, argument }) => ({
                        id,
                        type: 'function',
                        function: { name, arguments: JSON.stringify({ z: argument, a: null }) },
                      })),
                    }),
              },
            ]),
      ];
    }),
  ],
  tools: tools.map((name) => ({ type: 'function', function: { name, description: name, parameters: schema } })),
  reasoning_effort: 'low',
});

function chatThought(text: string, origin: SealOrigin | null): Json {
  const formats = {
    claude: 'anthropic-claude-v1',
    openai: 'openai-responses-v1',
    gemini: 'google-gemini-v1',
    bedrock: 'amazon-bedrock-v1',
  };
  return { type: 'reasoning.text', text, ...(origin === null ? {} : { signature: 'c2ln', format: formats[origin] }) };
}

const claudeBody: Body = ({ system, tools, steps }) => ({
  model: 'm',
  max_tokens: 4096,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330.73a; cc_entrypoint=sdk-cli;' },
    ...system.map((text) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })),
  ],
  messages: steps.flatMap((step, at): Json[] => {
    const answer = written(steps, at);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
    const results = resultsBefore(steps, at).map(({ id, result, hasImage }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: hasImage ? [{ type: 'text', text: result }, image] : result,
    }));
    const said = [{ type: 'text', text: step.text }, ...(step.hasImage ? [image] : [])];
    return [
      { role: 'user', content: results.length > 0 ? results : said },
      ...(step.reminder === null ? [] : [{ role: 'system', content: step.reminder }]),
      ...(answer === null
        ? []
        : [
            {
              role: 'assistant',
              content: [
                ...(answer.thought === null
                  ? []
                  : [
                      {
                        type: 'thinking',
                        thinking: answer.thought,
                        signature: answer.signedBy === null ? '' : writeSeal({ origin: answer.signedBy, data: 'c2ln' }, 'claude'),
                      },
                    ]),
                { type: 'text', text: answer.answer },
                ...answer.calls.map(({ id, name, argument }) => ({ type: 'tool_use', id, name, input: { z: argument, a: null } })),
              ],
            },
          ]),
    ];
  }),
  tools: tools.map((name) => ({ name, description: name, input_schema: schema })),
});

const responsesBody: Body = ({ system, tools, steps }) => ({
  model: 'm',
  instructions: system.join('\n'),
  input: steps.flatMap((step, at): Json[] => {
    const answer = written(steps, at);
    const image = { type: 'input_image', image_url: `data:image/png;base64,${png}` };
    const results = resultsBefore(steps, at).map(({ id, result, hasImage }) => ({
      type: 'function_call_output',
      call_id: id,
      output: hasImage ? [{ type: 'input_text', text: result }, image] : result,
    }));
    const said = { role: 'user', content: [{ type: 'input_text', text: step.text }, ...(step.hasImage ? [image] : [])] };
    return [
      ...(results.length > 0 ? results : [said]),
      ...(step.reminder === null ? [] : [{ role: 'developer', content: step.reminder }]),
      ...(answer === null
        ? []
        : [
            ...(answer.thought === null
              ? []
              : [
                  {
                    type: 'reasoning',
                    id: `rs_${at}`,
                    summary: [{ type: 'summary_text', text: answer.thought }],
                    ...(answer.signedBy === null
                      ? {}
                      : { encrypted_content: writeSeal({ origin: answer.signedBy, data: 'c2ln' }, 'openai') }),
                  },
                ]),
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer.answer, annotations: [] }] },
            ...answer.calls.map(({ id, name, argument }) => ({
              type: 'function_call',
              call_id: id,
              name,
              arguments: JSON.stringify({ z: argument, a: null }),
            })),
          ]),
    ];
  }),
  tools: tools.map((name) => ({ type: 'function', name, description: name, parameters: schema, strict: false })),
});

const geminiBody: Body = ({ system, tools, steps }) => ({
  contents: steps.flatMap((step, at): Json[] => {
    const answer = written(steps, at);
    const image = { inlineData: { mimeType: 'image/png', data: png } };
    const results = resultsBefore(steps, at).map(({ name, result }) => ({ functionResponse: { name, response: { output: result } } }));
    return [
      { role: 'user', parts: results.length > 0 ? results : [{ text: step.text }, ...(step.hasImage ? [image] : [])] },
      ...(answer === null
        ? []
        : [
            {
              role: 'model',
              parts: [
                { text: answer.answer },
                ...answer.calls.map(({ name, argument }) => ({
                  functionCall: { name, args: { z: argument } },
                  ...(answer.signedBy === null ? {} : { thoughtSignature: writeSeal({ origin: answer.signedBy, data: 'c2ln' }, 'gemini') }),
                })),
              ],
            },
          ]),
    ];
  }),
  systemInstruction: { parts: system.map((text) => ({ text })) },
  tools: [{ functionDeclarations: tools.map((name) => ({ name, description: name, parametersJsonSchema: schema })) }],
});

const interactionsBody: Body = ({ system, tools, steps }) => ({
  model: 'm',
  system_instruction: system.join('\n'),
  input: steps.flatMap((step, at): Json[] => {
    const answer = written(steps, at);
    const image = { type: 'image', mime_type: 'image/png', data: png };
    const results = resultsBefore(steps, at).map(({ id, name, result, hasImage }) => ({
      type: 'function_result',
      call_id: id,
      name,
      result: hasImage ? [{ type: 'text', text: result }, image] : result,
    }));
    const said = { type: 'user_input', content: [{ type: 'text', text: step.text }, ...(step.hasImage ? [image] : [])] };
    return [
      ...(results.length > 0 ? results : [said]),
      ...(answer === null
        ? []
        : [
            ...(answer.thought === null
              ? []
              : [
                  {
                    type: 'thought',
                    summary: [{ type: 'text', text: answer.thought }],
                    ...(answer.signedBy === null ? {} : { signature: writeSeal({ origin: answer.signedBy, data: 'c2ln' }, 'gemini') }),
                  },
                ]),
            { type: 'model_output', content: [{ type: 'text', text: answer.answer }] },
            ...answer.calls.map(({ id, name, argument }) => ({ type: 'function_call', id, name, arguments: { z: argument } })),
          ]),
    ];
  }),
  tools: tools.map((name) => ({ type: 'function', name, description: name, parameters: schema })),
});

const bodies: Readonly<Record<string, Body>> = {
  'openai-chat': chatBody,
  claude: claudeBody,
  'openai-responses': responsesBody,
  'openai-mixed': responsesBody,
  gemini: geminiBody,
  'gemini-interactions': interactionsBody,
};

const upstreams = [
  { to: 'openai-chat', model: 'gpt-4o', fields: { type: 1, setting: '{"formats":["openai-chat"]}' } },
  { to: 'openai-responses', model: 'gpt-5.5', fields: { type: 1, setting: '{"formats":["openai-responses"]}' } },
  { to: 'claude', model: 'claude-sonnet-4-5', fields: { type: 14 } },
  { to: 'claude', model: 'claude-opus-5-5', fields: { type: 14 } },
  { to: 'claude of others', model: 'deepseek-chat', fields: { type: 43, setting: '{"formats":["claude"]}' } },
  { to: 'gemini', model: 'gemini-2.5-flash', fields: { type: 24, setting: '{"formats":["gemini"]}' } },
  { to: 'gemini', model: 'gemini-3-pro-preview', fields: { type: 24, setting: '{"formats":["gemini"]}' } },
] as const;

/** Formats with conversations; completions have no turns. */
const clients = Object.values<ClientDialect>(clientDialects).filter(({ calls }) => calls.chat !== undefined);
const pairs = clients.flatMap((client) => upstreams.map((upstream) => ({ client, from: client.name, ...upstream })));

const text = fc.string({ minLength: 1, maxLength: 12 });
const step = (index: number) =>
  fc.record({
    text,
    hasImage: fc.boolean(),
    reminder: fc.option(text, { freq: 4 }),
    thought: fc.option(text),
    signedBy: fc.constantFrom<SealOrigin | null>('claude', 'openai', 'gemini', null),
    answer: text,
    calls: fc
      .array(fc.record({ name: fc.constantFrom('read', 'write'), argument: text, result: text, hasImage: fc.boolean() }), { maxLength: 2 })
      .map((calls) => calls.map((call, at) => ({ id: `call_${index}_${at}`, ...call }))),
  });
const conversation = fc.record({
  system: fc.array(text, { minLength: 1, maxLength: 2 }),
  tools: fc.constantFrom(['write', 'read'], ['read']),
  steps: fc.integer({ min: 2, max: 4 }).chain((length) => fc.tuple(...Array.from({ length }, (_, index) => step(index)))),
});

/** Prompt as the model reads it: everything before the turns, and the bytes of each turn. */
function promptOf(client: ClientDialect, upstream: (typeof upstreams)[number], body: Json): { head: string; turns: string[] } {
  const route = buildPreparedChannel({ base_url: 'https://up.example', ...upstream.fields }).route(client, 'chat', upstream.model);
  if (route === null) throw new Error('There is no such way');
  const requested = { ...body, ...(body['model'] === undefined ? {} : { model: upstream.model }) };
  const input = {
    client,
    route,
    clientHeaders: {},
    body: requested,
    rawText: JSON.stringify(requested),
    originModel: upstream.model,
    isStream: false,
    forceUsage: true,
    settings: defaultSettings,
  };
  const sent: unknown = JSON.parse(encodeRequest(input).body.toString());
  if (!isObject(sent)) throw new Error('The request is no object');
  // Models with budgets reject results of foreign signed calls; only a caller that returns thinking can avoid that.
  const { messages, input: items, contents, thinking: _thinking, temperature: _temperature, ...rest } = sent;
  const turns = messages ?? items ?? contents;
  if (!Array.isArray(turns)) throw new Error('The request has no turns');
  return { head: JSON.stringify(rest), turns: turns.map((turn) => JSON.stringify(turn)) };
}

describe.each(pairs)('$from → $to ($model)', ({ client, from, ...upstream }) => {
  test('the prompt of a turn begins with that of the previous turn', () => {
    const bodyOf = bodies[from];
    if (bodyOf === undefined) throw new Error(`Write down how ${from} tells a conversation`);
    fc.assert(
      fc.property(conversation, (all) => {
        const prompts = all.steps.map((_, at) => promptOf(client, upstream, bodyOf({ ...all, steps: all.steps.slice(0, at + 1) })));
        for (const [at, prompt] of prompts.entries()) {
          const next = prompts[at + 1];
          if (next === undefined) break;
          expect(next.head).toBe(prompt.head);
          expect(next.turns.slice(0, prompt.turns.length)).toEqual(prompt.turns);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Removes marks, and unwraps lists of one text. */
function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) {
    const blocks: unknown[] = value.map(unmarked);
    const [only] = blocks;
    const isText = blocks.length === 1 && isObject(only) && only.type === 'text' && Object.keys(only).length === 2;
    return isText ? only.text : blocks;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => (name === 'cache_control' ? [] : [[name, unmarked(inner)]])));
}

const plain = (turn: string) => JSON.stringify(unmarked(JSON.parse(turn)));
const towardsClaude = pairs.filter(({ to, from }) => to === 'claude' && from !== 'claude' && bodies[from] !== undefined);

describe.each(towardsClaude)('$from → $to ($model), in long conversations', ({ client, from, ...upstream }) => {
  test('marks move, the prompt does not, and the last mark stays in reach of the cache', () => {
    const bodyOf = bodies[from];
    if (bodyOf === undefined) throw new Error(`Write down how ${from} tells a conversation`);
    const system = ['Tides. '.repeat(4000)];
    fc.assert(
      fc.property(conversation, (all) => {
        const prompts = all.steps.map((_, at) => promptOf(client, upstream, bodyOf({ ...all, system, steps: all.steps.slice(0, at + 1) })));
        for (const [at, { head, turns }] of prompts.entries()) {
          const marks = [head, ...turns].map((turn) => turn.split('"cache_control"').length - 1);
          expect(marks[0]).toBe(1);
          expect(marks.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(4);
          expect(marks.findLast((_count, index) => turns[index - 1]?.startsWith('{"role":"user"') === true)).toBe(1);
          const next = prompts[at + 1];
          if (next === undefined) break;
          expect(next.head).toBe(head);
          expect(next.turns.slice(0, turns.length).map(plain)).toEqual(turns.map(plain));
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('later instructions stay in place, in every format', () => {
  const [client] = clients;
  if (client === undefined) throw new Error('There is no client dialect');
  for (const upstream of upstreams) {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'The tide turns.' },
    ];
    const { head, turns } = promptOf(client, upstream, { model: 'm', messages });
    expect(turns.at(-1)).toContain('The tide turns.');
    expect(head).not.toContain('The tide turns.');
  }
});
