// Renews sign-ins to accounts, which expire after days. A refresh token works once: losing the response loses the
// sign-in. So one process sends the request, stores the result before anything else, and replaces only the key that it
// sent. https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/manager.rs
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import { limitSkewMs } from '#server/clock/clock-skew.ts';
import { type Collection, DatabaseClosed, type Filter } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { alertOfSignIn } from '#server/notify/notifications.ts';
import { type NewTokens, requestTokens } from './request-tokens.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import { readSignIn, type SignIn } from './sign-in.ts';

const codexType = 57;
/** Tokens live about ten days and are renewed this long before expiry, so calls never use an expired one. */
const earlyMs = 86_400_000;
/** Minimum time between attempts for one sign-in, because an attempt without a response may have used the token. */
const betweenMs = 600_000;
/** Attempts per run, which must end long before the job's lock expires. */
const mostInRun = 8;

interface Renewable {
  /** Channel with the key. */
  channel: PreparedChannel;
  signIn: SignIn;
  /** Of the key, or of a channel with one key. */
  status: number;
  /** Milliseconds. */
  statusTime: number;
}

/**
 * Returns the number of renewed sign-ins.
 * @param address of the token endpoint
 */
export async function renewSignIns(context: AppContext, address?: string): Promise<number> {
  let requested = 0;
  let renewed = 0;
  for (const group of sharedSignIns(context).values()) {
    if (requested >= mostInRun) break;
    const outcome = await renewOne(context, group, address);
    if (outcome !== 'not due') requested += 1;
    if (outcome === 'renewed') renewed += 1;
  }
  return renewed;
}

/** Groups channels by sign-in, which several may share. */
function sharedSignIns({ channels }: AppContext): Map<string, Renewable[]> {
  const groups = new Map<string, Renewable[]>();
  for (const channel of channels.all()) {
    if (channel.type !== codexType || channel.status === ChannelStatus.disabledByHand) continue;
    for (const { with: own, status, statusTime } of keysOf(channel)) {
      const signIn = status === ChannelStatus.disabledByHand ? null : readSignIn(own.key);
      if (signIn?.refreshToken === undefined) continue;
      const renewable = { channel: own, signIn, status, statusTime };
      groups.set(signIn.refreshToken, [...(groups.get(signIn.refreshToken) ?? []), renewable]);
    }
  }
  return groups;
}

/** The channel with each of its keys, and the state of the key. `statusTime`: milliseconds. */
function keysOf(channel: PreparedChannel): { with: PreparedChannel; status: number; statusTime: number }[] {
  if (channel.keys === undefined) {
    const { status_time: seconds } = parseObject(channel.record.other_info) ?? {};
    return [{ with: channel, status: channel.status, statusTime: typeof seconds === 'number' ? seconds * 1000 : 0 }];
  }
  return channel.keys.all.map(({ record, channel: own }) => ({ with: own, status: record.status, statusTime: record.status_time * 1000 }));
}

/** Fields of the record of a sign-in: of a channel, or of one of its keys. */
type Renewing = Pick<ChannelRecord, 'id' | 'key_hash' | 'key_cipher' | 'renewal'>;

interface Place {
  rows: Collection<Renewing>;
  id: number;
}

function placeOf({ db }: Pick<AppContext, 'db'>, { id, keyId }: Pick<PreparedChannel, 'id' | 'keyId'>): Place {
  return keyId === 0 ? { rows: db.collection('channels'), id } : { rows: db.collection('channel_keys'), id: keyId };
}

type Outcome = 'not due' | 'renewed' | 'failed';

async function renewOne(context: AppContext, group: readonly Renewable[], address: string | undefined): Promise<Outcome> {
  const lead = group.toSorted((one, other) => one.channel.id - other.channel.id)[0];
  if (lead === undefined || !group.some((one) => mayBeDue(context, one))) return 'not due';
  const place = placeOf(context, lead.channel);
  const record = await place.rows.get(place.id);
  // The in-memory record may be a second old.
  if (record === null || record.key_hash !== lead.channel.record.key_hash || !mayBeRequested(context, record)) return 'not due';
  if (!(await claim(context, place, record))) return 'not due';
  const { refreshToken = '' } = lead.signIn;
  const answer = await requestTokens(context.sender, { refreshToken, proxy: lead.channel.setting.proxy, address });
  if (answer.kind === 'renewed') {
    await storeAll(context, group, answer.tokens);
    return 'renewed';
  }
  const { id, name } = lead.channel;
  context.log.warn({ channel: id, reason: answer.reason }, 'a sign-in could not be renewed');
  if (answer.kind === 'refused') await giveUp(context, place, record, { id, name, reason: answer.reason });
  return 'failed';
}

