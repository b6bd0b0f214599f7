// A call with a long clip reserves for a long clip: an account cannot have many of them under way that it could not pay for together.
import { expect, describe, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
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

describe.each(engines)('clips and files on $kind', (engine) => {
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
