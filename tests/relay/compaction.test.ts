// Compaction of conversations, in both forms that clients request, and continuing from a summary on any model.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { encryptedOf } from '#tests/support/openai-responses.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
const summary = 'They asked for the tide in Brest.';
const responsesOnly = { type: 1, setting: '{"formats":["openai-responses"]}' };
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Claude', channel: { type: 14 } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
  { format: 'Responses', channel: responsesOnly },
];
const cases = engines.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

function clientOf(scene: RelayScene, apiKey = scene.key): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey, maxRetries: 0 });
}

const open = (engine: (typeof engines)[number], channel: object, options: SceneOptions = {}) =>
  createScene(engine, {
    channels: [{ models: model, ...channel }],
    ...options,
    settings: { SelfUseModeEnabled: 'true', ...options.settings },
  });

const spoken: OpenAI.Responses.ResponseInputItem[] = [
  { role: 'user', content: 'When is high water in Brest?' },
  { type: 'function_call', call_id: 'call_1', name: 'get_tide', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'noon' },
];
const tools = [{ type: 'function' as const, name: 'get_tide', parameters: { type: 'object', properties: {} }, strict: false }];

describe.each(cases)('compaction on $kind, before $format', ({ engine, channel, format }) => {
  const isNative = format === 'Responses';
  const lastRequested = (scene: RelayScene) => JSON.stringify(scene.upstream.requests.at(-1)?.body);

  test.each([false, true])('a trigger is answered with one sealed item, which stands for the conversation (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary });
    const { responses } = clientOf(scene);
    const body = { model, tools, input: [...spoken, { type: 'compaction_trigger' as const }], store: false };
    const reported = stream ? await responses.stream(body).finalResponse() : await responses.create(body);
    expect(reported).toMatchObject({ status: 'completed', output: [{ type: 'compaction', encrypted_content: expect.any(String) }] });
    const [item] = reported.output;
    if (item?.type !== 'compaction') throw new Error('No summary came');
    expect(item.encrypted_content).toMatch(isNative ? encryptedOf(summary) : /^tidegate-seal:tidegate:/);
    expect(JSON.stringify(reported)).not.toContain('Brest');
    const goneOn = await responses.create({ model, tools, input: [item, { role: 'user', content: 'And tomorrow?' }] });
    expect(goneOn.status).toBe('completed');
    expect(lastRequested(scene)).toContain(isNative ? encryptedOf(summary) : summary);
    const [row, next] = await scene.logs(2);
    expect([row?.other?.compaction, next?.other?.compaction]).toEqual(['asked', undefined]);
    expect(row?.completion_tokens).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('`/responses/compact` gives what was said and the one item, and goes on from kept responses', async () => {
    await using scene = await open(engine, channel);
    const { responses } = clientOf(scene);
    scene.upstream.queue({ text: 'Noon.' }, { text: summary });
    const first = await responses.create({ model, input: 'When is high water in Brest?' });
    const compacted = await responses.compact({ model, input: 'Thanks', previous_response_id: first.id });
    expect(compacted).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response.compaction',
      output: [
        { type: 'message', role: 'user', content: [{ text: 'When is high water in Brest?' }] },
        { type: 'message', role: 'user', content: [{ text: 'Thanks' }] },
        { type: 'compaction' },
      ],
      usage: { output_tokens: expect.any(Number) },
    });
    expect(lastRequested(scene)).toContain('Noon.');
    const input = [...(compacted.output as OpenAI.Responses.ResponseInputItem[]), { role: 'user' as const, content: 'And tomorrow?' }];
    expect((await responses.create({ model, input })).status).toBe('completed');
    const reported = await scene.logs(3);
    expect(reported.map(({ other }) => other?.compaction)).toEqual([undefined, 'asked', undefined]);
    await scene.checkBooks();
  });

  test('what goes on from a kept summary leaves out what it stands for', async () => {
    await using scene = await open(engine, channel);
    const { responses } = clientOf(scene);
    scene.upstream.queue({ text: 'Noon, says the OLDEST pilot.' }, { text: summary });
    const first = await responses.create({ model, input: 'Tide?' });
    const second = await responses.create({ model, input: [{ type: 'compaction_trigger' }], previous_response_id: first.id });
    await responses.create({ model, input: 'And tomorrow?', previous_response_id: second.id });
    expect(lastRequested(scene)).not.toContain('OLDEST');
    expect(lastRequested(scene)).toContain(isNative ? encryptedOf(summary) : summary);
    await scene.checkBooks();
  });
});

describe.each(engines)('sealed summaries on $kind', (engine) => {
  const compact = async (scene: RelayScene) => {
    scene.upstream.queue({ text: summary });
    const { output } = await clientOf(scene).responses.compact({ model, input: 'Tide?' });
    const item = output.at(-1);
    if (item?.type !== 'compaction') throw new Error('No summary came');
    return item;
  };

  test("travel from one vendor's model to another's", async () => {
    await using scene = await open(engine, { type: 14 });
    const item = await compact(scene);
    await scene.addChannel({ models: 'gpt-5.5', ...responsesOnly });
    await clientOf(scene).responses.create({ model: 'gpt-5.5', input: [item, { role: 'user', content: 'And tomorrow?' }] });
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toContain(summary);
  });

  test('of OpenAI go to where they can be read; where there is no such channel it is said which item is in the way', async () => {
    await using scene = await open(engine, { type: 14, priority: 5 });
    const item = { type: 'compaction' as const, encrypted_content: encryptedOf(summary) };
    const requested = { model, input: [item, { role: 'user' as const, content: 'And tomorrow?' }], store: false };
    const failure = await failureOf(clientOf(scene).responses.create(requested));
    expect(failure).toMatchObject({ status: 400, param: 'input.0.type' });
    expect(scene.upstream.requests).toHaveLength(0);
    await scene.addChannel({ models: model, ...responsesOnly });
    await clientOf(scene).responses.create(requested);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ input: [item, {}] });
    await scene.checkBooks();
  });

  test('are read for their owner alone, and not once they were changed; also where nothing is kept', async () => {
    await using scene = await open(engine, { type: 14 }, { settings: { ResponseStoreEnabled: 'false' } });
    const item = await compact(scene);
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    const requested = { model, input: [item, { role: 'user' as const, content: 'Tell me' }] };
    const sent = scene.upstream.requests.length;
    expect(await failureOf(clientOf(scene, key).responses.create(requested))).toMatchObject({ status: 400 });
    const changed = { ...item, encrypted_content: `${item.encrypted_content.slice(0, -4)}AAAA` };
    expect(await failureOf(clientOf(scene).responses.create({ ...requested, input: [changed] }))).toMatchObject({ status: 400 });
    expect(scene.upstream.requests).toHaveLength(sent);
    expect(await clientOf(scene).responses.create(requested)).toMatchObject({ store: false });
  });
});
