// The audit detects books that were tampered with or that a defect has spoiled.
import { describe, expect, test } from 'vitest';
import { audit } from '#server/money/audit.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { runAudit } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

interface Fault {
  fault: string;
  spoil(scene: RelayScene): Promise<unknown>;
  finding: object;
}

const faults: Fault[] = [
  {
    fault: 'a balance that was raised by hand',
    spoil: ({ app, user }) => app.context.db.collection('users').patch({ id: user.id }, { increment: { quota: 7 } }),
    finding: { account: 'user', difference: 7 },
  },
  {
    fault: 'a use that was forgotten',
    spoil: ({ app, token }) => app.context.db.collection('tokens').patch({ id: token.id }, { increment: { used_quota: -1 } }),
    finding: { account: 'token', usedDifference: -1 },
  },
  {
    fault: 'a row that is gone',
    spoil: async ({ app }) => app.context.db.collection('logs').take({ type: 2 }),
    finding: { account: 'user', difference: expect.any(Number) },
  },
  {
    fault: 'a credit that nobody got',
    spoil: async ({ app, user }) =>
      app.context.db.collection('ledger').insert({
        id: await app.context.db.nextId('ledger'),
        ref: 'made up',
        account: 'user',
        account_id: user.id,
        amount: 100,
        kind: 'test',
        created_at: 0,
        actor_id: 0,
        process: 'pgone',
        state: 'done',
      }),
    finding: { account: 'user', difference: -100 },
  },
  {
    fault: 'money that a process holds which is gone',
    spoil: ({ app, user }) =>
      app.context.db.collection('users').patch({ id: user.id }, { increment: { quota: -50 }, set: { 'leases.pgone': 50 } }),
    finding: { account: 'user', difference: 0, orphaned: 50 },
  },
];

// An account that does not balance is counted again for a second.
describe.each(engines)('the audit on $kind', { concurrent: true }, (engine) => {
  test.each(faults)('finds $fault', async ({ spoil, finding }) => {
    await using scene = await createScene(engine, { tokenQuota: 1_000_000 });
    for (let call = 0; call < 3; call += 1) await (await scene.chat()).text();
    await scene.checkBooks();
    await spoil(scene);
    const { findings } = await audit(scene.app.context.db);
    expect(findings[0]).toMatchObject(finding);
  });

  test('as a command: 0 when every book balances, 1 with a line for each that does not, 2 when it cannot look', async () => {
    await using scene = await createScene(engine, { quota: 1_000_000 });
    await (await scene.chat()).text();
    const { db } = scene.app.context;
    await until(async () => Object.values((await db.collection('users').get(scene.user.id))?.leases ?? {}).every((lease) => lease === 0));
    expect(await runAudit(scene.app.database.url)).toMatchObject({ code: 0, output: expect.stringContaining('1 users, 1 tokens') });
    await db.collection('users').patch({ id: scene.user.id }, { increment: { quota: 7 } });
    const failed = await runAudit(scene.app.database.url);
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining(`user ${scene.user.id}: credits 1000000`) });
    expect((await runAudit('mongodb://127.0.0.1:9/none')).code).toBe(2);
  });
});