/** Reports whether the token expires soon or was rejected early. */
function mayBeDue(context: AppContext, { channel: { record, keyId }, signIn: { expiresAt }, status, statusTime }: Renewable): boolean {
  if (expiresAt !== undefined && expiresAt - context.now() < earlyMs) return true;
  if (status !== ChannelStatus.disabledBySystem) return false;
  const renewal = keyId === 0 ? record.renewal : renewalOf(context, record.id, keyId);
  return renewal?.key_hash !== record.key_hash || renewal.at < statusTime;
}

/** In memory, as known here. */
function renewalOf({ channels }: Pick<AppContext, 'channels'>, channelId: number, keyId: number): Renewing['renewal'] {
  return channels.get(channelId)?.keys?.all.find(({ id }) => id === keyId)?.record.renewal;
}

/** Reports whether an attempt may be made: none with the same key was recent or found that the sign-in has ended. */
function mayBeRequested({ now }: AppContext, { key_hash, renewal }: Renewing): boolean {
  if (renewal?.key_hash !== key_hash) return true;
  const since = now() - renewal.at;
  return renewal.error === '' && (since >= betweenMs || since < -limitSkewMs);
}

/** Claims the sign-in for this process, and checks that the result can be stored. */
async function claim(context: AppContext, { rows, id }: Place, { key_hash, renewal }: Renewing): Promise<boolean> {
  const unchanged: Filter<Renewing> = renewal === undefined ? { 'renewal.at': { exists: false } } : { 'renewal.at': renewal.at };
  const set = { renewal: { key_hash, at: context.now(), error: '' } };
  return (await rows.patch({ and: [{ id, key_hash }, unchanged] }, { set })) !== null;
}

/** Records that the sign-in has ended; no further attempts follow. */
async function giveUp(
  context: AppContext,
  { rows, id }: Place,
  { key_hash }: Renewing,
  reported: { id: number; name: string; reason: string },
): Promise<void> {
  const set = { renewal: { key_hash, at: context.now(), error: reported.reason } };
  const noted = await rows.patch({ id, key_hash }, { set });
  if (noted !== null) await alertOfSignIn(context, reported);
}

/** Milliseconds between attempts to store the tokens. */
const storePauses = [100, 250, 500, 1000, 2000, 5000];

async function storeAll(context: AppContext, group: readonly Renewable[], tokens: NewTokens): Promise<void> {
  const storing = Promise.all(group.map(({ channel }) => store(context, channel, tokens)));
  // Shutdown also waits for the write.
  context.waitUntil(storing);
  await storing;
}

/** Stores the tokens, retrying. A channel whose key changed meanwhile is left alone. */
async function store(context: AppContext, channel: PreparedChannel, tokens: NewTokens): Promise<void> {
  const { id, key } = channel;
  const { secrets, changes, log } = context;
  const at = context.now();
  const text = withTokens(key, tokens, at);
  const fields = { key_cipher: secrets.encrypt(text, 'channel_key'), key_hash: secrets.hash(text) };
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (await replaceKey(context, channel, fields, at)) await changes.announce('channel', id);
      return;
    } catch (failure) {
      if (failure instanceof DatabaseClosed) throw failure;
      if (attempt === 0) log.warn({ channel: id, reason: String(failure) }, 'a renewed sign-in cannot be stored yet');
      await sleep(storePauses[Math.min(attempt, storePauses.length - 1)] ?? 0);
    }
  }
}

type KeyFields = Pick<ChannelRecord, 'key_cipher' | 'key_hash'>;

/** Returns whether the channel has the new key. */
async function replaceKey(context: AppContext, channel: PreparedChannel, fields: KeyFields, at: number): Promise<boolean> {
  const { db } = context;
  const { rows, id } = placeOf(context, channel);
  const { key_hash: before } = channel.record;
  const renewal = { key_hash: fields.key_hash, at, error: '' };
  const isStored = (await rows.patch({ id, key_hash: before }, { set: { ...fields, renewal } })) !== null;
  // The channel's own record repeats the first of several keys.
  if (channel.keyId !== 0) await db.collection('channels').patch({ id: channel.id, key_hash: before }, { set: fields });
  if (isStored) return true;
  const now = await rows.get(id);
  // An earlier attempt whose response was lost may have succeeded.
  if (now !== null) return now.key_hash === fields.key_hash;
  if (channel.keyId !== 0) return false;
  // A deleted channel can be restored.
  const set = { 'channel.key_cipher': fields.key_cipher, 'channel.key_hash': fields.key_hash };
  await db.collection('deleted_channels').patch({ id, 'channel.key_hash': before }, { set });
  return false;
}

/** Returns the key file with the new tokens. */
function withTokens(key: string, tokens: NewTokens, now: number): string {
  const file = parseObject(key) ?? {};
  const inner = parseObject(JSON.stringify(file['tokens'] ?? null));
  if (inner === null) return JSON.stringify({ ...file, ...tokens });
  return JSON.stringify({ ...file, tokens: { ...inner, ...tokens }, last_refresh: new Date(now).toISOString() });
}
