// A call with a long clip reserves for a long clip: an account cannot have many of them under way that it could not pay for together.
import { expect, describe, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

/** One token costs one unit, whatever it is. */
const settings = {
  ModelRatio: JSON.stringify({ [testModel]: 1 }),
  CompletionRatio: JSON.stringify({ [testModel]: 1 }),
  AudioRatio: JSON.stringify({ [testModel]: 1 }),
};
const pages = (bytes: number) => Buffer.alloc(bytes).toString('base64');

const cases = [
  {
    format: 'Gemini',
    long: 9_000_000,
    type: 24,
    path: `/v1beta/models/${testModel}:generateContent`,
    body: (data: string) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'audio/ogg', data } }] }],
      generationConfig: { maxOutputTokens: 100 },
    }),
  },
  {
    format: 'Interactions',
    long: 9_000_000,
    type: 24,
    path: '/v1beta/interactions',
    body: (data: string) => ({
      model: testModel,
      input: [
        { type: 'text', text: 'Hi' },
        { type: 'audio', mime_type: 'audio/ogg', data },
      ],
      generation_config: { max_output_tokens: 100 },
    }),
  },
  {
    format: 'Claude',
    long: 1_200_000,
    type: 14,
    path: '/v1/messages',
    body: (data: string) => ({
      model: testModel,
      max_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }] }],
    }),
  },
];

/** Calls of other formats that a channel of Google's gets as films, and what it gets: the value of that name. */
const youtube = 'https://www.youtube.com/watch?v=abc';
const clip = `data:video/mp4;base64,${pages(3_000_000)}`;
const chat = (part: object) => ({
  path: '/v1/chat/completions',
  body: { model: testModel, max_tokens: 100, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] },
});
const responses = (part: object) => ({
  path: '/v1/responses',
  body: { model: testModel, max_output_tokens: 100, input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }, part] }] },
});
const claude = (block: object) => ({
  path: '/v1/messages',
  body: { model: testModel, max_tokens: 100, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, block] }] },
});
const interactions = (content: object) => ({
  path: '/v1beta/interactions',
  body: { model: testModel, input: [{ type: 'text', text: 'Hi' }, content], generation_config: { max_output_tokens: 100 } },
});
const base64 = (media_type: string) => ({ type: 'base64', media_type, data: pages(3_000_000) });

const films = [
  { what: 'an image of chat that is a film', sent: 'inlineData', ...chat({ type: 'image_url', image_url: { url: clip } }) },
  { what: 'an image of chat from YouTube', sent: 'fileData', ...chat({ type: 'image_url', image_url: { url: youtube } }) },
  { what: 'a file of chat from YouTube', sent: 'fileData', ...chat({ type: 'file', file: { file_data: youtube } }) },
  {
    what: 'a file of chat that is a clip',
    sent: 'fileData',
    ...chat({ type: 'file', file: { file_data: 'https://tides.example/a.mp4' } }),
  },
  { what: 'an image of Responses that is a film', sent: 'inlineData', ...responses({ type: 'input_image', image_url: clip }) },
  { what: 'an image of Responses from YouTube', sent: 'fileData', ...responses({ type: 'input_image', image_url: youtube }) },
  { what: 'a file of Responses that is a film', sent: 'inlineData', ...responses({ type: 'input_file', file_url: clip }) },
  { what: 'a file of Responses from YouTube', sent: 'fileData', ...responses({ type: 'input_file', file_url: youtube }) },
  { what: 'an image of Claude that is a film', sent: 'inlineData', ...claude({ type: 'image', source: base64('video/mp4') }) },
  { what: 'an image of Claude from YouTube', sent: 'fileData', ...claude({ type: 'image', source: { type: 'url', url: youtube } }) },
  { what: 'a document of Claude that is a film', sent: 'inlineData', ...claude({ type: 'document', source: base64('video/mp4') }) },
  { what: 'a document of Claude from YouTube', sent: 'fileData', ...claude({ type: 'document', source: { type: 'url', url: youtube } }) },
  { what: 'a video of Interactions within its address', sent: 'inlineData', ...interactions({ type: 'video', uri: clip }) },
  { what: 'an image of Interactions from YouTube', sent: 'fileData', ...interactions({ type: 'image', uri: youtube }) },
];

