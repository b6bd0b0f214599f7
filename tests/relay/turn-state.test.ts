// The state that an upstream gives Codex to send back reaches that upstream, and no other.
import { expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const name = 'x-codex-turn-state';
const setting = '{"formats":["openai-responses"]}';

async function ask(scene: RelayScene, headers: Record<string, string> = {}, fields: object = {}) {
  const response = await scene.post('/v1/responses', { model: testModel, input: 'Hi', store: false, ...fields }, headers);
  expect(response.status, await response.text()).toBe(200);
  return { reported: response.headers.get(name), sent: scene.upstream.requests.at(-1)?.headers[name] };
}

test.each([false, true])('the state of a turn goes back to the channel that gave it, sealed on its way (stream: %s)', async (stream) => {
  await using scene = await createScene(embeddedEngine, { channels: [{ setting, priority: 9 }, { setting }] });
  scene.upstream.behave({ headers: { [name]: 'sticky-1' } });
  const { reported, sent } = await ask(scene, {}, { stream });
  expect(sent).toBeUndefined();
  expect(reported).toMatch(/^[\w-]{40,}$/);
  expect(Buffer.from(reported ?? '', 'base64url').toString('latin1')).not.toContain('sticky');
  expect((await ask(scene, { [name]: reported ?? '' }, { stream })).sent).toBe('sticky-1');
  expect((await ask(scene, { [name]: 'sticky-1' }, { stream })).sent).toBeUndefined();
  expect((await ask(scene, { [name]: `${reported?.slice(0, -4)}AAAA` }, { stream })).sent).toBeUndefined();
  const stranger = await scene.app.createUser({ quota: 5_000_000 });
  const { key } = await createToken(scene.app.context, stranger.id);
  expect((await ask(scene, { [name]: reported ?? '', authorization: `Bearer ${key}` }, { stream })).sent).toBeUndefined();
  // The other channel does not receive it.
  const [first = 0] = scene.channelIds;
  await scene.app.context.db.collection('channels').patch({ id: first }, { set: { status: 2 } });
  await scene.app.context.changes.announce('channel', first);
  expect((await ask(scene, { [name]: reported ?? '' }, { stream })).sent).toBeUndefined();
});

test('what a provider of another format says is not told', async () => {
  await using scene = await createScene(embeddedEngine);
  scene.upstream.behave({ headers: { [name]: 'sticky-1' } });
  expect(await ask(scene)).toEqual({ reported: null, sent: undefined });
});

test('what an attempt was told that then failed is not told', async () => {
  const settings = { RetryTimes: '1' };
  await using scene = await createScene(embeddedEngine, { settings, channels: [{ setting, priority: 9 }, {}] });
  scene.upstream.queue({ headers: { [name]: 'sticky-1' }, garbage: 'html' }, {});
  expect((await ask(scene)).reported).toBeNull();
  expect(scene.upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions']);
});
