// Tool calls in a conversation that other vendors' models, or models that were cut off, have had a part in: the next provider takes their
// ids, reads their arguments and learns which tools have failed, whatever its format and the caller's.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { startFakeCohere } from '#tests/support/fake-cohere.ts';
import { startFakeOllama } from '#tests/support/fake-ollama.ts';

type Json = Record<string, unknown>;

const model = 'gpt-4o-mini';
const formats = (...names: string[]) => JSON.stringify({ formats: names });

interface Called {
  id: string;
  arguments: unknown;
}

interface Target {
  channel: object;
  /** Ids that it takes. */
  ids: RegExp;
  /** Calls and ids of results in a body that it got. */
  read(body: Json): { calls: Called[]; results: string[] };
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map((one: unknown) => Object(one) as Json) : []);
const fromText = (text: unknown): unknown => JSON.parse(String(text));

function ofChat(body: Json) {
  const messages = objects(body['messages']);
  const calls = messages.flatMap(({ tool_calls: called }) => objects(called));
  return {
    calls: calls.map(({ id, function: named }) => ({ id: String(id), arguments: fromText(Object(named)['arguments']) })),
    results: messages.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => String(id)),
  };
}

function ofClaude(body: Json) {
  const blocks = objects(body['messages']).flatMap(({ content }) => objects(content));
  return {
    calls: blocks.filter(({ type }) => type === 'tool_use').map(({ id, input }) => ({ id: String(id), arguments: input })),
    results: blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => String(id)),
  };
}

function ofResponses(body: Json) {
  const items = objects(body['input']);
  return {
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map((call) => ({ id: String(call['call_id']), arguments: fromText(call['arguments']) })),
    results: items.filter(({ type }) => type === 'function_call_output').map(({ call_id: id }) => String(id)),
  };
}

const targets: Record<string, Target> = {
  'OpenAI chat': { channel: { type: 1, setting: formats('openai-chat') }, ids: /^.{1,40}$/, read: ofChat },
  Mistral: { channel: { type: 42 }, ids: /^[a-zA-Z0-9]{9}$/, read: ofChat },
  OpenRouter: { channel: { type: 20 }, ids: /^.{1,64}$/, read: ofChat },
  Moonshot: { channel: { type: 25 }, ids: /^.{1,128}$/, read: ofChat },
  Claude: { channel: { type: 14 }, ids: /^[\w-]{1,64}$/, read: ofClaude },
  Responses: { channel: { type: 1, setting: formats('openai-responses') }, ids: /^.{1,64}$/, read: ofResponses },
};

const long = (end: string) => `call_${'a'.repeat(100)}${end}`;
const pairs: readonly (readonly [string, string])[] = [
  ['functions.Bash:0', 'functions_Bash_0'],
  [long('1'), long('2')],
  ['call_1', 'call_2'],
  ['', ''],
];

interface History {
  ids: readonly [string, string];
  /** As the model wrote them: JSON text, or what is left of it. */
  written?: unknown;
  result?: { text: string; isError: boolean };
}

interface Caller {
  path: string;
  body(history: History): Json;
}

const schema = { type: 'object', properties: { path: { type: 'string' } } };

const callers: Record<string, Caller> = {
  chat: {
    path: '/v1/chat/completions',
    body: ({ ids, written = '{}', result = { text: 'done', isError: false } }) => ({
      model,
      tools: [{ type: 'function', function: { name: 'Bash', parameters: schema } }],
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'Bash', arguments: written } })),
        },
        ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: result.text })),
      ],
    }),
  },
  claude: {
    path: '/v1/messages',
    body: ({ ids, written = {}, result = { text: 'done', isError: false } }) => ({
      model,
      max_tokens: 50,
      tools: [{ name: 'Bash', input_schema: schema }],
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: written })) },
        {
          role: 'user',
          content: ids.map((id) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: result.text,
            ...(result.isError ? { is_error: true } : {}),
          })),
        },
      ],
    }),
  },
  responses: {
    path: '/v1/responses',
    body: ({ ids, written = '{}', result = { text: 'done', isError: false } }) => ({
      model,
      store: false,
      tools: [{ type: 'function', name: 'Bash', parameters: schema, strict: false }],
      input: [
        { role: 'user', content: 'go' },
        ...ids.map((id) => ({ type: 'function_call', call_id: id, name: 'Bash', arguments: written })),
        ...ids.map((id) => ({ type: 'function_call_output', call_id: id, output: result.text })),
      ],
    }),
  },
  interactions: {
    path: '/v1beta/interactions',
    body: ({ ids, written = {}, result = { text: 'done', isError: false } }) => ({
      model,
      store: false,
      tools: [{ type: 'function', name: 'Bash', parameters: schema }],
      input: [
        { type: 'user_input', content: [{ type: 'text', text: 'go' }] },
        ...ids.map((id) => ({ type: 'function_call', id, name: 'Bash', arguments: written })),
        ...ids.map((id) => ({
          type: 'function_result',
          call_id: id,
          name: 'Bash',
          result: result.text,
          ...(result.isError ? { is_error: true } : {}),
        })),
      ],
    }),
  },
};

async function send(scene: RelayScene, { path, body }: Caller, history: History): Promise<{ sent: Json; dropped: string | null }> {
  const response = await scene.post(path, body(history));
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return { sent: scene.upstream.requests.at(-1)?.body as Json, dropped: response.headers.get('x-tidegate-dropped') };
}

