// Creates a database with one paying user, channels to the mock upstream, and the given number of tokens.
import type { Write } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { createContext } from '#server/create-context.ts';
import { readEnv } from '#server/env.ts';
import { pino } from 'pino';
import { emptyMoney } from '#server/money/account.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { buildChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { buildUser } from '#tests/support/build.ts';

export const benchKey = `${'bench'.repeat(9)}key`;
/** Key of the second token, which has rate limits and a budget; both are too large to be reached. */
export const limitedKey = `${'limit'.repeat(9)}key`;
const rateLimits = (['requests', 'tokens'] as const).map((meter) => ({ meter, per: 'minute' as const, amount: 1e12 }));
const budget = { id: 'b1', amount: 1e15, period: 'month', starts: 'calendar', at_end: 'stop' } as const;
export const benchSecret = 'a secret for benchmarks only';
const benchModels = ['mock', 'mock-n50', 'mock-n50-d1', 'mock-n50-d10', 'mock-n600-d100', 'mock-n2000-d50'];

export async function seed(
  url: string,
  { upstream, tokens, channels, channel = {} }: { upstream: string; tokens: number; channels: number; channel?: ChannelFields },
): Promise<void> {
  const env = readEnv({ DATABASE_URL: url, SESSION_SECRET: benchSecret, LOG_LEVEL: 'error' });
  const db = await openDatabase(url);
  const context = await createContext({ env, db, masterKey: benchSecret, log: pino({ level: 'error' }) });
  const user = await buildUser(context, { username: 'bench' });
  await db.collection('users').insert(user);
  await context.ledger.change({ account: 'user', id: user.id, amount: 1e15, ref: 'bench', kind: 'test', actorId: 0 });
  for (let index = 0; index < channels; index += 1) {
    const id = await db.nextId('channels');
    // One serves the calls; the others are there to be looked through.
    const models = index === 0 ? benchModels.join(',') : `other-${index},more-${index}`;
    await db.collection('channels').insert(buildChannel({ id, type: 1, models, base_url: upstream, ...channel }, context.secrets));
  }
  for (let from = 0; from < tokens; from += 1000) {
    const batch: Write[] = [];
    for (let index = from; index < Math.min(tokens, from + 1000); index += 1) {
      const key = index === 0 ? benchKey : index === 1 ? limitedKey : context.randomText(48);
      const id = await db.nextId('tokens');
      const record = {
        id,
        user_id: user.id,
        name: `token ${id}`,
        key_hash: context.secrets.hash(key),
        key_cipher: '',
        status: 1,
        created_time: 0,
        accessed_time: 0,
        expired_time: -1,
        remain_quota: 0,
        unlimited_quota: false,
        used_quota: 0,
        model_limits_enabled: true,
        model_limits: benchModels.join(','),
        allow_ips: '127.0.0.0/8',
        group: '',
        DeletedAt: null,
        revision: 1,
        ...(key === limitedKey ? storedLimits({ rate_limits: rateLimits, budgets: [budget] }) : {}),
        ...emptyMoney(),
      };
      batch.push({ insert: record, into: 'tokens' });
    }
    await db.write(batch);
  }
  const paying = await db.collection('tokens').find({ key_hash: { in: [benchKey, limitedKey].map((key) => context.secrets.hash(key)) } });
  if (paying.length === 0) throw new Error('The token of the benchmark is missing');
  for (const { id } of paying) {
    await context.ledger.change({ account: 'token', id, amount: 1e15, ref: `bench-token-${id}`, kind: 'test', actorId: 0 });
  }
  const price = {
    id: 'ModelRatio',
    value: JSON.stringify({ ...context.settings.get('ModelRatio'), ...Object.fromEntries(benchModels.map((model) => [model, 1.25])) }),
    revision: 1,
    updated_at: 0,
    updated_by: 0,
  };
  await db.collection('options').insert(price);
  await db.collection('facts').insert({ id: 'setup', value: { version: 'bench', initialized_at: 0 } });
  await context.close();
}
