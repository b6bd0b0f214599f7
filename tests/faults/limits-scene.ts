// What the processes find whose limits and budgets are to hold: providers of every kind, of which one counts what runs at it, and accounts with hard budgets.
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { Budget } from '#shared/budgets.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { type FakeBatches, startFakeBatches } from '#tests/support/fake-batches.ts';
import { type FakeRealtime, startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';

export const chatModels = ['gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.0-flash'] as const;
/** Of the provider that counts. */
export const narrowModel = 'narrow';
export const batchModel = 'gpt-4.1-mini';
export const spokenModel = 'gpt-realtime';
export const videoModel = 'sora-2';
const ratio = 10;
/** Limits of the key of each wave. */
export const narrow = { parallel: 4, requests: 25, tokens: 900 } as const;

export interface LimitsProviders extends AsyncDisposable {
  chats: string;
  narrow: NarrowFront;
  batches: FakeBatches;
  realtime: FakeRealtime;
  videos: { url: string; sora: ReturnType<typeof soraServing> };
}

export async function startLimitsProviders(): Promise<LimitsProviders> {
  const upstream = await startFakeUpstream();
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
  upstream.behave({ text: 'one two three', usage, chunkDelay: 10, firstByteDelay: 30 });
  const front = await startNarrow(upstream.url);
  const batches = await startFakeBatches(upstream.url);
  const realtime = await startFakeRealtime();
  realtime.behave({
    usage: {
      total_tokens: 10,
      input_tokens: 5,
      output_tokens: 5,
      input_token_details: { text_tokens: 5, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: 5, audio_tokens: 0 },
    },
  });
  const sora = soraServing();
  const videos = await startFakeVideos(sora.serving);
  return {
    chats: upstream.url,
    narrow: front,
    batches,
    realtime,
    videos: { url: videos.url, sora },
    async [Symbol.asyncDispose]() {
      await videos[Symbol.asyncDispose]();
      await realtime[Symbol.asyncDispose]();
      await batches.close();
      await front.close();
      await upstream.close();
    },
  };
}

/** Counts the calls that it passes on to a provider. */
export interface NarrowFront {
  url: string;
  received: number;
  running: number;
  /** Most that ran at the same time. */
  most: number;
  close(): Promise<void>;
}

async function startNarrow(upstream: string): Promise<NarrowFront> {
  const front = { url: '', received: 0, running: 0, most: 0, close };
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    // Files go through any channel of their provider.
    const isCall = url.endsWith('/chat/completions');
    front.received += Number(isCall);
    front.running += Number(isCall);
    front.most = Math.max(front.most, front.running);
    const sent = httpRequest(upstream + url, { method, headers: { ...headers, host: new URL(upstream).host } }, (answer) => {
      answer.on('error', () => response.destroy());
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // The last byte leaves when the call does not count as running any more: its receiver may begin the next one at once.
      answer.once('end', ended);
      answer.pipe(response);
    });
    let hasEnded = false;
    const ended = () => {
      if (!hasEnded) front.running -= Number(isCall);
      hasEnded = true;
    };
    sent.once('error', () => response.destroy());
    response.once('close', () => {
      ended();
      sent.destroy();
    });
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return front;
}

export interface LimitedAccounts {
  /** A person whose key and account have budgets, an organisation's key whose member, team and organisation have, and a person without. */
  keys: { person: string; member: string };
  person: number;
  personToken: number;
  organisation: number;
  member: number;
  team: number;
  /** Who has the keys with rate limits. */
  other: number;
}

function monthly(amount: number): { budgets: readonly Budget[] } {
  return { budgets: [{ id: 'hard', amount, period: 'month', starts: 'calendar', at_end: 'stop' }] };
}

/** @param amount of the budgets of keys and members; those of accounts and teams have a part more */
export async function seedLimits(context: RunningContext, providers: LimitsProviders, amount: number): Promise<LimitedAccounts> {
  const { db, ledger, secrets } = context;
  const models = [...chatModels, narrowModel, batchModel, spokenModel];
  const options = {
    ModelRatio: JSON.stringify({ ...Object.fromEntries(models.map((model) => [model, ratio])), [spokenModel]: 1 }),
    AudioRatio: JSON.stringify({ [spokenModel]: 1 }),
    CompletionRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 4]))),
    VideoPrice: JSON.stringify({ [`720p:${videoModel}`]: 0.001 }),
    BackgroundResponsesPerUser: '100',
    BatchesPerUser: '1000',
    FilesPerUser: '100000',
  };
  for (const [id, value] of Object.entries(options))
    await db.collection('options').insert({ id, value, revision: 1, updated_at: 0, updated_by: 0 });
  const { narrow: front, batches, realtime, videos } = providers;
  const channels = [
    { type: 1, base_url: providers.chats, models: chatModels[0] },
    { type: 14, base_url: providers.chats, models: chatModels[1] },
    { type: 24, base_url: providers.chats, models: chatModels[2] },
    { type: 1, base_url: front.url, models: narrowModel },
    { ...batches.channel, base_url: batches.url, models: batchModel },
    { type: 1, base_url: realtime.url, models: spokenModel },
    { type: 55, base_url: videos.url, models: videoModel, key: 'sk-channel' },
  ];
  for (const channel of channels)
    await db.collection('channels').insert(buildChannel({ ...channel, id: await db.nextId('channels') }, secrets));
  const users: number[] = [];
  for (const fields of [monthly(amount * 2), {}, {}]) {
    const user = { ...(await buildUser(context)), ...storedLimits(fields) };
    await db.collection('users').insert(user);
    users.push(user.id);
  }
  const [person = 0, employee = 0, other = 0] = users;
  const organisation = await buildUser(context, { username: 'org:1', kind: 'organisation' });
  await db.collection('users').insert({ ...organisation, ...storedLimits(monthly(amount * 2)) });
  const names = { name: 'Tide', policy: '', domains: '', domain_role: 'developer', found_ref: '1', revision: 1 } as const;
  await db.collection('organisations').insert({ id: organisation.id, founded_by: employee, created_time: 0, DeletedAt: null, ...names });
  const [team, member] = [await db.nextId('teams'), await db.nextId('organisation_members')];
  const belongs = { organisation_id: organisation.id, revision: 1 };
  await db
    .collection('teams')
    .insert({ id: team, name: 'a', policy: '', created_time: 0, ...belongs, ...storedLimits(monthly(amount * 2)) });
  const joined = { role: 'owner', source: 'founder', invited_by: employee, joined_at: 0, team_id: team } as const;
  await db
    .collection('organisation_members')
    .insert({ id: member, user_id: employee, ...joined, ...belongs, ...storedLimits(monthly(amount)) });
  for (const id of [person, other, organisation.id])
    await ledger.change({ account: 'user', id, amount: 1_000_000_000, ref: `seed ${id}`, kind: 'test', actorId: 0 });
  const ofPerson = await createToken(context, person, storedLimits(monthly(amount)));
  const ofMember = await createToken(context, organisation.id, { member_id: employee });
  const ids = { person, personToken: ofPerson.token.id, organisation: organisation.id, member, team, other };
  return { keys: { person: ofPerson.key, member: ofMember.key }, ...ids };
}

/** Edits all budgets, so that as much can be spent again. */
export async function raiseBudgets(context: RunningContext, known: LimitedAccounts, amount: number): Promise<void> {
  const { db, changes } = context;
  const [single, double] = [{ ...storedLimits(monthly(amount)) }, { ...storedLimits(monthly(amount * 2)) }];
  await db.collection('tokens').patch({ id: known.personToken }, { set: single });
  await db.collection('organisation_members').patch({ id: known.member }, { set: single });
  await db.collection('teams').patch({ id: known.team }, { set: double });
  for (const id of [known.person, known.organisation]) {
    await db.collection('users').patch({ id }, { set: double });
    await changes.announce('user', id);
  }
  await changes.announce('token', known.personToken);
}

/** A key with limits of its own, for one wave. */
export async function addNarrowKey(context: RunningContext, { other }: LimitedAccounts): Promise<{ id: number; key: string }> {
  const limits = storedLimits({
    rate_limits: [
      { meter: 'parallel', amount: narrow.parallel },
      { meter: 'requests', per: 'day', amount: narrow.requests },
      { meter: 'tokens', per: 'day', amount: narrow.tokens },
    ],
  });
  const { token, key } = await createToken(context, other, limits);
  return { id: token.id, key };
}