/** What a channel of the caller's own format gets as it is. */
const filmsOfAlibaba = [
  { what: 'at an address', part: { type: 'video', video: 'https://tides.example/a' }, least: 1_048_576 },
  { what: 'that is a clip', part: { type: 'video', video: clip }, least: 90_000 },
  { what: 'in frames', part: { type: 'video', video: Array.from({ length: 200 }, () => 'https://tides.example/a.jpg') }, least: 128_000 },
];

describe.each(oneEngine)('clips and files on $kind', (engine) => {
  test.each(filmsOfAlibaba)('a film for Alibaba $what: as much as it may cost is kept for it', async ({ part, least }) => {
    await using scene = await createScene(engine, { settings, quota: 3_000_000, channels: [{ type: 17 }] });
    scene.upstream.behave({ holdAfter: 1 }, { times: 1 });
    const { path, body } = chat(part);
    const answer = scene.post(path, body);
    const requested = await scene.upstream.request(0);
    expect(requested.body).toMatchObject({ messages: [{ content: [{}, { type: 'video' }] }] });
    const user = await scene.app.context.db.collection('users').get(scene.user.id);
    const leased = Object.values(user?.leases ?? {}).reduce((sum, held) => sum + held, 0);
    expect(leased).toBeGreaterThanOrEqual(least);
    requested.release();
    expect((await answer).status).toBe(200);
    await scene.logs(1);
    await scene.checkBooks();
  });

  test.each(films)('$what goes to Google, and as much as it may cost is kept for it', async ({ path, body, sent }) => {
    await using scene = await createScene(engine, { settings, quota: 3_000_000, channels: [{ type: 24 }] });
    scene.upstream.behave({ holdAfter: 1 }, { times: 1 });
    const answer = scene.post(path, body);
    const requested = await scene.upstream.request(0);
    expect(JSON.stringify(requested.body).slice(0, 300)).toContain(`"${sent}":{`);
    const user = await scene.app.context.db.collection('users').get(scene.user.id);
    const leased = Object.values(user?.leases ?? {}).reduce((sum, held) => sum + held, 0);
    expect(leased).toBeGreaterThanOrEqual(sent === 'inlineData' ? 90_000 : 1_048_576);
    requested.release();
    expect((await answer).status).toBe(200);
    await scene.logs(1);
    await scene.checkBooks();
  });

  test.each(cases)('$format: what a long one may cost is reserved until the call is settled', async ({ type, path, body, long: bytes }) => {
    await using scene = await createScene(engine, { settings, quota: 200_000, channels: [{ type }] });
    scene.upstream.behave({ firstByteDelay: 500 }, { times: 1 });
    const long = scene.post(path, body(pages(bytes)));
    await scene.upstream.request(0);
    const meanwhile = await scene.post(path, body(pages(600)));
    expect(meanwhile.status).toBe(403);
    expect((await long).status).toBe(200);
    await scene.logs(1);
    await scene.checkBooks();
  });

  test.each(cases)('$format: one that an account cannot pay for by any usual length is refused', async ({ type, path, body, long }) => {
    await using scene = await createScene(engine, { settings, quota: 30_000, channels: [{ type }] });
    expect((await scene.post(path, body(pages(long)))).status).toBe(403);
    expect(scene.upstream.requests).toEqual([]);
    await scene.checkBooks();
  });

  test.each(cases)('$format: a short one leaves room for others', async ({ type, path, body }) => {
    await using scene = await createScene(engine, { settings, quota: 200_000, channels: [{ type }] });
    scene.upstream.behave({ firstByteDelay: 500 }, { times: 1 });
    const short = scene.post(path, body(pages(600)));
    await scene.upstream.request(0);
    expect((await scene.post(path, body(pages(600)))).status).toBe(200);
    expect((await short).status).toBe(200);
    await scene.checkBooks();
  });
});