describe.each(oneEngine)('tool calls of others, on $kind', (engine) => {
  describe.each(Object.entries(targets))('gone on with at %s', (_name, { channel, ids: allowed, read }) => {
    test.each(Object.entries(callers))('a %s caller keeps its ids, and the provider gets ones that it takes', async (_caller, caller) => {
      await using scene = await createScene(engine, { channels: [channel] });
      for (const ids of pairs) {
        const { calls, results } = read((await send(scene, caller, { ids })).sent);
        expect(results).toEqual(calls.map(({ id }) => id));
        expect(new Set(results).size).toBe(2);
        for (const id of results) expect(id).toMatch(allowed);
        if (ids.every((id) => allowed.test(id))) expect(results).toEqual(ids);
        // The same turn is the same in the next request: it is in the provider's cache.
        expect(read((await send(scene, caller, { ids })).sent).results).toEqual(results);
      }
      await scene.checkBooks();
    });

    test.each(Object.entries(callers))('arguments of a %s caller that are no object end no session', async (_caller, caller) => {
      await using scene = await createScene(engine, { channels: [channel] });
      const texts = [
        ['{"path": "/a', { input: '{"path": "/a' }],
        ['[1]', { input: '[1]' }],
        ['"ls"', { input: '"ls"' }],
        ['null', {}],
        ['', {}],
        ['{"path":"/a"}', { path: '/a' }],
      ] as const;
      for (const [written, expected] of texts) {
        const { calls } = read((await send(scene, caller, { ids: ['call_1', 'call_2'], written })).sent);
        expect(calls.map((call) => call.arguments)).toEqual([expected, expected]);
      }
    });
  });

  test.each(Object.keys(callers))('empty ids of a %s caller pair calls and results at Cohere and Ollama', async (named) => {
    const caller = callers[named] as Caller;
    const taken: Json[] = [];
    const capturing =
      (start: (url: string) => ReturnType<typeof startFakeCohere>): NonNullable<SceneOptions['front']> =>
      async (url) => {
        const front = await start(url);
        const close = async () => {
          taken.push(...front.taken);
          await front.close();
        };
        return { ...front, close };
      };
    for (const start of [startFakeCohere, startFakeOllama]) {
      await using scene = await createScene(engine, { channels: [{}], front: capturing(start) });
      await send(scene, caller, { ids: ['', ''] });
    }
    const [cohere = {}, ollama = {}] = taken;
    const { calls, results } = ofChat(cohere);
    expect(results).toEqual(calls.map(({ id }) => id));
    expect(new Set(results).size).toBe(2);
    expect(results).not.toContain('');
    const answers = objects(ollama['messages']).filter(({ role }) => role === 'tool');
    // Chat callers reach Ollama's own chat endpoint.
    expect(answers.map(({ tool_name: name }) => name)).toEqual(named === 'chat' ? [] : ['Bash', 'Bash']);
  });

  test('calls that all have one id are told apart where the provider wants that', async () => {
    await using scene = await createScene(engine, { channels: [{ type: 14 }] });
    const { body } = callers['chat'] as Caller;
    const one = body({ ids: ['call_0', 'call_0'] });
    const [question, ...turn] = objects(one['messages']);
    const response = await scene.post('/v1/chat/completions', { ...one, messages: [question, ...turn, ...turn] });
    expect(response.status).toBe(200);
    const { calls, results } = ofClaude(scene.upstream.requests.at(-1)?.body as Json);
    expect(new Set(results).size).toBe(4);
    expect(results).toEqual(calls.map(({ id }) => id));
  });

  const failed: Record<string, { channel: object; front?: SceneOptions['front']; read(body: Json): unknown }> = {
    'OpenAI chat': { channel: { type: 1, setting: formats('openai-chat') }, read: (body) => objects(body['messages']).at(-1)?.['content'] },
    Responses: { channel: { type: 1, setting: formats('openai-responses') }, read: (body) => objects(body['input']).at(-1)?.['output'] },
    Ollama: { channel: {}, front: startFakeOllama, read: (body) => objects(body['messages']).at(-1)?.['content'] },
    Cohere: { channel: {}, front: startFakeCohere, read: (body) => objects(body['messages']).at(-1)?.['content'] },
  };

  const failures = Object.entries(failed).flatMap(([name, target]) =>
    ['claude', 'interactions'].map((caller) => [name, caller, target] as const),
  );

  test.each(failures)('that a tool has failed is told to %s in words, by a %s caller', async (_name, named, { channel, front, read }) => {
    await using scene = await createScene(engine, { channels: [channel], ...(front === undefined ? {} : { front }) });
    const caller = callers[named] as Caller;
    const reported = [
      ['', 'Error: the tool failed without a message.'],
      ['no such file', 'Error: no such file'],
      ['TypeError: x is undefined', 'TypeError: x is undefined'],
      ['<tool_use_error>File is not read</tool_use_error>', '<tool_use_error>File is not read</tool_use_error>'],
    ] as const;
    for (const [text, expected] of reported) {
      const { sent, dropped } = await send(scene, caller, { ids: ['toolu_1', 'toolu_2'], result: { text, isError: true } });
      expect([read(sent), dropped]).toEqual([expected, null]);
    }
    const { sent } = await send(scene, caller, { ids: ['toolu_1', 'toolu_2'], result: { text: 'fine', isError: false } });
    expect(read(sent)).toBe('fine');
  });
});
