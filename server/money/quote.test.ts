import { expect, test } from 'vitest';
import { createTestApp } from '#tests/support/test-app.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { setOption } from '#tests/support/relay-scene.ts';

const model = 'nobody-priced-it';
const usage = { promptTokens: 10, completionTokens: 10 };

test('a model without a price has the ratio 37.5 if the mode or the caller accepts it, and is refused otherwise', async () => {
  await using app = await createTestApp(embeddedEngine);
  const { quotes } = app.context;
  const user = await app.createUser();
  const taking = (accepts: unknown) => ({ ...user, setting: JSON.stringify({ accept_unset_model_ratio_model: accepts }) });
  const unset = { kind: 'usage', modelRatio: 37.5, completionRatio: 1 };
  for (const caller of [user, { ...user, setting: '{' }, taking(false), taking('true'), taking(1)]) {
    expect(() => quotes.priceOf(model, 'default', caller)).toThrow(expect.objectContaining({ code: 'model_price_error' }));
    expect(() => quotes.priceOfBatch(model, 'default', caller)).toThrow(expect.objectContaining({ code: 'model_price_error' }));
    expect(() => quotes.priceOfVideo(model, 'default', caller)).toThrow(expect.objectContaining({ code: 'model_price_error' }));
  }
  expect(() => quotes.priceOf(model, 'default', { ...user, role: 10 })).toThrow(
    expect.objectContaining({ code: 'model_price_error_admin' }),
  );
  const accepted = quotes.priceOf(model, 'default', taking(true));
  expect(accepted.price).toMatchObject(unset);
  expect(quotes.charge(accepted, usage)).toBe(750);
  // An exemption of one user does not apply to others.
  expect(() => quotes.priceOf(model, 'default', user)).toThrow();
  await setOption(app, 'SelfUseModeEnabled', 'true');
  expect(quotes.priceOf(model, 'default', user).price).toMatchObject(unset);
  expect(quotes.priceOfBatch(model, 'default', user).price).toMatchObject({ modelRatio: 18.75 });
  await setOption(app, 'SelfUseModeEnabled', 'false');
  expect(() => quotes.priceOf(model, 'default', user)).toThrow();
});

test('a group without a ratio has 1; with a ratio of 0 calls are free and still reserve a unit', async () => {
  await using app = await createTestApp(embeddedEngine);
  const { quotes } = app.context;
  await setOption(app, 'ModelRatio', JSON.stringify({ [model]: 2 }));
  await setOption(app, 'GroupRatio', JSON.stringify({ default: 1, free: 0, half: 0.5 }));
  const user = await app.createUser();
  for (const [group, charged] of [
    ['unknown', 40],
    ['constructor', 40],
    ['half', 20],
    ['free', 0],
  ] as const) {
    const quoted = quotes.priceOf(model, group, user);
    expect(quotes.charge(quoted, usage)).toBe(charged);
    const prompt = { tokens: 10, cacheWrite: null, audio: 0, isSpoken: false };
    expect(quotes.reserveFor(quoted, prompt, 10)).toBe(Math.max(1, charged));
  }
});
