// How much a submission of a drawing or of music may hold.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestPrompt, mostTextBytes } from '#server/call/tasks/task-bounds.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTaskScene, type TaskScene } from '#tests/support/task-scene.ts';

const picture = `data:image/png;base64,${'QUJD'.repeat(400_000)}`;
const english = { 'accept-language': 'en' };

describe.each(oneEngine)('submissions on $kind', (engine) => {
  let scene: TaskScene;
  beforeAll(async () => {
    scene = await createTaskScene(engine);
    await scene.addChannel();
    await scene.addChannel({ type: 36 });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const long = (count: number) => 'x'.repeat(count);

  it.each([
    ['imagine', { prompt: long(longestPrompt + 1) }, `prompt must not be longer than ${longestPrompt} characters`],
    ['imagine', { prompt: '\ud800'.repeat(longestPrompt + 1) }, 'prompt must not be longer'],
    ['imagine', { prompt: 'p', state: long(10_001) }, 'state must not be longer than 10000 characters'],
    ['imagine', { prompt: 'p', notifyHook: long(4_001) }, 'notifyHook must not be longer'],
    ['imagine', { prompt: 'p', accountFilter: { remark: long(200_001) } }, 'body must not be longer than 200000 characters'],
    ['imagine', { prompt: 'p', [long(200_001)]: 1 }, 'body must not be longer'],
    ['imagine', { prompt: 'p', parts: Array.from({ length: 10_001 }, () => 1) }, 'body must not have more than 10000 values'],
    ['imagine', { prompt: 'p', base64Array: [picture, '\ud800'.repeat(5_000)] }, 'base64Array must be a picture in Base64'],
    ['blend', { base64Array: [`${picture}ÿ`] }, 'base64Array must be a picture in Base64'],
    ['describe', { base64: '<svg>'.repeat(1_000) }, 'base64 must be a picture in Base64'],
    ['modal', { taskId: '1', maskBase64: { base64: '?'.repeat(5_000) } }, 'base64 must be a picture in Base64'],
    ['shorten', { prompt: long(longestPrompt + 1) }, 'prompt must not be longer'],
    ['action', { taskId: '1', customId: `MJ::${'::'.repeat(500)}` }, 'customId must not be longer than 1000 characters'],
    ['action', { taskId: long(201), customId: 'MJ::JOB::upsample::1' }, 'taskId must not be longer than 200 characters'],
    ['change', { taskId: '1', action: 'UPSCALE', index: '1'.repeat(21) }, 'index must not be longer than 20 characters'],
    ['change', { taskId: '1', action: long(101) }, 'action must not be longer'],
    ['simple-change', { content: `1${' '.repeat(1_000)}U1` }, 'content must not be longer than 1000 characters'],
  ])('%s with too much in it is refused before it is charged (%#)', async (kind, body, reported) => {
    const customer = await scene.customer();
    const before = scene.upstream.visits.length;
    const answer = await customer.post(`/mj/submit/${kind}`, body, english);
    expect(answer).toMatchObject({ status: 400, body: { type: 'upstream_error', code: 4 } });
    expect(answer.body.description).toContain(`bind_request_body_failed Invalid request: ${reported}`);
    expect(scene.upstream.visits).toHaveLength(before);
    expect(await customer.balance()).toBe(10_000_000);
    expect(await scene.app.context.db.collection('tasks').count({ user_id: customer.user.id })).toBe(0);
  });

  it.each(['shorten', 'change', 'simple-change', 'action'])('%s has no pictures, and so no long body', async (kind) => {
    const customer = await scene.customer();
    const body = { base64: picture };
    expect(await customer.post(`/mj/submit/${kind}`, body, english)).toMatchObject({
      status: 413,
      body: {
        description: `bind_request_body_failed The request body is larger than ${mostTextBytes} bytes`,
        type: 'upstream_error',
        code: 4,
      },
    });
  });

  it('what is as long as it may be goes upstream, pictures included', async () => {
    const customer = await scene.customer();
    const body = { prompt: '海'.repeat(longestPrompt), base64Array: [picture, 'https://cdn.example/a.png'], state: long(10_000) };
    expect((await customer.imagine(body)).status).toBe(200);
    expect(scene.upstream.visits.at(-1)?.body).toEqual(body);
    const face = { sourceBase64: picture, targetBase64: picture.slice('data:image/png;base64,'.length) };
    expect((await customer.post('/mj/insight-face/swap', face)).status).toBe(200);
    expect(scene.upstream.visits.at(-1)?.body).toEqual(face);
    expect((await customer.music({ prompt: long(longestPrompt) })).status).toBe(200);
    await scene.checkBooks();
  });

  it('is told in the language of the caller', async () => {
    const customer = await scene.customer();
    const { description } = (await customer.imagine({ prompt: long(longestPrompt + 1) })).body;
    expect(description).toBe(`bind_request_body_failed 无效的请求：prompt 不能超过 ${longestPrompt} 个字符`);
  });

  it.each([
    ['music', 'prompt', longestPrompt],
    ['lyrics', 'prompt', longestPrompt],
    ['music', 'gpt_description_prompt', longestPrompt],
    ['music', 'title', 1_000],
    ['music', 'tags', 10_000],
    ['music', 'mv', 100],
    ['music', 'task_id', 200],
    ['music', 'continue_clip_id', 200],
  ])('%s with a long %s is refused in the words of Suno', async (action, field, limit) => {
    const customer = await scene.customer();
    const answer = await customer.post(`/suno/submit/${action}`, { [field]: long(limit + 1) }, english);
    const message = `Invalid request: ${field} must not be longer than ${limit} characters`;
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', message, data: null } });
    expect(await customer.balance()).toBe(10_000_000);
  });

  it('music with a long body is refused before it is read', async () => {
    const customer = await scene.customer();
    const answer = await customer.music({ unknown: long(mostTextBytes) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'invalid_request', data: null } });
  });
});
