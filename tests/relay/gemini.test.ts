// Calls to Gemini by a running server: charges, the requests of a channel's test and of its list of models, the cost of a blocked prompt.
import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'gemini-2.5-pro';
/** Number in its fixture. */
const blockedTokens = 4;

describe.each(oneEngine)('a channel of Gemini on $kind', (engine) => {
  const open = (options: SceneOptions = {}) => createScene(engine, { channels: [{ type: 24, models: model, key: 'g-key' }], ...options });
  const usage = {
    promptTokenCount: 900,
    toolUsePromptTokenCount: 100,
    cachedContentTokenCount: 400,
    candidatesTokenCount: 21,
    thoughtsTokenCount: 80,
    totalTokenCount: 1101,
  };

  it.each([false, true])('every token is paid once (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'At noon.', usage });
    await (await scene.chat({ model, stream })).text();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 1000, completion_tokens: 101, other: { cache_tokens: 400 } });
    // 0.625 a token, a tenth of that for the cached ones, and eight times as much for the output.
    expect(row?.quota).toBe(Math.ceil((600 + 40 + 101 * 8) * 0.625));
    expect(scene.upstream.requests[0]).toMatchObject({
      path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      key: 'g-key',
    });
    await scene.checkBooks();
  });

  it.each(['chat', 'gemini'] as const)('a stream to a caller of %s that breaks off is paid as its last event has told', async (caller) => {
    await using scene = await open();
    const pieces = Array.from({ length: 9 }, (_, index) => ` high water ${index}\n`);
    // Each event is of the same form as the one before.
    scene.upstream.behave({ pieces, usageIn: 'every event', cutAfter: 6, chunkDelay: 5 });
    const contents = [{ role: 'user', parts: [{ text: 'When?' }] }];
    const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const answer = caller === 'chat' ? await scene.chat({ model, stream: true }) : await scene.post(path, { contents });
    const reported = await answer.text();
    expect(reported).toContain('high water 5');
    expect(reported).not.toContain('high water 6');
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ completion_tokens: 6 });
    expect(row?.other).not.toMatchObject({ estimated: true });
    await scene.checkBooks();
  });

  it('a prompt that is blocked is the caller’s, costs what was read of it and is not tried elsewhere', async () => {
    await using scene = await open({ channels: [0, 1].map(() => ({ type: 24, models: model })), settings: { RetryTimes: '2' } });
    const before = await scene.balance();
    scene.upstream.behave({ replay: 'gemini/blocked.json' });
    for (const stream of [false, true]) {
      const answer = await scene.chat({ model, stream });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: 'content_filter', message: expect.stringContaining('SAFETY') } });
    }
    expect(scene.upstream.requests).toHaveLength(2);
    const rows = await scene.logs(2);
    for (const row of rows)
      expect(row).toMatchObject({ prompt_tokens: blockedTokens, completion_tokens: 0, quota: Math.ceil(blockedTokens * 0.625) });
    expect(await scene.balance()).toBe(before - rows.reduce((sum, { quota }) => sum + quota, 0));
    await scene.checkBooks();
  });

  it('its settings are what goes upstream', async () => {
    await using scene = await open({
      settings: {
        'gemini.safety_settings': '{"default":"BLOCK_ONLY_HIGH","HARM_CATEGORY_HARASSMENT":"OFF"}',
        'gemini.version_settings': `{"default":"v1","${model}":"v1alpha"}`,
      },
    });
    await (await scene.chat({ model })).text();
    const [request] = scene.upstream.requests;
    expect(request?.path).toBe(`/v1alpha/models/${model}:generateContent`);
    expect(request?.body).toMatchObject({
      safetySettings: [
        { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' },
        { category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_ONLY_HIGH' },
        {},
        {},
        {},
      ],
    });
  });
});

describe.each(oneEngine)('an administrator with a channel of Gemini on $kind', (engine) => {
  it('tests it, and reads which models it has', async () => {
    await using scene = await createScene(engine, { channels: [{ type: 24, models: model }] });
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    const [id] = scene.channelIds;
    expect(await admin.get(`/api/channel/test/${id}`)).toMatchObject({ success: true });
    expect(scene.upstream.requests[0]).toMatchObject({
      path: `/v1beta/models/${model}:generateContent`,
      body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 300 } },
    });
    expect(await admin.get(`/api/channel/fetch_models/${id}`)).toMatchObject({ success: true, data: ['gpt-4o-mini'] });
    expect(scene.upstream.requests[1]).toMatchObject({ method: 'GET', key: 'sk-test' });
  });
});
