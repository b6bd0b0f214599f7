// Counts of prompts before providers of other formats: theirs where they have one, ours otherwise, and which it is stands in a header.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';

const question = 'When is high water?';
const schema = { type: 'object', properties: { port: { type: 'string' } } };
const callers = [
  {
    format: 'Claude',
    path: '/v1/messages/count_tokens',
    body: {
      model: testModel,
      system: 'Be BRIEF.',
      messages: [{ role: 'user', content: question }],
      tools: [{ name: 'get_tide', input_schema: schema }],
    },
    read: 'input_tokens',
  },
  {
    format: 'Responses',
    path: '/v1/responses/input_tokens',
    body: {
      model: testModel,
      instructions: 'Be BRIEF.',
      input: question,
      tools: [{ type: 'function', name: 'get_tide', parameters: schema, strict: false }],
    },
    read: 'input_tokens',
  },
  {
    format: 'Gemini',
    path: `/v1beta/models/${testModel}:countTokens`,
    body: {
      generateContentRequest: {
        model: `models/${testModel}`,
        systemInstruction: { parts: [{ text: 'Be BRIEF.' }] },
        contents: [{ role: 'user', parts: [{ text: question }] }],
        tools: [{ functionDeclarations: [{ name: 'get_tide', parametersJsonSchema: schema }] }],
      },
    },
    read: 'totalTokens',
  },
];
const upstreams = [
  { format: 'Claude', channel: { type: 14 }, at: /\/v1\/messages\/count_tokens$/, fields: ['messages', 'model', 'system', 'tools'] },
  {
    format: 'Responses',
    channel: { type: 1, setting: '{"formats":["openai-responses"]}' },
    at: /\/v1\/responses\/input_tokens$/,
    fields: ['input', 'instructions', 'model', 'tools'],
  },
  { format: 'Gemini', channel: { type: 24 }, at: /:countTokens$/, fields: ['generateContentRequest'] },
];
const cases = oneEngine.flatMap((engine) =>
  callers.flatMap((caller) =>
    upstreams.flatMap((upstream) => (caller.format === upstream.format ? [] : [{ engine, kind: engine.kind, caller, upstream }])),
  ),
);

const open = (engine: (typeof oneEngine)[number], channel: object, options: SceneOptions = {}) =>
  createScene(engine, { channels: [{ models: testModel, ...channel }], ...options });

async function count(scene: RelayScene, { path, body, read }: (typeof callers)[number]) {
  const answer = await scene.post(path, body);
  const reported = await answer.json();
  return { status: answer.status, tokens: reported[read], source: answer.headers.get('x-tidegate-token-count') };
}

describe.each(cases)('counts on $kind, asked in $caller.format, before $upstream.format', ({ engine, caller, upstream }) => {
  test('are those of the provider, asked for in its own words', async () => {
    await using scene = await open(engine, upstream.channel);
    expect(await count(scene, caller)).toEqual({ status: 200, tokens: 4242, source: 'upstream' });
    const [sent] = scene.upstream.requests;
    expect(sent?.path.replace(/\?.*$/, '')).toMatch(upstream.at);
    expect(Object.keys(sent?.body ?? {}).sort()).toEqual(upstream.fields);
    for (const word of [question, 'BRIEF', 'get_tide']) expect(JSON.stringify(sent?.body)).toContain(word);
    expect(await scene.app.context.db.collection('logs').count({ type: 2 })).toBe(0);
  });

  test('are ours where the provider fails', async () => {
    await using scene = await open(engine, upstream.channel);
    scene.upstream.behave({ status: 500 });
    const { status, tokens, source } = await count(scene, caller);
    expect({ status, source }).toEqual({ status: 200, source: 'own' });
    expect(tokens).toBeGreaterThan(10);
    expect(tokens).toBeLessThan(1000);
  });
});

describe.each(oneEngine)('counts on $kind', (engine) => {
  test('are asked of a provider of the own format first', async () => {
    const [caller] = callers;
    if (caller === undefined) throw new Error('There are callers');
    await using scene = await open(engine, {}, { channels: [{ type: 24, priority: 5 }, { type: 14 }] });
    expect(await count(scene, caller)).toMatchObject({ source: 'upstream' });
    expect(scene.upstream.requests[0]?.path).toContain('/v1/messages/count_tokens');
  });

  test('are ours where the provider has none', async () => {
    await using scene = await open(engine, { type: 1 });
    for (const caller of callers) expect(await count(scene, caller)).toMatchObject({ status: 200, source: 'own' });
    expect(scene.upstream.requests).toHaveLength(0);
  });
});
