// Compaction of conversations that callers of Claude's format request (`compact_20260112`, `compaction`), for providers without it.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, until } from '#tests/support/relay-scene.ts';

const model = 'gpt-4o-mini';
const summary = 'They asked for the tide in Brest.';
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
];
const cases = oneEngine.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

type Beta = Anthropic.Beta.BetaMessage;
type Param = Anthropic.Beta.BetaMessageParam;

const clientOf = ({ app, key }: RelayScene) => new Anthropic({ baseURL: app.origin, apiKey: key, maxRetries: 0 }).beta.messages;
const open = (engine: (typeof oneEngine)[number], channel: object, options: SceneOptions = {}) =>
  createScene(engine, {
    channels: [{ models: model, ...channel }],
    ...options,
    settings: { SelfUseModeEnabled: 'true', ...options.settings },
  });
const requested = (scene: RelayScene) => scene.upstream.requests.map(({ body }) => JSON.stringify(body));

const oldest = `The OLDEST question. ${'About tides and more. '.repeat(120)}`;
const long: Param[] = [
  { role: 'user', content: oldest },
  { role: 'assistant', content: 'Noon.' },
  { role: 'user', content: 'And TOMORROW?' },
];
const edit = { type: 'compact_20260112' as const, trigger: { type: 'input_tokens' as const, value: 400 } };
const params = {
  model,
  max_tokens: 50,
  system: 'Speak like a PILOT.',
  messages: long,
  betas: ['compact-2026-01-12'],
  context_management: { edits: [edit] },
};
const next: Param = { role: 'user', content: 'And LATER?' };
const block = { type: 'compaction', content: summary };

/** Whole, or as the package puts a stream together. */
async function answerTo(scene: RelayScene, body: Anthropic.Beta.MessageCreateParamsNonStreaming, isStream: boolean): Promise<Beta> {
  return isStream ? await clientOf(scene).stream(body).finalMessage() : await clientOf(scene).create(body);
}

