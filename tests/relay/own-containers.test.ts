// Code that Claude runs continues in the container of an earlier turn: its caller names it by an id that no other user can use.
import { describe, expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
const own = 'container_011CPR5CNjB747bTd36fQLFk';
const channel = { type: 14, models: model };
const said = `They ran in "${own}".`;

interface Turn {
  stream?: boolean;
  container?: unknown;
  headers?: Record<string, string>;
  path?: string;
}

const send = (scene: RelayScene, { stream = false, container, headers = {}, path = '/v1/messages' }: Turn = {}) =>
  scene.post(path, { model, max_tokens: 50, messages: [{ role: 'user', content: 'Run it' }], stream, container }, headers);

/** Returns the container's id as the caller receives it. */
async function reported(scene: RelayScene, turn: Turn = {}): Promise<string> {
  const answer = await send(scene, turn);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  const message = turn.stream === true ? (/^data: (\{"type":"message_delta".*\})$/m.exec(text)?.[1] ?? '') : text;
  const { container, delta } = JSON.parse(message);
  const { id, ...rest } = container ?? delta.container;
  expect(rest).toEqual({ expires_at: '2026-12-01T00:00:00Z', skills: null });
  expect(text.replaceAll('\\"', '')).not.toContain(`"${own}"`);
  return id;
}

const lastSent = (scene: RelayScene) => scene.upstream.requests.at(-1)?.body;

async function refusedOf(scene: RelayScene, turn: Turn): Promise<unknown> {
  const before = scene.upstream.requests.length;
  const answer = await send(scene, turn);
  expect(scene.upstream.requests).toHaveLength(before);
  return [answer.status, await answer.text()];
}

const refusal = (field = 'container') => [400, expect.stringContaining(field)];

describe.each(engines)('containers of Claude on $kind', (engine) => {
  test('a whole response where a stream was asked for tells it, too', async () => {
    await using scene = await createScene(engine, { channels: [channel] });
    scene.upstream.behave({ container: own, text: said, garbage: 'json to a stream' });
    const name = await reported(scene, { stream: true });
    expect(name).not.toContain(own);
    expect(await reported(scene, { stream: true, container: name })).toBe(name);
    expect(lastSent(scene)).toMatchObject({ container: own });
  });

  test.each([false, true])('its own caller goes on in one, where it is (stream: %s)', async (stream) => {
    await using scene = await createScene(engine, { channels: [channel, channel, channel], settings: { ChannelAffinityEnabled: 'false' } });
    scene.upstream.behave({ container: own, text: said });
    const name = await reported(scene, { stream });
    expect(name).toMatch(/^container_[\w-]{40,}$/);
    expect(name).not.toContain(own);
    const [first] = await scene.logs(1);
    for (const container of [name, { id: name }, { id: name, skills: [{ type: 'anthropic', skill_id: 'pdf', version: 'latest' }] }]) {
      for (const isStream of [false, true]) {
        expect(await reported(scene, { stream: isStream, container })).toBe(name);
        expect(lastSent(scene)).toMatchObject({ container: typeof container === 'string' ? own : { ...container, id: own } });
      }
    }
    const rows = await scene.logs(7);
    expect(rows.map((row) => row.channel_id)).toEqual(rows.map(() => first?.channel_id));
    await scene.checkBooks();
  });

  test('texts that speak of it are not changed', async () => {
    await using scene = await createScene(engine, { channels: [channel] });
    scene.upstream.behave({ container: own, text: said });
    expect((await (await send(scene)).json()).content).toEqual([{ type: 'text', text: said }]);
  });

  test("another user's, the provider's own name, and one that was changed are refused", async () => {
    await using scene = await createScene(engine, { channels: [channel] });
    scene.upstream.behave({ container: own });
    const name = await reported(scene);
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    expect(await refusedOf(scene, { container: name, headers: { authorization: `Bearer ${key}` } })).toEqual(refusal());
    expect(await refusedOf(scene, { container: { id: name }, headers: { authorization: `Bearer ${key}` } })).toEqual(
      refusal('container.id'),
    );
    expect(await refusedOf(scene, { container: own })).toEqual(refusal());
    expect(await refusedOf(scene, { container: `${name.slice(0, -4)}AAAA` })).toEqual(refusal());
    // With a skill of the operator's.
    const skills = [{ type: 'custom', skill_id: 'skill_1', version: 'latest' }];
    expect(await refusedOf(scene, { container: { id: name, skills } })).toEqual(refusal('container.skills.0.skill_id'));
    await scene.checkBooks();
  });

  test("with another key of its channel, or after a month, it is nobody's any more", async () => {
    await using scene = await createScene(engine, { channels: [channel, channel] });
    scene.upstream.behave({ container: own });
    const name = await reported(scene);
    const [row] = await scene.logs(1);
    const { db, changes, secrets } = scene.app.context;
    await db
      .collection('channels')
      .patch({ id: row?.channel_id ?? 0 }, { set: { key_cipher: secrets.encrypt('sk-ant-other', 'channel_key') } });
    await changes.announce('channel', row?.channel_id ?? 0);
    expect(await refusedOf(scene, { container: name })).toEqual(refusal());
    const next = await reported(scene);
    scene.app.clock.advance(31 * 24 * 3600 * 1000);
    expect(await refusedOf(scene, { container: next })).toEqual(refusal());
  });

  test('while its channel is out of use no other one is asked', async () => {
    await using scene = await createScene(engine, { channels: [channel, channel] });
    scene.upstream.behave({ container: own });
    const name = await reported(scene);
    const [row] = await scene.logs(1);
    await scene.app.context.db.collection('channels').patch({ id: row?.channel_id ?? 0 }, { set: { status: 2 } });
    await scene.app.context.changes.announce('channel', row?.channel_id ?? 0);
    expect(await refusedOf(scene, { container: name })).toEqual([503, expect.any(String)]);
    expect(await reported(scene)).not.toBe(name);
  });

  test('where the site passes everything on as it is, names are what they are', async () => {
    await using scene = await createScene(engine, { channels: [channel], settings: { 'global.pass_through_request_enabled': 'true' } });
    scene.upstream.behave({ container: own });
    expect(await (await send(scene)).json()).toMatchObject({ container: { id: own } });
    expect(await (await send(scene, { container: own })).json()).toMatchObject({ container: { id: own } });
    expect(lastSent(scene)).toMatchObject({ container: own });
  });

  test('a prompt that goes on in one is counted', async () => {
    await using scene = await createScene(engine, { channels: [channel] });
    scene.upstream.behave({ container: own });
    const container = await reported(scene);
    scene.upstream.behave({});
    const counted = await send(scene, { path: '/v1/messages/count_tokens', container });
    expect([counted.status, await counted.json()]).toMatchObject([200, { input_tokens: expect.any(Number) }]);
    expect(await refusedOf(scene, { path: '/v1/messages/count_tokens', container: own })).toEqual(refusal());
  });
});
