// What an upstream says about the account of a channel: ours to know, and nothing that a caller can make it say.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, readEvents, type RelayScene } from '#tests/support/relay-scene.ts';

const once = { RetryTimes: '0' };
const secret = 'Your organization tide-corp has run out of credits';
const error = (fields: object = {}) => ({ message: secret, type: 'x_error', code: 'x_code', param: null, ...fields });

async function expectOurWords(scene: RelayScene, answer: { status: number; text: string }): Promise<void> {
  expect(answer.text).not.toContain('tide-corp');
  expect(answer.text).not.toMatch(/x_code|x_error|insufficient/);
  const reported = JSON.parse(answer.text).error;
  expect(reported).toMatchObject({ type: 'upstream_error', code: 'channel_refused' });
  expect(reported.message).toMatch(/^The provider refused the channel \(request id: \w+\)$/);
  expect(answer.status).toBe(502);
  const [row] = await scene.logs(1);
  expect(row?.other?.['problem']).toBe(secret);
}

describe.each(oneEngine)('refused channels on $kind', (engine) => {
  const english = { 'accept-language': 'en' };

  test.each([
    ['401', { status: 401, error: error() }],
    ['402', { status: 402, error: error() }],
    ['403', { status: 403, error: error() }],
    ['a quota of its own', { status: 429, retryAfter: 86_400, error: error({ type: 'insufficient_quota', code: 'insufficient_quota' }) }],
    ['a bad request with the code of a bad key', { status: 400, error: error({ code: 'invalid_api_key' }) }],
    ['an error in a body of status 200', { garbage: 'error object', error: error({ code: 402 }) }],
    ['a named error in a body of status 200', { garbage: 'error object', error: error({ type: 'insufficient_quota' }) }],
  ] as const)('%s reaches callers in our words, administrators as it came', async (_, behaviour) => {
    await using scene = await createScene(engine, { settings: once });
    for (const stream of [false, true]) {
      scene.upstream.behave(behaviour);
      const answer = await scene.chat({ stream }, english);
      expect(answer.headers.get('retry-after')).toBeNull();
      await expectOurWords(scene, { status: answer.status, text: await answer.text() });
    }
    const owner = await scene.app.as(scene.user);
    expect(JSON.stringify(await owner.get('/api/log/self'))).not.toMatch(/tide-corp|x_code|insufficient/);
    await scene.checkBooks();
  });

  test.each([error({ code: 401 }), error({ type: 'insufficient_quota' }), error({ code: '403' })])(
    'an error event about the account in a stream that has begun is told in our words: %j',
    async (reported) => {
      await using scene = await createScene(engine, { settings: once });
      scene.upstream.behave({ errorAfter: 3, error: reported });
      const answer = await scene.chat({ stream: true }, english);
      const events = await readEvents(answer);
      await expectOurWords(scene, { status: 502, text: events.at(-1) ?? '' });
      const owner = await scene.app.as(scene.user);
      expect(JSON.stringify(await owner.get('/api/log/self'))).not.toContain('tide-corp');
    },
  );

  test('another channel is tried as before, and the caller hears nothing of it', async () => {
    await using scene = await createScene(engine, { channels: [{ priority: 2 }, { priority: 1 }] });
    scene.upstream.queue({ status: 401, error: error() });
    expect((await scene.chat()).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(2);
  });

  test('a refusal in Chinese', async () => {
    await using scene = await createScene(engine, { settings: once });
    scene.upstream.behave({ status: 403, error: error() });
    const answer = await (await scene.chat({}, { 'accept-language': 'zh' })).json();
    expect(answer.error.message).toContain('上游服务商拒绝了该渠道');
  });

  test('what an upstream says about a request still reaches its caller', async () => {
    await using scene = await createScene(engine, { settings: once });
    scene.upstream.behave({ status: 400, error: error({ message: 'max_tokens is too large', code: 'invalid_value' }) });
    const answer = await scene.chat();
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('max_tokens is too large'),
    });
  });

  test.each([400, 404, 422, 500])('five calls that make an upstream quote a keyword with %i disable no channel', async (status) => {
    await using scene = await createScene(engine, {
      settings: { AutomaticDisableChannelEnabled: 'true', RetryTimes: '3' },
      channels: [{}, {}],
    });
    scene.upstream.behave({ status, error: error({ message: "Invalid value: 'Permission denied'", code: null }) });
    for (let call = 0; call < 5; call += 1) await scene.chat({ tool_choice: 'Permission denied' });
    await scene.logs(5);
    const channels = await scene.app.context.db.collection('channels').find({});
    expect(channels.map((channel) => channel.status)).toEqual([1, 1]);
  });

  const keyword = 'Permission denied';
  test.each([
    ['as it is', { user: keyword }, keyword],
    ['in two fields', { user: 'denied', tool_choice: 'Permission' }, keyword],
    ['in other case', { user: 'PERMISSION DENIED' }, 'PERMISSION DENIED'],
    ['as the model', { model: `gpt-4-gizmo-403 ${keyword}` }, keyword],
    ['with a long body', { user: keyword, note: 'x'.repeat(100_000) }, keyword],
  ])('a caller who writes a keyword %s disables no channel, whatever the status', async (_, fields, quoted) => {
    for (const status of [402, 403, 429]) {
      await using scene = await createScene(engine, {
        settings: { AutomaticDisableChannelEnabled: 'true', RetryTimes: '3' },
        channels: [{ models: 'gpt-4o-mini,gpt-4-gizmo-*' }, { models: 'gpt-4o-mini,gpt-4-gizmo-*' }],
      });
      scene.upstream.behave({ status, error: error({ message: `Rate limited: '${quoted}'`, type: '', code: 'model_not_found' }) });
      await scene.chat(fields);
      expect(scene.upstream.requests.length).toBeGreaterThan(0);
      await scene.logs(1);
      const channels = await scene.app.context.db.collection('channels').find({});
      expect(channels.map((channel) => channel.status)).toEqual([1, 1]);
    }
  });

  test('a keyword that the caller has not written disables the channel', async () => {
    await using scene = await createScene(engine, { settings: { ...once, AutomaticDisableChannelEnabled: 'true' } });
    scene.upstream.behave({ status: 403, error: error({ message: 'Permission denied on resource project', type: '', code: null }) });
    await scene.chat({ user: 'denied' });
    await expect.poll(async () => (await scene.app.context.db.collection('channels').find({}))[0]?.status).toBe(3);
  });

  test('an error event or body that quotes a keyword disables no channel', async () => {
    await using scene = await createScene(engine, { settings: { ...once, AutomaticDisableChannelEnabled: 'true' } });
    const quoted = error({ message: "Invalid value: 'Permission denied'", code: null });
    for (const behaviour of [
      { errorAfter: 2, error: quoted },
      { garbage: 'error object' as const, error: quoted },
    ]) {
      scene.upstream.behave(behaviour);
      await (await scene.chat({ stream: true })).text();
    }
    await scene.logs(2);
    const [channel] = await scene.app.context.db.collection('channels').find({});
    expect(channel?.status).toBe(1);
  });

  test.each([
    ['InvalidApiKey', 502, 3],
    ['Arrearage', 502, 1],
    ['Throttling.RateQuota', 429, 1],
    ['InvalidParameter', 400, 1],
    ['InternalError.Timeout', 500, 1],
  ])('the native error %s of Ali in a body of status 200 is one, whole and in a stream', async (code, status, left) => {
    const native = JSON.stringify({ code, message: 'so it is', request_id: 'rq' });
    const whole = await startRawUpstream((response) => void response.end(native), { type: 'application/json' });
    const begun = `data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\n`;
    const events = await startRawUpstream((response) => {
      response.write(begun);
      setTimeout(() => response.end(`data: ${native}\n\n`), 50);
    });
    await using scene = await createScene(engine, {
      settings: { ...once, AutomaticDisableChannelEnabled: 'true' },
      channels: [{ type: 17, base_url: whole.url, key: 'sk-ali' }],
    });
    const answer = await scene.chat();
    expect(answer.status).toBe(status);
    expect((await answer.json()).error.type).toMatch(/^(?:ali|upstream)_error$/);
    const channels = scene.app.context.db.collection('channels');
    await expect.poll(async () => (await channels.find({}))[0]?.status).toBe(left);
    await channels.patch({ id: 1 }, { set: { status: 1, base_url: events.url } });
    await scene.app.context.channels.reload();
    const stream = await scene.chat({ stream: true });
    expect(JSON.parse((await readEvents(stream)).at(-1) ?? '{}')).toMatchObject({ error: { message: expect.any(String) } });
    await scene.logs(2);
    await scene.checkBooks();
    await Promise.all([whole[Symbol.asyncDispose](), events[Symbol.asyncDispose]()]);
  });

  test('names of any length in an error are cut before they are kept', async () => {
    const long = 'x'.repeat(1024 * 1024);
    await using upstream = await startRawUpstream(
      (response) =>
        void response.end(
          `data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\ndata: ${JSON.stringify({ error: { message: long, type: long, param: long, code: long } })}\n\n`,
        ),
    );
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    await (await scene.chat({ stream: true })).text();
    const [row] = await scene.logs(1);
    expect(JSON.stringify(row).length).toBeLessThan(10_000);
  });
});
