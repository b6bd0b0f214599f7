// Who may call what: key → token → user → group, refused by status, expiry, address and model. Keys are hashed once and
// kept; the change feed drops whatever was edited, in this process at once and in others within a second.
import { AppError } from '#shared/errors.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { Role } from '#shared/roles.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { UserStatus } from '#shared/users.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord, UserRecord } from '#server/db/collections.ts';
import { contains, parseAddress, parseRange } from '#server/http/client-address.ts';

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
  stop(): void;
}

interface Cached {
  admission: Admission;
  expiresAt: number;
}

/** A cached key is read again after this long, whatever the change feed said. */
const maxAgeMs = 30_000;
const maxKeys = 100_000;

export function createTokenGate(context: AppContext): TokenGate {
  const { db, secrets, settings } = context;
  const byCredential = new Map<string, Cached>();
  const credentialsOfToken = new Map<number, Set<string>>();
  const credentialsOfUser = new Map<number, Set<string>>();
  // Counts drops, so that a look-up which was under way during an edit does not store what it read before it.
  let epoch = 0;

  function drop(index: Map<number, Set<string>>, id: number | string): void {
    epoch += 1;
    for (const credential of index.get(Number(id)) ?? []) byCredential.delete(credential);
    index.delete(Number(id));
  }

  function clear(): void {
    epoch += 1;
    byCredential.clear();
    credentialsOfToken.clear();
    credentialsOfUser.clear();
  }

  const stops = [
    context.changes.listen('token', (id) => drop(credentialsOfToken, id)),
    context.changes.listen('user', (id) => drop(credentialsOfUser, id)),
    context.changes.onGap(clear),
  ];

  function store(credential: string, admission: Admission): void {
    if (byCredential.size >= maxKeys) clear();
    byCredential.set(credential, { admission, expiresAt: performance.now() + maxAgeMs });
    remember(credentialsOfToken, admission.token.id, credential);
    remember(credentialsOfUser, admission.user.id, credential);
  }

  async function lookUp(credential: string): Promise<Admission> {
    const before = epoch;
    const [key = '', channel] = bareKey(credential).split('-');
    if (key === '') throw new AppError('key_missing');
    const token = await db.collection('tokens').first({ key_hash: secrets.hash(key) });
    if (token === null || token.DeletedAt !== null) throw new AppError('key_invalid');
    const user = await db.collection('users').get(token.user_id);
    if (user === null || user.DeletedAt !== null) throw new AppError('key_invalid');
    const admission: Admission = {
      token,
      user,
      group: token.group === '' ? user.group : token.group,
      pinnedChannel: channel === undefined ? undefined : Number(/^\d{1,15}$/.test(channel) ? channel : Number.NaN),
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
    if (before === epoch) store(credential, admission);
    return admission;
  }

  function check(admission: Admission): Admission {
    const { token, user } = admission;
    if (token.status === TokenStatus.exhausted) throw new AppError('key_exhausted');
    if (token.status === TokenStatus.expired) throw new AppError('key_expired');
    if (token.status !== TokenStatus.enabled) throw new AppError('key_disabled');
    if (token.expired_time !== -1 && token.expired_time * 1000 <= context.now()) throw new AppError('key_expired');
    if (user.status !== UserStatus.active) throw new AppError('user_banned');
    if (admission.pinnedChannel !== undefined && user.role < Role.admin) throw new AppError('channel_pin_denied');
    return admission;
  }

  return {
    admit(headers) {
      const credential = credentialOf(headers);
      if (credential === '') throw new AppError('key_missing');
      const cached = byCredential.get(credential);
      if (cached !== undefined && cached.expiresAt > performance.now()) return check(cached.admission);
      return lookUp(credential).then(check);
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

function remember(index: Map<number, Set<string>>, id: number, credential: string): void {
  const known = index.get(id);
  if (known === undefined) index.set(id, new Set([credential]));
  else known.add(credential);
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
