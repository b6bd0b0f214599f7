// Edits of prompts that callers of Claude's format request (`context_management`), for providers without them.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'gpt-4o-mini';
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
];
const cases = oneEngine.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

type Message = Anthropic.Beta.BetaMessageParam;
type Edits = Anthropic.Beta.BetaContextManagementConfig['edits'];

const clientOf = ({ app, key }: RelayScene) => new Anthropic({ baseURL: app.origin, apiKey: key, maxRetries: 0 }).beta.messages;
const betas = ['context-management-2025-06-27'];

const thoughtsOf = (place: number) => [{ type: 'thinking' as const, thinking: `THOUGHT${place}`, signature: 's' }];

/** Builds one turn with a tool call and its result. */
const step = (name: string, place: number, thoughts: readonly Anthropic.Beta.BetaThinkingBlockParam[] = thoughtsOf(place)): Message[] => [
  {
    role: 'assistant',
    content: [...thoughts, { type: 'tool_use', id: `call_${place}`, name, input: { port: `INPUT${place}` } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${place}`, content: `RESULT${place} ${'of tides '.repeat(50)}` }] },
];
const messages: Message[] = [
  { role: 'user', content: 'When is high water?' },
  ...step('get_tide', 1),
  ...step('get_port', 2),
  ...step('get_tide', 3),
];
const tools: Anthropic.Beta.BetaTool[] = ['get_tide', 'get_port'].map((name) => ({ name, input_schema: { type: 'object' } }));
const requested = (edits: Edits) => ({ model, max_tokens: 50, messages, tools, betas, context_management: { edits: edits ?? [] } });
const open = (engine: (typeof oneEngine)[number], channel: object, options: SceneOptions = {}) =>
  createScene(engine, { channels: [{ models: model, ...channel }], ...options });
const lastSent = (scene: RelayScene) => JSON.stringify(scene.upstream.requests.at(-1)?.body);

describe.each(cases)('context edits on $kind, before $format', ({ engine, channel }) => {
  test.each([false, true])('old results are cleared, and the response says so (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    const edit = { type: 'clear_tool_uses_20250919' as const, trigger: { type: 'tool_uses' as const, value: 2 } };
    const body = requested([{ ...edit, keep: { type: 'tool_uses', value: 1 }, exclude_tools: ['get_port'], clear_tool_inputs: true }]);
    const applied = { applied_edits: [{ type: edit.type, cleared_tool_uses: 1, cleared_input_tokens: expect.any(Number) }] };
    if (stream) {
      const events = [];
      for await (const event of await clientOf(scene).create({ ...body, stream: true })) events.push(event);
      expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({ context_management: applied });
    } else {
      const { data, response } = await clientOf(scene).create(body).withResponse();
      expect(data.context_management).toEqual(applied);
      expect(data.context_management?.applied_edits[0]?.cleared_input_tokens).toBeGreaterThan(80);
      expect(response.headers.get('x-tidegate-dropped') ?? '').not.toContain('context_management');
    }
    const sent = lastSent(scene);
    for (const word of ['RESULT1', 'INPUT1']) expect(sent).not.toContain(word);
    for (const word of ['RESULT2', 'INPUT2', 'RESULT3', 'INPUT3', 'was cleared']) expect(sent).toContain(word);
    await scene.logs(1);
    await scene.checkBooks();
  });

  test('what does not reach its trigger, or would clear too little, stays', async () => {
    await using scene = await open(engine, channel);
    for (const edit of [
      { trigger: { type: 'tool_uses' as const, value: 3 } },
      { trigger: { type: 'input_tokens' as const, value: 5000 } },
      { trigger: { type: 'tool_uses' as const, value: 1 }, clear_at_least: { type: 'input_tokens' as const, value: 5000 } },
      {},
    ]) {
      const reported = await clientOf(scene).create(
        requested([{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 0 }, ...edit }]),
      );
      expect(reported.context_management).toEqual({ applied_edits: [] });
      expect(lastSent(scene)).toContain('RESULT1');
    }
    await scene.checkBooks();
  });

  test('tokens of the prompt set it off as well', async () => {
    await using scene = await open(engine, channel);
    const reported = await clientOf(scene).create(
      requested([
        { type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 200 }, keep: { type: 'tool_uses', value: 0 } },
      ]),
    );
    expect(reported.context_management).toMatchObject({ applied_edits: [{ cleared_tool_uses: 3 }] });
    for (const word of ['RESULT1', 'RESULT2', 'RESULT3']) expect(lastSent(scene)).not.toContain(word);
    expect(lastSent(scene)).toContain('INPUT1');
  });
});

describe.each(oneEngine)('context edits on $kind', (engine) => {
  test('thoughts of old turns are cleared, those of the last ones stay', async () => {
    await using scene = await open(engine, { type: 1 });
    const later: Message[] = [
      ...messages,
      { role: 'assistant', content: 'Noon.' },
      { role: 'user', content: 'Then?' },
      ...step('get_tide', 4),
    ];
    const ask = (keep?: Anthropic.Beta.BetaThinkingTurns | 'all') =>
      clientOf(scene).create({
        ...requested([{ type: 'clear_thinking_20251015', ...(keep === undefined ? {} : { keep }) }]),
        messages: later,
      });
    const reported = await ask();
    expect(reported.context_management).toEqual({
      applied_edits: [{ type: 'clear_thinking_20251015', cleared_thinking_turns: 1, cleared_input_tokens: expect.any(Number) }],
    });
    expect((await ask('all')).context_management).toEqual({ applied_edits: [] });
    expect((await ask({ type: 'thinking_turns', value: 2 })).context_management).toEqual({ applied_edits: [] });
    await scene.checkBooks();
  });

  test('a count says what would be sent, and what that was before', async () => {
    await using scene = await open(engine, { type: 1 });
    const edit = {
      type: 'clear_tool_uses_20250919' as const,
      trigger: { type: 'tool_uses' as const, value: 2 },
      keep: { type: 'tool_uses' as const, value: 0 },
    };
    const { max_tokens: _most, ...counted } = requested([edit]);
    const { input_tokens: tokens, context_management: reported } = await clientOf(scene).countTokens(counted);
    expect(reported?.original_input_tokens).toBeGreaterThan(tokens + 250);
    expect(scene.upstream.requests).toHaveLength(0);
  });

  test('what else may be asked for is named, and the rest is done', async () => {
    await using scene = await open(engine, { type: 1 });
    const edit = { type: 'clear_tool_uses_20250919' as const, trigger: { type: 'tool_uses' as const, value: 2 } };
    const edits = [{ ...edit, keep: { type: 'tool_uses', value: 2 } }, { type: 'clear_images_20270101' }];
    const { betas: _betas, ...rest } = requested([]);
    const response = await scene.post('/v1/messages', { ...rest, context_management: { edits } });
    expect(await response.json()).toMatchObject({ context_management: { applied_edits: [{ cleared_tool_uses: 1 }] } });
    expect(response.headers.get('x-tidegate-dropped')).toContain('context_management');
  });

  test('are left to a provider of the format', async () => {
    await using scene = await open(engine, { type: 14 });
    const edits: Edits = [{ type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 1 } }];
    const plain: Message[] = [{ role: 'user', content: 'When is high water?' }, ...step('get_tide', 1, []), ...step('get_port', 2, [])];
    await clientOf(scene).create({ ...requested(edits), messages: plain });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ context_management: { edits }, messages: plain });
  });
});
