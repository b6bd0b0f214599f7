// `/pg/images/*` and `/pg/audio/*`: pictures, speech and transcripts of the console's playground, paid by the signed-in user.
import { describe, expect, test } from 'vitest';
import { receivedText, spokenPieces, waveOf } from '#tests/support/audio-responses.ts';
import { createSession } from '#tests/support/build-token.ts';
import { type Engine, oneEngine } from '#tests/support/engines.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const [painter, speaker, listener] = ['dall-e-3', 'tts-1', 'whisper-1'];
const settings = {
  RetryTimes: '0',
  ModelPrice: JSON.stringify({ [painter]: 0.04, [listener]: 0.006 }),
  ModelRatio: JSON.stringify({ [speaker]: 7.5, 'gpt-image-1': 2.5 }),
  GroupRatio: '{"default":1,"vip":2}',
  UserUsableGroups: '{"vip":"VIP"}',
};

async function openPlayground(engine: Engine, options: SceneOptions = {}) {
  const channels = [{ models: [painter, speaker, listener, 'gpt-image-1'].join(','), group: 'default,vip' }];
  const scene = await createScene(engine, { channels, settings, ...options });
  const cookie = await createSession(scene.app.context, scene.user);
  const session: Record<string, string> = { cookie, 'new-api-user': String(scene.user.id) };
  const send = (path: string, body: FormData | object, headers = session) =>
    fetch(`${scene.app.origin}/pg/${path}`, {
      method: 'POST',
      headers: body instanceof FormData ? headers : { 'content-type': 'application/json', ...headers },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
  return Object.assign(scene, { send });
}

function recording(fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: listener, ...fields })) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(waveOf(9))], { type: 'audio/wav' }), 'tide.wav');
  return form;
}

describe.each(oneEngine)('pictures and sound of the playground on $kind', (engine) => {
  test('pictures are charged to the user alone, by their order and group; the group goes nowhere', async () => {
    await using scene = await openPlayground(engine);
    const before = await scene.balance();
    const response = await scene.send('images/generations', { model: painter, prompt: 'a tide', n: 2, group: 'vip' });
    expect(response.status).toBe(200);
    expect((await response.json()).data).toHaveLength(2);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ user_id: scene.user.id, token_id: 0, token_name: 'playground-vip', group: 'vip', quota: 80_000 });
    expect(row?.other?.units).toEqual({ kind: 'image', count: 2 });
    expect(row?.request_id).toBe(response.headers.get('x-oneapi-request-id'));
    expect(await scene.balance()).toBe(before - 80_000);
    expect(scene.upstream.requests[0]).toMatchObject({ path: '/v1/images/generations' });
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('group');
    await scene.checkBooks();
  });

  test('a picture to be edited travels as a form', async () => {
    await using scene = await openPlayground(engine);
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'gpt-image-1', prompt: 'at night', group: 'vip' })) form.append(name, value);
    form.append('image', new Blob([new Uint8Array([137, 80, 78, 71])], { type: 'image/png' }), 'tide.png');
    const response = await scene.send('images/edits', form);
    expect(await response.json()).toMatchObject({ data: [{}] });
    expect(scene.upstream.requests[0]).toMatchObject({ path: '/v1/images/edits', body: { model: 'gpt-image-1', prompt: 'at night' } });
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('group');
    expect(scene.upstream.requests[0]?.files[0]).toMatchObject({ name: 'image', filename: 'tide.png' });
    expect(await scene.logs(1)).toMatchObject([{ token_name: 'playground-vip' }]);
    await scene.checkBooks();
  });

  test('speech comes as bytes, paid by the character', async () => {
    await using scene = await openPlayground(engine);
    const response = await scene.send('audio/speech', { model: speaker, input: 'The tide comes in.', voice: 'alloy', group: '' });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.concat(spokenPieces))).toBe(true);
    expect(await scene.logs(1)).toMatchObject([{ quota: 135, token_name: 'playground-default', user_id: scene.user.id }]);
    expect(scene.upstream.requests[0]?.body).toEqual({ model: speaker, input: 'The tide comes in.', voice: 'alloy' });
    await scene.checkBooks();
  });

  test.each(['transcriptions', 'translations'])('%s of a recording are paid by the minute', async (path) => {
    await using scene = await openPlayground(engine);
    const response = await scene.send(`audio/${path}`, recording({ group: 'vip' }));
    expect(await response.json()).toMatchObject({ text: receivedText });
    expect(await scene.logs(1)).toMatchObject([{ quota: 900, token_name: 'playground-vip' }]);
    expect(scene.upstream.requests[0]).toMatchObject({ path: `/v1/audio/${path}`, files: [{ filename: 'tide.wav' }] });
    expect(scene.upstream.requests[0]?.body).toEqual({ model: listener });
    await scene.checkBooks();
  });

  test('keys do not open it, groups of others neither, and who is not signed in is told so', async () => {
    await using scene = await openPlayground(engine);
    const calls = [
      ['images/generations', { model: painter, prompt: 'a tide' }],
      ['audio/speech', { model: speaker, input: 'hi', voice: 'alloy' }],
      ['audio/transcriptions', recording()],
    ] as const;
    for (const [path, body] of calls) {
      const byKey = await scene.send(path, body, { authorization: `Bearer ${scene.key}` });
      expect([byKey.status, (await byKey.json()).success], path).toEqual([401, false]);
      expect((await scene.send(path, body, {})).status, path).toBe(401);
    }
    const foreign = await scene.send('audio/transcriptions', recording({ group: 'secret' }));
    expect([foreign.status, (await foreign.json()).error.code]).toEqual([403, 'group_not_allowed']);
    expect(scene.upstream.requests).toHaveLength(0);
    await scene.checkBooks();
  });

  test('what the balance does not cover is refused before anything is asked', async () => {
    await using scene = await openPlayground(engine, { quota: 30_000 });
    const refused = await scene.send('images/generations', { model: painter, prompt: 'a tide', n: 4 });
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'insufficient_user_quota']);
    const statuses = await Promise.all(
      Array.from({ length: 4 }, async () => (await scene.send('images/generations', { model: painter, prompt: 'a tide' })).status),
    );
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 403, 403, 403]);
    expect(await scene.balance()).toBe(10_000);
    await scene.checkBooks();
  });
});
