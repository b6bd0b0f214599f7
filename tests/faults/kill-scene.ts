// What the servers that are killed find: providers, channels, and accounts of which some run dry.
import type { RunningContext } from '#server/create-context.ts';
import { modelsOf } from '#tests/faults/every-kind.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { type FakeFiles, startFakeFiles } from '#tests/support/fake-files.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';

/** Models of chats: one that answers at once, and one that takes its time. */
export const pacedModels = ['quick', 'paced'] as const;
/** Of a channel that speaks another format than any caller does. */
export const geminiModel = 'gemini-2.5-flash';
const startQuota = 2_000_000;

export interface KillProviders {
  url: string;
  files: FakeFiles;
  close(): Promise<void>;
}

export async function startProviders(): Promise<KillProviders> {
  const upstream = await startFakeUpstream();
  upstream.behave({ text: 'one two three four five' }, { model: 'quick' });
  const slowly = { text: 'one two three four five six seven eight', chunkDelay: 15, firstByteDelay: 20 };
  upstream.behave(slowly, { model: 'paced' });
  upstream.behave(slowly, { model: geminiModel });
  const files = await startFakeFiles(upstream.url);
  return {
    url: upstream.url,
    files,
    async close() {
      await files.close();
      await upstream.close();
    },
  };
}

export interface SeededAccounts {
  keys: string[];
  userIds: number[];
  adminId: number;
  adminCookie: string;
}

/** Users with keys of every kind: unlimited, limited, and one that runs dry and is filled up again. */
export async function seed(context: RunningContext, providers: KillProviders): Promise<SeededAccounts> {
  const { db, ledger, secrets } = context;
  const others = modelsOf('');
  const own = Object.fromEntries(others.map((model) => [model, 1]));
  const ratios = { ...context.settings.get('ModelRatio'), ...own, quick: 1, paced: 7.5, [geminiModel]: 2 };
  // A killed process holds its slot for a minute, and its unfinished work until another process checks.
  const options = { ModelRatio: JSON.stringify(ratios), BackgroundResponsesPerUser: '100', FilesPerUser: '100' };
  for (const [id, value] of Object.entries(options))
    await db.collection('options').insert({ id, value, revision: 1, updated_at: 0, updated_by: 0 });
  const there = { base_url: providers.url };
  const channels = [
    { ...there, models: pacedModels.join(',') },
    { ...there, models: [...pacedModels, ...others].join(',') },
    { ...there, type: 24, models: geminiModel },
    { ...providers.files.channel, base_url: providers.files.url, models: 'none', priority: 1 },
  ];
  for (const channel of channels) {
    const id = await db.nextId('channels');
    await db.collection('channels').insert(buildChannel({ ...channel, id }, secrets));
  }
  const admin = await buildUser(context, { username: 'admin', role: 100 });
  await db.collection('users').insert(admin);
  const keys: string[] = [];
  const userIds: number[] = [];
  for (const quota of [startQuota * 10, startQuota, 3_000]) {
    const user = await buildUser(context);
    await db.collection('users').insert(user);
    await ledger.change({ account: 'user', id: user.id, amount: quota, kind: 'test', ref: `test:${user.id}`, actorId: 0 });
    userIds.push(user.id);
    for (const fields of [{}, { quota: startQuota }, { quota: 5_000 }]) keys.push((await createToken(context, user.id, fields)).key);
  }
  return { keys, userIds, adminId: admin.id, adminCookie: await createSession(context, admin) };
}
