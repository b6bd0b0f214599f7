// Failures of providers as callers receive them, and responses that end with a failure.
import { describe, expect, test } from 'vitest';
import { parseObject } from '#server/framing/loose-json.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type RawUpstream, startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';

type Json = Record<string, unknown>;

const stream = (...events: readonly Json[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const done = 'data: [DONE]\n\n';
const role = chunk({ role: 'assistant', content: '' });

const says = (text: string) => startRawUpstream((response) => void response.end(text));
const refuses = (status: number, body: object) =>
  startRawUpstream((response) => void response.end(JSON.stringify(body)), { status, type: 'application/json' });

/** Channels of one model, tried in this order. */
async function open(upstreams: readonly RawUpstream[], options: SceneOptions & { fields?: object } = {}): Promise<RelayScene> {
  const channels = upstreams.map(({ url }, place) => ({ base_url: url, priority: 10 - place, ...options.fields }));
  return createScene(embeddedEngine, { ...options, channels });
}

const callers = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  responses: ['/v1/responses', { input: 'hi' }],
  claude: ['/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }],
} as const;

async function eventsOf(scene: RelayScene, caller: keyof typeof callers): Promise<Json[]> {
  const [path, body] = callers[caller];
  const response = await scene.post(path, { model: testModel, stream: true, ...body });
  expect(response.status).toBe(200);
  const data = Array.from((await response.text()).matchAll(/^data: (\{.*)$/gm), ([, json = '']) => json);
  return data.map((json) => parseObject(json) ?? {});
}

describe('a Responses stream that fails ends as failed, with its code', () => {
  const created = {
    type: 'response.created',
    sequence_number: 0,
    response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [] },
  };
  const half = { type: 'response.output_text.delta', sequence_number: 1, item_id: 'm', output_index: 0, content_index: 0, delta: 'Half' };
  const failed = (error: object) => ({ type: 'response.failed', sequence_number: 2, response: { id: 'resp_1', status: 'failed', error } });

  test.each([
    ['context_length_exceeded', 'Your input exceeds the context window of this model.', 'context_length_exceeded'],
    ['insufficient_quota', 'You exceeded your current quota.', 'insufficient_quota'],
    ['rate_limit_exceeded', 'Rate limit reached. Please try again in 3.5s.', 'rate_limit_exceeded'],
    ['server_is_overloaded', 'Overloaded', 'server_is_overloaded'],
    ['something_else', 'What?', 'server_error'],
  ])('%s', async (code, message, reported) => {
    await using same = await says(stream(created, half, failed({ code, message })));
    await using chat = await says(stream(role, chunk({ content: 'Half' }), { error: { code, message, type: code } }));
    for (const [upstream, fields] of [
      [same, { setting: '{"formats":["openai-responses"]}' }],
      [chat, {}],
    ] as const) {
      await using scene = await open([upstream], { fields });
      const events = await eventsOf(scene, 'responses');
      expect(events.slice(-2)).toMatchObject([
        { type: 'error' },
        { type: 'response.failed', response: { id: expect.stringMatching(/^resp_/), status: 'failed', error: { code: reported } } },
      ]);
      const numbers = events.map(({ sequence_number: number }) => Number(number));
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      if (code === 'rate_limit_exceeded') expect(JSON.stringify(events.at(-1))).toContain('Please try again in 3.5s.');
      await scene.checkBooks();
    }
  });

  test('with the wait that Google tells in a field, whichever of its formats it speaks', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }];
    const failure = { error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED', details } };
    await using gemini = await says(stream({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Half' }] } }] }, failure));
    await using chat = await says(stream(role, chunk({ content: 'Half' }), failure));
    for (const [upstream, fields] of [
      [gemini, { type: 24 }],
      [chat, {}],
    ] as const) {
      await using scene = await open([upstream], { fields });
      const reported = (await eventsOf(scene, 'responses')).at(-1);
      expect(reported).toMatchObject({ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded' } } });
      expect(JSON.stringify(reported)).toContain('try again in 17');
    }
  });

  test.each(['failed', 'cancelled'])('without a reason of its own: %s', async (status) => {
    await using upstream = await says(stream(created, half, { type: `response.${status}`, response: { status, error: null, output: [] } }));
    for (const caller of ['responses', 'chat', 'claude'] as const) {
      await using scene = await open([upstream], { fields: { setting: '{"formats":["openai-responses"]}' } });
      expect(JSON.stringify((await eventsOf(scene, caller)).at(-1))).toContain(`as ${status}`);
      expect(await scene.logs(1)).toMatchObject([{ other: { ending: 'upstream_error' } }]);
    }
  });
});

describe('while nothing was told, a response that fails is asked for elsewhere', () => {
  const well = stream(role, chunk({ content: 'Tide' }), chunk({}, 'stop')) + done;
  const bad: readonly [string, string][] = [
    ['finish reason', stream(role, chunk({}, 'network_error')) + done],
    ['error of a choice', stream(role, chunk({}, 'error', { error: { message: 'timed out', code: 504 } }))],
    ['native reason', stream(role, chunk({ content: '' }, 'stop', { native_finish_reason: 'network_error' })) + done],
    ['error', stream(role, { error: { message: 'broken', type: 'server_error' } })],
    ['early end', stream(role)],
  ];
  test.each(bad)('%s', async (_about, text) => {
    for (const caller of ['chat', 'claude', 'responses'] as const) {
      await using first = await says(text);
      await using second = await says(well);
      await using scene = await open([first, second]);
      const events = await eventsOf(scene, caller);
      expect(JSON.stringify(events)).toContain('Tide');
      expect(JSON.stringify(events)).not.toMatch(/"error":\{|network_error/);
      expect([first.calls, second.calls]).toEqual([1, 1]);
      const [row] = await scene.logs(1);
      expect(row?.other?.['ending']).toBeUndefined();
      await scene.checkBooks();
    }
  });

  test('and what was told stays: the caller hears of the failure', async () => {
    await using first = await says(stream(role, chunk({ content: 'Half' }), chunk({}, 'insufficient_system_resource')) + done);
    await using second = await says(well);
    await using scene = await open([first, second]);
    const events = await eventsOf(scene, 'chat');
    expect(events.at(-1)).toMatchObject({ error: { code: 'insufficient_system_resource' } });
    expect(second.calls).toBe(0);
    expect(await scene.logs(1)).toMatchObject([{ other: { ending: 'upstream_error' } }]);
  });
});

describe('chat callers of chat providers know every end', () => {
  test.each([
    [{ finish_reason: 'sensitive' }, 'content_filter'],
    [{ finish_reason: 'model_length' }, 'length'],
    [{ finish_reason: 'model_context_window_exceeded' }, 'length'],
    [{ finish_reason: 'eos' }, 'stop'],
    [{ finish_reason: 'stop', native_finish_reason: 'sensitive' }, 'content_filter'],
    [{ finish_reason: 'tool_calls' }, 'tool_calls'],
    [{ finish_reason: 'tide_turned' }, 'tide_turned'],
  ])('%j', async (ending, reported) => {
    await using streamed = await says(stream(role, chunk({ content: 'Tide' }), chunk({}, null, ending)) + done);
    await using scene = await open([streamed]);
    expect((await eventsOf(scene, 'chat')).at(-1)).toMatchObject({ choices: [{ finish_reason: reported }] });
    const message = { role: 'assistant', content: 'Tide' };
    await using whole = await refuses(200, { id: 'c', choices: [{ index: 0, message, ...ending }], usage: {} });
    await using other = await open([whole]);
    expect(await (await other.chat()).json()).toMatchObject({ choices: [{ finish_reason: reported, message }] });
  });
});

describe('a bad request is told', () => {
  const tooLong = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  };

  test('in the words that clients of each format shorten by', async () => {
    const message = "This model's maximum context length is 200000 tokens. However, you requested 210000 tokens.";
    await using upstream = await refuses(400, { error: { message, code: 400 } });
    await using scene = await open([upstream]);
    for (const caller of ['chat', 'responses'] as const) {
      const [path, body] = callers[caller];
      const response = await scene.post(path, { model: testModel, ...body });
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'context_length_exceeded' } }]);
    }
    const claude = await scene.post('/v1/messages', { model: testModel, ...callers.claude[1] });
    const words = expect.stringMatching(/^prompt is too long: 210000 tokens > 200000 maximum/);
    expect([claude.status, await claude.json()]).toMatchObject([400, { error: { type: 'invalid_request_error', message: words } }]);
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const gemini = await scene.post(`/v1beta/models/${testModel}:generateContent`, { contents });
    const said = expect.stringMatching(/^The input token count \(210000\) exceeds the maximum number of tokens allowed \(200000\)/);
    expect([gemini.status, await gemini.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT', message: said } }]);
  });

  test.each([
    ['a limit', 429],
    ['an outage', 502],
  ])('and goes to no other channel, nor is it hidden by %s', async (_about, status) => {
    await using first = await refuses(400, tooLong);
    await using second = await refuses(status, { error: { message: 'slow down' } });
    await using scene = await open([first, second], { fields: { type: 14 } });
    const response = await scene.post('/v1/messages', { model: testModel, ...callers.claude[1] });
    expect(response.status).toBe(400);
    expect(second.calls).toBe(0);
  });

  test.each([429, 502, 0])('where another channel might have taken it, and failed by %i', async (status) => {
    await using first = await refuses(413, { error: { message: 'Request body too large' } });
    await using second = await refuses(status === 0 ? 502 : status, { error: { message: 'slow down' } });
    if (status === 0) await second[Symbol.asyncDispose]();
    await using scene = await open([first, second]);
    const response = await scene.chat();
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('Request body too large')]);
    expect(second.calls).toBe(status === 0 ? 0 : 1);
  });
});
