// Providers behind gates, an account, and server processes that are killed in the midst of their work.
import { expect } from 'vitest';
import { leasedOf } from '#server/money/account.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { addCountedBudget, checkCountedBudget } from '#tests/support/counted-budget.ts';
import { buildUser } from '#tests/support/build.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { type GatedFront, startGatedFront } from '#tests/support/gated-front.ts';
import type { ProviderFront } from '#tests/support/provider-front.ts';
import { createScratch, type ScratchDatabase } from '#tests/support/scratch-database.ts';
import { runAudit, type ServerProcess, startServer } from '#tests/support/server-process.ts';

export const startQuota = 50_000_000;

export interface KilledScene extends AsyncDisposable {
  scratch: ScratchDatabase;
  /** Of each provider, in their order. */
  fronts: readonly GatedFront[];
  key: string;
  userId: number;
}

/** @param providers each with the models of its channel; closed with the scene */
export async function openKilled(
  engine: string,
  providers: readonly { front: ProviderFront; models: string }[],
  options: Record<string, string> = {},
): Promise<KilledScene> {
  const fronts = await Promise.all(providers.map(({ front }) => startGatedFront(front.url)));
  const scratch = await createScratch(engine === 'mongodb' ? testMongoUrl : undefined);
  const known = await scratch.withContext(async (context) => {
    const { db, ledger, secrets } = context;
    const user = await buildUser(context);
    await db.collection('users').insert(user);
    await ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: startQuota });
    for (const [index, { front, models }] of providers.entries()) {
      const there = { ...front.channel, id: index + 1, models, base_url: fronts[index]?.url ?? '' };
      await db.collection('channels').insert(buildChannel(there, secrets));
    }
    for (const [id, value] of Object.entries(options))
      await db.collection('options').insert({ id, value, revision: 1, updated_at: 0, updated_by: 0 });
    await addCountedBudget(context);
    return { key: (await createToken(context, user.id)).key, userId: user.id };
  });
  return {
    scratch,
    fronts,
    ...known,
    async [Symbol.asyncDispose]() {
      for (const front of fronts) await front[Symbol.asyncDispose]();
      for (const { front } of providers) await front.close();
      await scratch.remove();
    },
  };
}

/** A server that is killed when the work is done. What the dead have left is settled by the next one before it serves. */
export async function killedAfter({ scratch }: KilledScene, work: (server: ServerProcess) => Promise<void>): Promise<void> {
  const server = await startServer({ DATABASE_URL: scratch.url });
  try {
    await work(server);
  } finally {
    await server.kill('SIGKILL');
  }
}

/** Its status; null: the process was gone. */
export async function post({ key }: KilledScene, { origin }: ServerProcess, path: string, body: object): Promise<number | null> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

/** Makes the job of the next process poll at once. */
export async function makeDue({ scratch }: KilledScene, name: 'batches' | 'tasks'): Promise<void> {
  await scratch.withContext(async ({ db }) => {
    await db.collection<'batches' | 'tasks'>(name).patchAll({ poll_at: { exists: true } }, { set: { poll_at: 1 } });
    await db.collection('jobs').remove({});
  });
}

/** Of an account that holds nothing any more, and whose books balance. */
export async function checkSpent({ scratch, userId }: KilledScene, spent: number): Promise<void> {
  await scratch.withContext(async (context) => {
    const user = await context.db.collection('users').get(userId);
    if (user === null) throw new Error('There is no user');
    expect([leasedOf(user), startQuota - user.quota, user.used_quota]).toEqual([0, spent, spent]);
    await checkCountedBudget(context);
  });
  const audited = await runAudit(scratch.url);
  expect(audited.code, audited.output).toBe(0);
}
