// Errors of a provider that report usage: the provider bills it, so the caller pays it, and no other channel is tried.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const usage = { prompt_tokens: 40, completion_tokens: 300, total_tokens: 340 };
const error = { message: 'The output was filtered', type: 'server_error', param: null, code: 'content_filter' };
const begun = { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'High' }, finish_reason: null }] };
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

const claudeError = { type: 'error', error: { type: 'api_error', message: 'The output was filtered' } };
const claudeUsage = { input_tokens: 40, output_tokens: 300 };
const claudeStart = {
  type: 'message_start',
  message: { id: 'm1', role: 'assistant', content: [], usage: { input_tokens: 40, output_tokens: 1 } },
};
const claudeText = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'High' } };
const googleError = { error: { code: 500, message: 'The output was filtered', status: 'INTERNAL' } };
const googleUsage = { promptTokenCount: 40, candidatesTokenCount: 100, thoughtsTokenCount: 200, totalTokenCount: 340 };
const googleText = { candidates: [{ content: { role: 'model', parts: [{ text: 'High' }] }, index: 0 }] };
const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'The output was filtered', index: 0 }] };
const failed = {
  id: 'r1',
  object: 'response',
  status: 'failed',
  output: [],
  usage: { input_tokens: 40, output_tokens: 300, total_tokens: 340 },
};
const stated = { ...failed, error: { code: 'server_error', message: 'The output was filtered' } };
const delta = { type: 'response.output_text.delta', item_id: 'i1', output_index: 0, content_index: 0, delta: 'High' };
/** A Claude event has its type twice. */
const events = (...all: readonly object[]) =>
  all.map((data) => ('type' in data ? `event: ${String(data.type)}\n` : '') + event(data)).join('');
const ownPaths = { 14: '/v1/messages', 24: '/v1beta/models/claude-sonnet-4-5', 1: '/v1/responses' } as const;
const formats: readonly (readonly [format: string, type: 14 | 24 | 1, bodies: Readonly<Record<'whole' | 'first' | 'amid', string>>])[] = [
  [
    'Claude',
    14,
    {
      whole: JSON.stringify({ ...claudeError, usage: claudeUsage }),
      first: events(claudeStart, { ...claudeError, usage: claudeUsage }),
      amid: events(claudeStart, claudeText, { ...claudeError, usage: { output_tokens: 300 } }),
    },
  ],
  [
    'Gemini',
    24,
    {
      whole: JSON.stringify({ ...googleError, usageMetadata: googleUsage }),
      first: events({ ...googleError, usageMetadata: googleUsage }),
      amid: events({ ...googleText, usageMetadata: { promptTokenCount: 40 } }, { ...malformed, usageMetadata: googleUsage }),
    },
  ],
  [
    'Responses',
    1,
    {
      whole: JSON.stringify(stated),
      first: events({ type: 'response.created', response: { id: 'r1' } }, { type: 'response.failed', response: stated }),
      amid: events({ type: 'response.created', response: { id: 'r1' } }, delta, { type: 'response.failed', response: stated }),
    },
  ],
];
const native = formats.flatMap(([format, type, bodies]) =>
  (['chat', 'own'] as const).flatMap((caller) =>
    (['whole', 'first', 'amid'] as const).map((place) => ({ format, type, caller, place, body: bodies[place] })),
  ),
);

describe.each(oneEngine)('errors with usage on $kind', (engine) => {
  test.each([
    ['whole', false, 'application/json', JSON.stringify({ error, usage })],
    ['first of a stream', true, 'text/event-stream', event({ error, usage })],
    ['amid a stream', true, 'text/event-stream', event(begun) + event({ error, usage })],
  ])('%s', async (_where, stream, type, body) => {
    await using upstream = await startRawUpstream((response) => void response.end(body), { type });
    const channel = { base_url: upstream.url };
    await using scene = await createScene(engine, { settings: { RetryTimes: '3' }, channels: [channel, channel] });
    const answer = await scene.chat({ stream });
    expect(await answer.text()).toContain('The output was filtered');
    const [row] = await scene.logs(1);
    expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([40, 300]);
    expect(row?.quota).toBeGreaterThan(0);
    expect(row?.other?.attempts).toHaveLength(1);
    await scene.checkBooks();
  });

  test.each(native)('$format to a $caller caller: $place', async ({ type, caller, place, body }) => {
    const stream = place !== 'whole';
    await using upstream = await startRawUpstream((response) => void response.end(body), {
      type: stream ? 'text/event-stream' : 'application/json',
    });
    const model = 'claude-sonnet-4-5';
    const setting = type === 1 ? { setting: '{"formats":["openai-responses"]}' } : {};
    const channel = { base_url: upstream.url, type, models: model, ...setting };
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '3', SelfUseModeEnabled: 'true' },
      channels: [channel, channel],
    });
    const path = caller === 'chat' ? '/v1/chat/completions' : ownPaths[type];
    const at = path.startsWith('/v1beta') ? `${path}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}` : path;
    const messages = [{ role: 'user', content: 'High water?' }];
    const own =
      at === path ? { model, stream, ...(path === '/v1/responses' ? { input: 'High water?' } : { messages, max_tokens: 900 }) } : {};
    const answer = await scene.post(at, at === path ? own : { contents: [{ role: 'user', parts: [{ text: 'High water?' }] }] });
    expect(await answer.text()).toContain('The output was filtered');
    const [row] = await scene.logs(1);
    expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([40, 300]);
    expect(row?.quota).toBeGreaterThan(0);
    expect(row?.other?.attempts).toHaveLength(1);
    await scene.checkBooks();
  });

  test.each([
    ['a start that reports the prompt', 14, events(claudeStart, claudeError)],
    ['a malformed call', 24, events({ ...malformed, usageMetadata: googleUsage })],
    ['a failed response that used nothing', 1, events({ type: 'response.failed', response: { ...stated, usage: null } })],
  ])('%s before any content is free, and goes to another channel', async (_what, type, body) => {
    await using upstream = await startRawUpstream((response) => void response.end(body), { type: 'text/event-stream' });
    const setting = type === 1 ? { setting: '{"formats":["openai-responses"]}' } : {};
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '3' },
      channels: [{ base_url: upstream.url, type, ...setting, priority: 1 }, {}],
    });
    expect((await scene.chat({ stream: true })).status).toBe(200);
    expect((await scene.logs(1))[0]?.other?.attempts).toHaveLength(2);
    await scene.checkBooks();
  });

  test('one that says that nothing was used is free, and goes to another channel', async () => {
    const free = JSON.stringify({ error, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } });
    await using upstream = await startRawUpstream((response) => void response.end(free), { type: 'application/json' });
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '3' },
      channels: [{ base_url: upstream.url, priority: 1 }, {}],
    });
    expect((await scene.chat()).status).toBe(200);
    expect((await scene.logs(1))[0]?.other?.attempts).toHaveLength(2);
    await scene.checkBooks();
  });
});
