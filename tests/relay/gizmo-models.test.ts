// Names of single GPTs, and `gpt-4-gizmo-*` for all of them: in channels, in keys, in the list of models and in prices.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const all = 'gpt-4-gizmo-*';
const one = 'gpt-4-gizmo-g-2fkFE8rbu';

async function ask(scene: RelayScene, model: string, key = scene.key): Promise<{ status: number; code: unknown }> {
  const response = await scene.chat({ model }, { authorization: `Bearer ${key}` });
  return { status: response.status, code: (await response.json()).error?.code };
}
const look = async (scene: RelayScene, model: string, key = scene.key) =>
  (await fetch(`${scene.app.origin}/v1/models/${model}`, { headers: { authorization: `Bearer ${key}` } })).status;

describe.each(oneEngine)('GPTs on $kind', (engine) => {
  test.each([
    ['of a channel that serves all', all],
    ['of a channel that lists it', one],
  ])('one is served %s, at the price of all', async (_name, models) => {
    await using scene = await createScene(engine, { channels: [{ models }] });
    expect(await ask(scene, one)).toMatchObject({ status: 200 });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ model: one });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: one, quota: 50_000, other: { model_price: 0.1 } });
    expect(await look(scene, one)).toBe(200);
    expect(await ask(scene, 'gpt-4-gizmo-g-other')).toMatchObject({ status: models === all ? 200 : 404 });
  });

  test('a key for all may ask for one, a key for one for no other', async () => {
    await using scene = await createScene(engine, { channels: [{ models: all }] });
    const forAll = await scene.addToken({ model_limits_enabled: true, model_limits: all });
    const forOne = await scene.addToken({ model_limits_enabled: true, model_limits: one });
    const forNone = await scene.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    expect(await ask(scene, one, forAll.key)).toMatchObject({ status: 200 });
    expect(await ask(scene, one, forOne.key)).toMatchObject({ status: 200 });
    expect(await ask(scene, 'gpt-4-gizmo-g-other', forOne.key)).toMatchObject({ status: 403, code: 'model_denied' });
    expect(await ask(scene, one, forNone.key)).toMatchObject({ status: 403, code: 'model_denied' });
    expect(await look(scene, one, forAll.key)).toBe(200);
    expect(await look(scene, one, forNone.key)).toBe(404);
  });

  test('one whose channels are all disabled is away, not unknown', async () => {
    await using scene = await createScene(engine, { channels: [{ models: all, status: 2 }] });
    expect(await ask(scene, one)).toMatchObject({ status: 503, code: 'no_channel' });
    expect(await ask(scene, 'gpt-4o-gizmo-g-1')).toMatchObject({ status: 404, code: 'model_not_found' });
  });
});
