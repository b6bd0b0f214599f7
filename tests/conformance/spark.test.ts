// iFlytek's Spark over HTTP, and Zhipu's first platform with keys of its next one: requests and responses. The stand-in accepts only what
// its vendor knows.
import { describe, expect, test } from 'vitest';
import { clientDialects } from '#server/formats/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { sparkKey as key, startFakeSpark } from '#tests/support/fake-spark.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { problemText } from '#tests/support/problem-text.ts';

const messages = [{ role: 'user', content: 'Tide?' }];
const tools = [{ type: 'function', function: { name: 'get_tide', parameters: { type: 'object', properties: {} } } }];

test('a key has three parts, or is a password', () => {
  expect(buildPreparedChannel({ type: 18, key }).formats[0]?.headers(false)).toMatchObject({ authorization: 'Bearer key1:sec1' });
  expect(buildPreparedChannel({ type: 18, key: 'pass:word' }).formats[0]?.headers(false)).toMatchObject({
    authorization: 'Bearer pass:word',
  });
  for (const wrong of ['a|b', 'a||c', 'a|b|c|d']) {
    expect(problemText(buildPreparedChannel({ type: 18, key: wrong }))).toContain('APPID|APISecret|APIKey');
  }
});

test('models have names of their own there, and one an address', () => {
  const channel = buildPreparedChannel({ type: 18, key, model_mapping: JSON.stringify({ mine: 'SparkDesk-v3.5' }) });
  const routeOf = (model: string) => {
    const route = channel.route(clientDialects['openai-chat'], 'chat', model);
    return [route?.upstreamModel, route?.path];
  };
  const path = '/v1/chat/completions';
  expect(routeOf('SparkDesk')).toEqual(['lite', path]);
  expect(routeOf('mine')).toEqual(['generalv3.5', path]);
  expect(routeOf('pro-128k')).toEqual(['pro-128k', path]);
  expect(routeOf('constructor')).toEqual(['constructor', path]);
  expect(routeOf('SparkDesk-X1')).toEqual(['x1', '/v2/chat/completions']);
});

test("keys of Zhipu's first platform are taken by the next one", () => {
  const route = buildPreparedChannel({ type: 16, key: 'id.secret' }).route(clientDialects['openai-chat'], 'chat', 'glm-4-flash');
  expect(`${route?.origin}${route?.path}`).toBe('https://open.bigmodel.cn/api/paas/v4/chat/completions');
  expect(problemText(buildPreparedChannel({ type: 16, key: 'nodot' }))).toContain('id.secret');
});

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('are charged alike, whole and streamed, and have the name that was asked for', async () => {
    const taken: Record<string, unknown>[] = [];
    const model = 'SparkDesk-v4.0';
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true' },
      channels: [{ models: model }],
      front: startFakeSpark(taken),
    });
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      for (const stream of [false, true]) {
        const response = await scene.post(path, { model, max_tokens: 50, stream, messages });
        expect(response.status).toBe(200);
        expect(await response.text()).toContain('Brest');
      }
    }
    expect(taken).toHaveLength(4);
    const rows = await scene.logs(4);
    expect(new Set(rows.map(({ quota, completion_tokens }) => `${quota} ${completion_tokens}`)).size).toBe(1);
    await scene.checkBooks();
  });

  test('with tools ask for a list of calls, and errors of status 200 are errors', async () => {
    const taken: Record<string, unknown>[] = [];
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' },
      channels: [{ models: 'SparkDesk-v4.0,SparkDesk-v3.5' }],
      front: startFakeSpark(taken),
    });
    scene.upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{}' }] });
    const called = await scene.post('/v1/chat/completions', { model: 'SparkDesk-v4.0', messages, tools, n: 1 });
    expect(await called.json()).toMatchObject({ choices: [{ message: { tool_calls: [{ function: { name: 'get_tide' } }] } }] });
    expect(taken[0]).toMatchObject({ tool_calls_switch: true });
    expect(taken[0]).not.toHaveProperty('n');
    for (const stream of [false, true]) {
      const refused = await scene.post('/v1/chat/completions', { model: 'SparkDesk-v3.5', messages, stream });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      await refused.text();
    }
    expect(taken.slice(1).map(({ model }) => model)).toEqual(['generalv3.5', 'generalv3.5']);
    await scene.logs(1);
    await scene.checkBooks();
  });
});
