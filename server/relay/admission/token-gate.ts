// Who may call what: key → token → user → group, refused by status, expiry, address and model. What was found is kept under
// a hash of the bare key; the change feed drops whatever was edited, in this process at once and in others within a second.
import { hash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { Role } from '#shared/roles.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { UserStatus } from '#shared/users.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { contains, parseAddress, parseRange } from '#server/addresses.ts';

/** A key that passed. Records are as of the last look; balances in them are not to be used. */
export interface Admission {
  readonly token: TokenRecord;
  readonly user: UserRecord;
  /** Decides channels, ratio and the log's group. */
  readonly group: string;
  /** Channel that an administrator pinned by the key's suffix. */
  readonly pinnedChannel: number | undefined;
  readonly models: ReadonlySet<string> | null;
  readonly ranges: readonly ReturnType<typeof parseRange>[] | null;
  /** The address that was let in last: a key is mostly used from one. */
  readonly lastAddress: { allowed: string | undefined };
}

export interface KeyTraits {
  /** Of keys seen lately; null: there is no such key. */
  owner: Pick<Admission, 'user' | 'token'> | null;
  /** The last characters of a key that nobody has, too few to use it if it is one after all. */
  tail: string;
  length: number;
}

export interface TokenGate {
  /**
   * The admission of the request's credentials. Synchronous for keys seen lately.
   * @throws {AppError} 401 and 403 as in `reference/relay.md` 2.2
   */
  admit(headers: Headers): Admission | Promise<Admission>;
  /** @throws {AppError} `ip_denied`, `token_group_disabled`, `group_deprecated` */
  checkUse(admission: Admission, ip: string): void;
  /** @throws {AppError} `model_denied` */
  checkModel(admission: Admission, model: string): void;
  /** What may be told of the key that a refused call came with. */
  describe(headers: Headers): KeyTraits;
  /** Keys that something is kept of. */
  readonly size: number;
  stop(): void;
}

/** What is known of a key. Null: there is no such key. */
interface Known {
  admission: Admission | null;
  expiresAt: number;
}

/** A key is read again after this long, whatever the change feed said. */
const maxAgeMs = 30_000;
/** A key that does not exist is believed not to for this long; every change of a token ends that. */
const missAgeMs = 2_000;
const maxKeys = 20_000;
const maxMisses = 1_000;
/** Ours have 48 characters, those of other systems that were taken over somewhat more. */
const longestKey = 256;

/** Of a key that does not exist so many characters are shown, if it is long enough to keep enough to itself. */
const shown = 3;
const shownFrom = 12;

export function createTokenGate(context: AppContext): TokenGate {
  const { db, secrets, settings } = context;
  // All are keyed by the hash of the bare key, whose length nobody chooses. In order of expiry.
  const found = new Map<string, Known>();
  const missed = new Map<string, Known>();
  const underWay = new Map<string, Promise<Admission>>();
  const keysOfToken = new Map<number, Set<string>>();
  const keysOfUser = new Map<number, Set<string>>();
  // Counts drops, so that a look-up which was under way during an edit does not store what it read before it.
  let epoch = 0;

  function drop(index: Map<number, Set<string>>, id: number | string): void {
    epoch += 1;
    missed.clear();
    underWay.clear();
    for (const key of index.get(Number(id)) ?? []) forget(key);
  }

  function clear(): void {
    epoch += 1;
    for (const map of [found, missed, underWay, keysOfToken, keysOfUser]) map.clear();
  }

  const stops = [
    context.changes.listen('token', (id) => drop(keysOfToken, id)),
    context.changes.listen('user', (id) => drop(keysOfUser, id)),
    context.changes.onGap(clear),
  ];

  function forget(key: string): void {
    const admission = found.get(key)?.admission;
    found.delete(key);
    if (admission === null || admission === undefined) return;
    unlist(keysOfToken, admission.token.id, key);
    unlist(keysOfUser, admission.user.id, key);
  }

  function store(key: string, admission: Admission): void {
    forget(key);
    const now = performance.now();
    for (const [oldest, known] of found) {
      if (known.expiresAt > now && found.size < maxKeys) break;
      forget(oldest);
    }
    found.set(key, { admission, expiresAt: now + maxAgeMs });
    list(keysOfToken, admission.token.id, key);
    list(keysOfUser, admission.user.id, key);
  }

  function storeMiss(key: string): void {
    missed.delete(key);
    const now = performance.now();
    for (const [oldest, known] of missed) {
      if (known.expiresAt > now && missed.size < maxMisses) break;
      missed.delete(oldest);
    }
    missed.set(key, { admission: null, expiresAt: now + missAgeMs });
  }

  /** Calls that come meanwhile with the same key wait for the same reading. */
  function lookUp(key: string, hashed: string): Promise<Admission> {
    const running = underWay.get(hashed);
    if (running !== undefined) return running;
    const reading = readKey(key, hashed).finally(() => {
      if (underWay.get(hashed) === reading) underWay.delete(hashed);
    });
    underWay.set(hashed, reading);
    return reading;
  }

  async function readKey(key: string, hashed: string): Promise<Admission> {
    const before = epoch;
    const token = await db.collection('tokens').first({ key_hash: secrets.hash(key) });
    const user = token === null || token.DeletedAt !== null ? null : await db.collection('users').get(token.user_id);
    if (token === null || user === null || user.DeletedAt !== null) {
      if (before === epoch) storeMiss(hashed);
      throw new AppError('key_invalid');
    }
    const admission: Admission = {
      token,
      user,
      group: token.group === '' ? user.group : token.group,
      pinnedChannel: undefined,
      models: token.model_limits_enabled ? new Set(splitList(token.model_limits)) : null,
      ranges:
        token.allow_ips.trim() === ''
          ? null
          : token.allow_ips
              .split('\n')
              .map(rangeOf)
              .filter((range) => range !== null),
      lastAddress: { allowed: undefined },
    };
    if (before === epoch) store(hashed, admission);
    return admission;
  }

  function check(known: Admission, suffix: string | undefined): Admission {
    const { token, user } = known;
    if (token.status === TokenStatus.exhausted) throw new AppError('key_exhausted');
    if (token.status === TokenStatus.expired) throw new AppError('key_expired');
    if (token.status !== TokenStatus.enabled) throw new AppError('key_disabled');
    if (token.expired_time !== -1 && token.expired_time * 1000 <= context.now()) throw new AppError('key_expired');
    if (user.status !== UserStatus.active) throw new AppError('user_banned');
    if (suffix === undefined) return known;
    if (user.role < Role.admin) throw new AppError('channel_pin_denied');
    return { ...known, pinnedChannel: Number(/^\d{1,15}$/.test(suffix) ? suffix : Number.NaN) };
  }

  return {
    admit(headers) {
      const credential = credentialOf(headers);
      if (credential === '') throw new AppError('key_missing');
      const [key = '', suffix] = bareKey(credential).split('-', 2);
      if (key === '') throw new AppError('key_missing');
      if (key.length > longestKey) throw new AppError('key_invalid');
      const hashed = hash('sha256', key, 'base64url');
      const known = found.get(hashed) ?? missed.get(hashed);
      if (known === undefined || known.expiresAt <= performance.now()) {
        return lookUp(key, hashed).then((admission) => check(admission, suffix));
      }
      if (known.admission === null) throw new AppError('key_invalid');
      return check(known.admission, suffix);
    },
    checkUse(admission, ip) {
      if (admission.ranges !== null && ip !== admission.lastAddress.allowed) {
        const address = parseAddress(ip);
        if (address === null || !admission.ranges.some((range) => contains(range, address))) throw new AppError('ip_denied');
        admission.lastAddress.allowed = ip;
      }
      const { group, user, token } = admission;
      if (token.group !== '' && group !== user.group && !Object.hasOwn(settings.get('UserUsableGroups'), group)) {
        throw new AppError('token_group_disabled', { group });
      }
      if (token.group !== '' && !Object.hasOwn(settings.get('GroupRatio'), group)) throw new AppError('group_deprecated', { group });
    },
    checkModel(admission, model) {
      const { models, pinnedChannel } = admission;
      if (models === null || pinnedChannel !== undefined || models.has(model) || models.has(pricedName(model))) return;
      throw new AppError('model_denied', { model });
    },
    describe(headers) {
      const [key = ''] = bareKey(credentialOf(headers)).split('-', 1);
      const owner = key.length > longestKey ? null : (found.get(hash('sha256', key, 'base64url'))?.admission ?? null);
      return owner === null
        ? { owner, tail: key.length < shownFrom ? '' : key.slice(-shown), length: key.length }
        : { owner, tail: '', length: 0 };
    },
    get size() {
      return found.size + missed.size + underWay.size;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** `Authorization` first; today's and older SDKs of Anthropic and Google name their key differently. */
function credentialOf(headers: Headers): string {
  const authorization = headers.get('authorization');
  if (authorization !== null && authorization !== '') return authorization;
  return headers.get('x-api-key') ?? headers.get('api-key') ?? '';
}

function bareKey(credential: string): string {
  const key = /^bearer\s/i.test(credential) ? credential.slice(7).trim() : credential.trim();
  return key.startsWith('sk-') ? key.slice(3) : key;
}

function list(index: Map<number, Set<string>>, id: number, key: string): void {
  const known = index.get(id);
  if (known === undefined) index.set(id, new Set([key]));
  else known.add(key);
}

function unlist(index: Map<number, Set<string>>, id: number, key: string): void {
  const known = index.get(id);
  known?.delete(key);
  if (known?.size === 0) index.delete(id);
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Null for a line that is not a range: a list of only such lines allows nobody. */
function rangeOf(line: string): ReturnType<typeof parseRange> | null {
  const text = line.trim();
  if (text === '') return null;
  try {
    return parseRange(text);
  } catch {
    return null;
  }
}
