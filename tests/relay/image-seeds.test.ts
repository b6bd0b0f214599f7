// Rate limits of requests for a drawing's seed: it costs nothing, and only the upstream knows it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedsAtOnce, seedsPerMinute } from '#server/slices/drawings/read-seed.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTaskScene, price, type TaskScene } from '#tests/support/task-scene.ts';
import { until } from '#tests/support/until.ts';

describe.each(oneEngine)('seeds on $kind', (engine) => {
  let scene: TaskScene;
  beforeAll(async () => {
    scene = await createTaskScene(engine);
    await scene.addChannel();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const requested = () => scene.upstream.visits.filter(({ path }) => path.endsWith('/image-seed')).length;
  const refusal = { status: 429, body: { description: '请求过于频繁，请稍后再试', type: 'upstream_error', code: 30 } };

  it('are asked for a few at once by one user, with whatever key, and others wait for nobody', async () => {
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const seedOf = async (who: typeof customer, id: string) => who.get(`/mj/task/${id}/image-seed`);
    const { result: id } = (await customer.imagine()).body;
    const { result: theirs } = (await other.imagine()).body;
    const before = requested();
    const release = scene.upstream.holdSeeds();
    const running = Array.from({ length: seedsAtOnce }, () => seedOf(customer, id));
    await until(() => requested() === before + seedsAtOnce);
    const refused = await seedOf(customer, id);
    expect(refused).toMatchObject(refusal);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const othersSeed = seedOf(other, theirs);
    await until(() => requested() === before + seedsAtOnce + 1);
    release();
    for (const answer of [...(await Promise.all(running)), await othersSeed]) expect(answer.status).toBe(200);
    expect((await seedOf(customer, id)).status).toBe(200);
  });

  it('are asked for only so often in a minute', async () => {
    const customer = await scene.customer();
    const { result: id } = (await customer.imagine()).body;
    const before = requested();
    for (let count = 0; count < seedsPerMinute; count += 1) expect((await customer.get(`/mj/task/${id}/image-seed`)).status).toBe(200);
    const refused = await customer.get(`/mj/task/${id}/image-seed`);
    expect(refused).toMatchObject(refusal);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(requested()).toBe(before + seedsPerMinute);
    scene.later(61);
    expect((await customer.get(`/mj/task/${id}/image-seed`)).status).toBe(200);
    expect(await customer.balance()).toBe(10_000_000 - price);
  });
});
