// Processes are taken for dead again and again while they serve: callers notice nothing, and nothing is charged twice.
import { describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '#server/money/audit.ts';
import { balanceOf } from '#server/money/account.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const startQuota = 100_000_000;
const takeOvers = 12;

describe.each(engines)('two processes that take each other for dead on $kind', (engine) => {
  test('calls of both go on, each is charged once', async () => {
    await using scene = await createScene(engine, { quota: startQuota, tokenQuota: startQuota });
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const apps = [scene.app, second];
    scene.upstream.behave({ text: 'one two three four five six', chunkDelay: 4 });
    let isRunning = true;
    const requestIds: string[] = [];
    const problems: string[] = [];
    const callers = Array.from({ length: 10 }, async (_, caller) => {
      for (let turn = caller; isRunning; turn += 1) {
        const isStream = turn % 3 === 0;
        const response = await fetch(`${apps[caller % 2]?.origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
          body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'x' }] }),
        });
        const text = await response.text();
        if (response.status !== 200 || text.includes('"error"')) problems.push(`${response.status} ${text}`);
        else requestIds.push(response.headers.get('x-oneapi-request-id') ?? '');
      }
    });
    const { db } = scene.app.context;
    const identities = new Set<string>();
    for (let turn = 0; turn < takeOvers; turn += 1) {
      await sleep(20 + Math.random() * 150);
      const [victim, settler] = turn % 2 === 0 ? apps : apps.toReversed();
      const id = victim?.context.ledger.processId ?? '';
      identities.add(id);
      await db.collection('processes').patch({ id, state: 'alive' }, { set: { heartbeat_at: 0 } });
      await settler?.context.ledger.recoverCrashed();
    }
    const before = requestIds.length;
    while (requestIds.length < before + 20) await sleep(20);
    isRunning = false;
    await Promise.all(callers);
    expect(problems).toEqual([]);
    // Each time it had a new identity.
    expect(identities.size).toBeGreaterThan(takeOvers / 2);
    const rows = await db.collection('logs').find({ type: 2 });
    expect(rows.map((row) => row.request_id ?? '').toSorted()).toEqual(requestIds.toSorted());
    const spent = rows.reduce((sum, row) => sum + row.quota, 0);
    const [user, token] = [await db.collection('users').get(scene.user.id), await db.collection('tokens').get(scene.token.id)];
    if (user === null || token === null) throw new Error('The accounts are gone');
    expect([balanceOf(user), balanceOf(token)]).toEqual([startQuota - spent, startQuota - spent]);
    expect([user.request_count, token.used_quota]).toEqual([rows.length, spent]);
    expect((await audit(db)).findings).toEqual([]);
    // Leases in memory equal those in the records: without further calls all of them are returned.
    for (const collection of [db.collection('users'), db.collection('tokens')]) {
      await until(async () => Object.values((await collection.first({}))?.leases ?? {}).every((lease) => lease === 0));
    }
  });
});