describe.each(cases)('compaction for callers of Claude on $kind, before $format', ({ engine, channel }) => {
  test.each([false, true])('a long conversation is summarized, and the response begins with the block (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const reported = await answerTo(scene, params, stream);
    expect(reported.content).toMatchObject([block, { type: 'text', text: 'One.' }]);
    expect(reported.stop_reason).toBe('end_turn');
    const [first, second] = requested(scene);
    for (const word of ['OLDEST', 'TOMORROW', 'PILOT']) expect(first).toContain(word);
    for (const word of [summary, 'TOMORROW', 'PILOT']) expect(second).toContain(word);
    expect(second).not.toContain('OLDEST');
    // Two calls, each with its row and its charge; the response says what each has taken.
    const rows = await scene.logs(2);
    expect(rows.map(({ other }) => other?.compaction)).toContain('automatic');
    expect(rows.every(({ quota, completion_tokens: tokens }) => quota > 0 && tokens > 0)).toBe(true);
    const [summarized, answered] = reported.usage.iterations ?? [];
    expect(reported.usage.iterations).toHaveLength(2);
    expect(summarized).toMatchObject({ type: 'compaction', output_tokens: rows[0]?.completion_tokens });
    expect(answered).toMatchObject({ type: 'message', model, output_tokens: rows[1]?.completion_tokens });
    expect(reported.usage.output_tokens).toBe(rows[1]?.completion_tokens);
    await scene.checkBooks();
  });

  test('the block comes in events of its own, before everything else', async () => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const events: Anthropic.Beta.BetaRawMessageStreamEvent[] = [];
    const { data, response } = await clientOf(scene)
      .create({ ...params, stream: true })
      .withResponse();
    expect(response.headers.get('x-tidegate-dropped') ?? '').not.toContain('context_management');
    for await (const event of data) events.push(event);
    expect(events.slice(0, 5)).toMatchObject([
      { type: 'message_start' },
      { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: summary } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text' } },
    ]);
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', usage: { iterations: [{ type: 'compaction' }, { type: 'message' }] } });
  });

  test('the block stands for all before it, whether or not that is sent again; it is not shortened anew', async () => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const { content } = await clientOf(scene).create(params);
    const answer: Param = { role: 'assistant', content };
    for (const messages of [
      [...long, answer, next],
      [answer, next],
    ]) {
      const reported = await clientOf(scene).create({ ...params, messages });
      expect(reported.content.map(({ type }) => type)).toEqual(['text']);
    }
    const later = requested(scene).slice(2);
    expect(later).toHaveLength(2);
    for (const body of later) {
      for (const word of [summary, 'One.', 'LATER', 'PILOT']) expect(body).toContain(word);
      for (const word of ['OLDEST', 'TOMORROW']) expect(body).not.toContain(word);
    }
    await scene.checkBooks();
  });

  test.each([false, true])('the call may end with the summary, by words of its caller (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: `<summary>\n${summary}\n</summary>` });
    const edits = [{ ...edit, pause_after_compaction: true, instructions: 'Tell the PORTS.' }];
    const reported = await answerTo(scene, { ...params, context_management: { edits } }, stream);
    expect(reported).toMatchObject({ content: [block], stop_reason: 'compaction', usage: { input_tokens: 0, output_tokens: 0 } });
    expect(requested(scene)).toHaveLength(1);
    for (const word of ['OLDEST', 'TOMORROW', 'PORTS']) expect(requested(scene)[0]).toContain(word);
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    expect(reported.usage.iterations).toMatchObject([{ type: 'compaction', output_tokens: row?.completion_tokens }]);
    await scene.checkBooks();
  });

  test.each([false, true])('a summary alone may be asked for, whatever the length (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary });
    const { context_management: _edits, ...rest } = params;
    const reported = await answerTo(scene, { ...rest, messages: [next], compaction: { type: 'summarize' } }, stream);
    expect(reported).toMatchObject({ content: [block], stop_reason: 'compaction' });
    expect(requested(scene)).toHaveLength(1);
    await scene.logs(1);
    await scene.checkBooks();
  });

  test('results that wait for an answer stay with their calls', async () => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary }, { text: 'Noon.' });
    const messages: Param[] = [
      { role: 'user', content: oldest },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_tide', input: { port: 'BREST' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'NOON' }] },
    ];
    const tools = [{ name: 'get_tide', input_schema: { type: 'object' as const } }];
    const reported = await clientOf(scene).create({ ...params, tools, messages });
    expect(reported.content.map(({ type }) => type)).toEqual(['compaction', 'text']);
    const second = requested(scene)[1];
    for (const word of [summary, 'BREST', 'NOON']) expect(second).toContain(word);
    expect(second).not.toContain('OLDEST');
    await scene.checkBooks();
  });

  test('a short one stays as it is, and so does one with nothing behind it', async () => {
    await using scene = await open(engine, channel);
    for (const fields of [
      { context_management: { edits: [{ ...edit, trigger: { type: 'input_tokens' as const, value: 5000 } }] } },
      { messages: long.slice(0, 1) },
      { context_management: { edits: [{ type: edit.type }] } },
    ]) {
      const { data, response } = await clientOf(scene)
        .create({ ...params, ...fields })
        .withResponse();
      expect(data.content.map(({ type }) => type)).toEqual(['text']);
      expect(response.headers.get('x-tidegate-dropped') ?? '').not.toContain('context_management');
    }
    expect(requested(scene)).toHaveLength(3);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('compaction for callers of Claude on $kind', (engine) => {
  test('a provider of the format gets what is asked as it is, and summaries of its own', async () => {
    await using scene = await open(engine, { type: 14 });
    const messages: Param[] = [...long, { role: 'assistant', content: [{ type: 'compaction', content: summary, signature: 'sig' }] }, next];
    await clientOf(scene).create({ ...params, messages });
    const { betas: _betas, ...body } = params;
    expect(scene.upstream.requests.map((request) => request.body)).toEqual([{ ...body, messages }]);
  });

  test('a summary that was written here reaches such a provider as a text', async () => {
    await using scene = await open(engine, { type: 1 });
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const { content } = await clientOf(scene).create(params);
    await using other = await open(engine, { type: 14 });
    await clientOf(other).create({ ...params, messages: [...long, { role: 'assistant', content }, next] });
    const body = other.upstream.requests.at(-1)?.body;
    expect(body).toMatchObject({
      messages: [
        { role: 'user', content: [{ type: 'text', text: expect.stringContaining(summary) }] },
        { role: 'assistant', content: [{ text: 'One.' }] },
        next,
      ],
    });
    expect(JSON.stringify(body)).not.toContain('"compaction"');
  });

  test('is done once where a provider of the format has failed and another one answers', async () => {
    const channels = [
      { models: model, type: 14, priority: 2 },
      { models: model, type: 1, priority: 1 },
    ];
    await using scene = await open(engine, {}, { channels });
    scene.upstream.queue({ status: 500 }, { text: summary }, { text: 'One.' });
    // The call for the summary may try the first one again.
    const reported = await clientOf(scene).create(params);
    expect(reported.content.map(({ type }) => type)).toContain('text');
    await scene.checkBooks();
  });

  test.each([false, true])('fails its call where the summary fails, and nothing is charged (stream: %s)', async (stream) => {
    await using scene = await open(engine, { type: 1 });
    scene.upstream.behave({ status: 400 });
    const before = await scene.balance();
    expect(await failureOf(clientOf(scene).create({ ...params, stream }))).toMatchObject({ status: 400 });
    expect(scene.upstream.requests).toHaveLength(1);
    await until(async () => ((await scene.balance()) === before ? true : null));
    await scene.checkBooks();
  });

  test.each(['', 'cut'])('a summary that is empty or was cut replaces nothing, and the block says so (%s)', async (kind) => {
    await using scene = await open(engine, { type: 1 });
    scene.upstream.queue(kind === 'cut' ? { text: summary, finishReason: 'length' } : { text: ' ' }, { text: 'One.' });
    const reported = await clientOf(scene).create(params);
    expect(reported.content).toMatchObject([{ type: 'compaction', content: null }, { text: 'One.' }]);
    expect(requested(scene)[1]).toContain('OLDEST');
    // What failed stands for nothing.
    await clientOf(scene).create({
      ...params,
      messages: [...long, { role: 'assistant', content: reported.content }, next],
      context_management: {},
    });
    for (const word of ['OLDEST', 'One.', 'LATER']) expect(requested(scene)[2]).toContain(word);
    await scene.logs(3);
    await scene.checkBooks();
  });

  test.each([
    { stream: false, fault: { status: 400 } },
    { stream: true, fault: { status: 400 } },
    { stream: true, fault: { text: 'One two three.', cutAfter: 1 } },
  ])('a summary whose call has failed is not paid for again by whoever tries again: $stream, $fault', async ({ stream, fault }) => {
    await using scene = await open(engine, { type: 1 }, { settings: { RetryTimes: '0' } });
    scene.upstream.queue({ text: summary }, fault, { text: 'One.' });
    expect(await failureOf(answerTo(scene, params, stream))).toBeInstanceOf(Error);
    expect(requested(scene)).toHaveLength(2);
    const reported = await answerTo(scene, params, stream);
    expect(reported.content).toMatchObject([block, { type: 'text', text: 'One.' }]);
    expect(requested(scene)).toHaveLength(3);
    for (const word of [summary, 'TOMORROW', 'PILOT']) expect(requested(scene)[2]).toContain(word);
    await scene.logs(3);
    // It has had its use.
    await answerTo(scene, params, stream);
    expect(requested(scene)).toHaveLength(5);
    await scene.checkBooks();
  });

  test('a summary is of its user, its conversation and the words that it was asked for with', async () => {
    await using scene = await open(engine, { type: 1 });
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    scene.upstream.queue({ text: summary }, { status: 400 });
    expect(await failureOf(clientOf(scene).create(params))).toMatchObject({ status: 400 });
    const others: [typeof scene.key, object][] = [
      [key, params],
      [scene.key, { ...params, system: 'Speak like a SAILOR.' }],
      [scene.key, { ...params, messages: [{ role: 'user', content: `${oldest} Please.` }, ...long.slice(1)] }],
      [scene.key, { ...params, context_management: { edits: [{ ...edit, instructions: 'Tell the PORTS.' }] } }],
    ];
    for (const [index, [apiKey, body]] of others.entries()) {
      scene.upstream.queue({ text: summary }, { text: 'One.' });
      await clientOf({ ...scene, key: apiKey }).create(body as typeof params);
      expect(requested(scene)).toHaveLength(4 + 2 * index);
    }
    await clientOf(scene).create(params);
    expect(requested(scene)).toHaveLength(11);
    await scene.checkBooks();
  });

  test('needs no more money than its two calls one after the other', async () => {
    const prices = {
      SelfUseModeEnabled: 'false',
      ModelRatio: JSON.stringify({ [model]: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 1 }),
    };
    await using scene = await open(engine, { type: 1 }, { quota: 4000, settings: prices });
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const reported = await clientOf(scene).create(params);
    expect(reported.content.map(({ type }) => type)).toEqual(['compaction', 'text']);
    const rows = await scene.logs(2);
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect(spent).toBeGreaterThan(400);
    await until(async () => ((await scene.balance()) === 4000 - spent ? true : null));
    await scene.checkBooks();
  });

  test.each([
    { stream: false, pause: false },
    { stream: true, pause: false },
    { stream: true, pause: true },
  ])('ends with its caller while the summary is written (stream: $stream, pause: $pause)', async ({ stream, pause }) => {
    await using scene = await open(engine, { type: 1, setting: '{"on_client_gone":"abort"}' });
    scene.upstream.behave({ firstByteDelay: Infinity });
    const leaving = new AbortController();
    const edits = [{ ...edit, pause_after_compaction: pause }];
    const requesting = clientOf(scene).create({ ...params, stream, context_management: { edits } }, { signal: leaving.signal });
    await until(() => Promise.resolve(scene.upstream.requests.length === 1 ? true : null));
    leaving.abort();
    await failureOf(requesting);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    expect(scene.upstream.requests).toHaveLength(1);
    await scene.checkBooks();
  });

  test('what has come of a summary is paid when its caller leaves', async () => {
    await using scene = await open(engine, { type: 1, setting: '{"on_client_gone":"abort"}' });
    scene.upstream.behave({ text: 'one two three four five six', holdAfter: 3 });
    const edits = [{ ...edit, pause_after_compaction: true }];
    const leaving = new AbortController();
    const stream = await clientOf(scene).create({ ...params, stream: true, context_management: { edits } }, { signal: leaving.signal });
    const reading = Array.fromAsync(stream);
    await until(() => Promise.resolve(scene.upstream.requests.length === 1 ? true : null));
    leaving.abort();
    await reading;
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    expect(row?.prompt_tokens).toBeGreaterThan(300);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('other edits are made before, and what they clear is not counted', async () => {
    await using scene = await open(engine, { type: 1 });
    const use = (id: string): Param[] => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'get_tide', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: oldest }] },
    ];
    const clearing = { type: 'clear_tool_uses_20250919' as const, trigger: { type: 'tool_uses' as const, value: 1 } };
    const trigger = { type: 'input_tokens' as const, value: 900 };
    const edits = [
      { ...clearing, keep: { type: 'tool_uses' as const, value: 0 } },
      { ...edit, trigger },
    ];
    const tools = [{ name: 'get_tide', input_schema: { type: 'object' as const } }];
    const messages = [{ role: 'user' as const, content: 'When?' }, ...use('toolu_1'), ...use('toolu_2')];
    const reported = await clientOf(scene).create({ ...params, tools, messages, context_management: { edits } });
    expect(reported.content.map(({ type }) => type)).toEqual(['text']);
    expect(reported.context_management?.applied_edits).toMatchObject([{ cleared_tool_uses: 2 }]);
    expect(requested(scene)).toHaveLength(1);
  });
});
