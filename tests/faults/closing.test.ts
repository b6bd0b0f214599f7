// Whatever is under way, closing comes to an end.
import { describe, expect, test } from 'vitest';
import { DatabaseClosed } from '#server/db/collection.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, until } from '#tests/support/relay-scene.ts';

describe.each(engines)('closing on $kind', (engine) => {
  test('a database may be closed several times, by several, and at once', async () => {
    const database = await engine.create();
    const handle = await database.open();
    await handle.collection('logs').group({ by: [] });
    const reading = handle
      .collection('users')
      .group({ by: [] })
      .catch((failure: unknown) => failure);
    await Promise.all([handle.close(), handle.close()]);
    await handle.close();
    const result = await reading;
    expect(Array.isArray(result) || result instanceof DatabaseClosed).toBe(true);
    await expect(handle.collection('users').get(1)).rejects.toThrow(DatabaseClosed);
    await database.remove();
    await database.remove();
  });

  test('an app whose database was closed under it gives up what it cannot settle', async () => {
    const scene = await createScene(engine);
    scene.upstream.behave({ text: 'one two three', holdAfter: 1 });
    const stream = await scene.chat({ stream: true });
    const upstream = await scene.upstream.request(0);
    await until(() => (upstream.eventsSent > 1 ? true : null));
    await scene.app.context.db.close();
    upstream.release();
    await scene[Symbol.asyncDispose]();
    expect(await stream.text().catch(() => 'cut')).not.toContain('[DONE]');
  });

  test('an app ends while calls, edits and a feed are busy', async () => {
    const scene = await createScene(engine);
    const busy = Array.from({ length: 10 }, async () => {
      for (;;) {
        const response = await scene.chat({ stream: true }).catch(() => null);
        if (response?.status !== 200) return;
        await response.text().catch(() => null);
        await scene.app.context.changes.announce('user', scene.user.id).catch(() => null);
      }
    });
    await scene.logs(20);
    await scene[Symbol.asyncDispose]();
    expect(await Promise.all(busy)).toHaveLength(10);
  });
});
