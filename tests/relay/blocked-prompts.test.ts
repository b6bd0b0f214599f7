// A prompt that a filter has stopped: in Gemini's format that is a response which says so, in others an error.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const contents = [{ role: 'user', parts: [{ text: 'Say hello' }] }];
const verbs = [
  { verb: 'generateContent', type: 'application/json', isList: false, isEvents: false },
  { verb: 'streamGenerateContent?alt=sse', type: 'text/event-stream', isList: false, isEvents: true },
  { verb: 'streamGenerateContent', type: 'application/json', isList: true, isEvents: false },
];

async function ask(scene: RelayScene, { verb, isList, isEvents }: (typeof verbs)[number]) {
  const answer = await scene.post(`/v1beta/models/${testModel}:${verb}`, { contents });
  const text = await answer.text();
  const json = isEvents ? text.replace(/^data: /, '') : text;
  const body: unknown = JSON.parse(json);
  return {
    status: answer.status,
    type: answer.headers.get('content-type')?.split(';')[0],
    body: isList && Array.isArray(body) ? body[0] : body,
  };
}

describe.each(oneEngine)('blocked prompts on $kind', (engine) => {
  test.each(verbs)('$verb at Gemini: as Gemini says it, and what it has read is paid', async (requested) => {
    await using scene = await createScene(engine, { channels: [{ type: 24 }] });
    scene.upstream.behave({ blockReason: 'PROHIBITED_CONTENT' });
    expect(await ask(scene, requested)).toMatchObject({
      status: 200,
      type: requested.type,
      body: {
        promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings: [{ blocked: true }] },
        usageMetadata: { promptTokenCount: expect.any(Number) },
      },
    });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ completion_tokens: 0, quota: expect.any(Number) });
    expect(row?.prompt_tokens).toBeGreaterThan(0);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test.each(verbs)('$verb at another vendor that refuses it: as Gemini says it', async (requested) => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '2' }, channels: [{ type: 1 }, { type: 1 }] });
    const error = { message: 'The response was filtered', type: 'invalid_request_error', param: 'prompt', code: 'content_filter' };
    scene.upstream.behave({ status: 400, error });
    const reported = await ask(scene, requested);
    expect(reported).toMatchObject({ status: 200, type: requested.type, body: { promptFeedback: { blockReason: 'SAFETY' } } });
    expect(reported.body).not.toHaveProperty('error');
    expect(reported.body).not.toHaveProperty('candidates');
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await scene.balance()).toBe(500_000_000);
    await scene.checkBooks();
  });

  test.each(verbs)('$verb: other errors are errors', async (requested) => {
    await using scene = await createScene(engine, { channels: [{ type: 1 }] });
    scene.upstream.behave({ status: 400, error: { message: 'No such tool', type: 'invalid_request_error', code: 'bad_tool' } });
    expect(await ask(scene, requested)).toMatchObject({ status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT' } } });
  });

  test.each([false, true])('callers of other formats are told an error, and pay for what was read (stream: %s)', async (stream) => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '2' }, channels: [{ type: 24 }, { type: 24 }] });
    scene.upstream.behave({ blockReason: 'SAFETY' });
    const answer = await scene.chat({ stream });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'content_filter' } }]);
    expect(scene.upstream.requests).toHaveLength(1);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ completion_tokens: 0 });
    expect(row?.prompt_tokens).toBeGreaterThan(0);
    expect(row?.quota).toBeGreaterThan(0);
    expect(await scene.balance()).toBe(500_000_000 - (row?.quota ?? 0));
    await scene.checkBooks();
  });

  test('one that is stopped after its caller was kept waiting ends its stream so', async () => {
    await using scene = await createScene(engine, { env: { STREAM_KEEPALIVE: '1' }, channels: [{ type: 1 }] });
    const error = { message: 'The response was filtered', type: 'invalid_request_error', code: 'content_filter' };
    scene.upstream.behave({ firstByteDelay: 1500, status: 400, error });
    const answer = await scene.post(`/v1beta/models/${testModel}:streamGenerateContent?alt=sse`, { contents });
    const text = await answer.text();
    expect(text).toContain(': keep-alive');
    expect(text).toContain('"promptFeedback":{"blockReason":"SAFETY"}');
    expect(text).not.toContain('"error"');
  });
});
