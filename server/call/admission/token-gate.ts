// Authorizes calls: key → token → user → group, refused by status, expiry, address and model. Results are cached by `known-keys.ts`.
import { hash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { Role } from '#shared/roles.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { UserStatus } from '#shared/user.ts';
import { organisationHeader } from '#shared/organisation-header.ts';
import { readStanding } from '#server/accounts/memberships.ts';
import type { AppContext } from '#server/context.ts';
import { organisationIn } from '#server/http/membership.ts';
import { contains, parseAddress } from '#server/network/addresses.ts';
import { isSameGroup } from '#server/settings/group-moves.ts';
import { isAutoGroup, isOffered } from '#server/settings/usable-groups.ts';
import { findByKey, hasEnded, hasSha256Keys } from '#server/tokens/find-by-key.ts';
import { bareKey, findByReadings, type KeyReading, longestKey, readingsOf } from '#server/tokens/key-readings.ts';
import { type Admission, admissionOf, type KeyAdmission } from './admission.ts';
import { credentialOf, type Shown } from './credential.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';

export interface KeyTraits {
  /** Owner of a cached key; null if the key is not cached. */
  owner: Pick<KeyAdmission, 'user' | 'token'> | null;
  /** Last characters of an unknown key, too few to use it if it is valid elsewhere. */
  tail: string;
  length: number;
}

export interface TokenGate {
  /**
   * Returns the admission of the request's key. Synchronous for cached keys.
   * @throws {AppError} 401 `key_…`, `mismatched_organization`, 403 `user_banned`, `channel_pin_denied`
   */
  admit(request: Shown): KeyAdmission | Promise<KeyAdmission>;
  /**
   * Returns the owner of the key even if the key is exhausted or expired, for requests that only read.
   * @throws {AppError} `key_missing`, `key_invalid`, `key_replaced`, `key_disabled`, `user_banned`
   */
  identify(request: Shown): Promise<KeyAdmission>;
  /** @throws {AppError} `ip_denied`, `token_group_disabled`, `group_deprecated` */
  checkUse(admission: KeyAdmission, ip: string): void;
  /** @throws {AppError} `model_denied` */
  checkModel(admission: Admission, model: string): void;
  /** Reports whether `checkModel` accepts the model. */
  mayUse(admission: Admission, model: string): boolean;
  /** Returns the loggable traits of a refused call's key. */
  describe(request: Shown): KeyTraits;
  /** Number of cached keys. */
  readonly size: number;
  stop(): void;
}

/** Maximum age of the knowledge whether a key is stored by its SHA-256, in case the change feed misses one. */
const sha256AgeMs = 30_000;
/** Maximum cached credentials. */
const mostParsedKeys = 1_000;

/** Last characters of an unknown key that are shown, and its minimum length for that. */
const shown = 3;
const shownFrom = 12;

function mayUse({ models, pinnedChannel, policies }: Admission, model: string): boolean {
  if (models !== null && pinnedChannel === undefined && !lists(models, model)) return false;
  return policies === undefined || policies.every((policy) => policy.models === null || lists(policy.models, model));
}

function lists(models: ReadonlySet<string>, model: string): boolean {
  return models.has(model) || models.has(pricedName(model));
}

export function createTokenGate(context: AppContext): TokenGate {
  const { settings } = context;
  const known = createKnownKeys(context.changes);
  const parsedKeys = createParsedKeys();
  const sha256Keys = createSha256Keys(context);

  const readKey = keyReader(context, sha256Keys);
  const check = (admission: KeyAdmission, suffix: string | undefined) => checkKey(admission, { suffix, now: context.now() });

  async function readFirst(readings: readonly HashedKey[]): Promise<KeyAdmission> {
    for (const { key, suffix, hashed } of readings) {
      const cached = known.get(hashed);
      const admission = cached === undefined ? await known.read(hashed, () => readKey(key)) : cached;
      if (admission !== null) return check(admission, suffix);
    }
    throw new AppError('key_invalid');
  }

  const admit = createAdmission({ known, parsedKeys, readFirst, check });

  return {
    admit(request) {
      const admitted = admit(request);
      const named = request.headers.get(organisationHeader);
      if (named === null) return admitted;
      return admitted instanceof Promise ? admitted.then((admission) => ofOrganisation(admission, named)) : ofOrganisation(admitted, named);
    },
    async identify(request) {
      const bare = bareKey(credentialOf(request));
      if (bare === '') throw new AppError('key_missing');
      // Not from the cache, because the remaining quota changes with every call.
      const admission = await findByReadings(readingsOf(bare), readKey);
      if (admission === null) throw new AppError('key_invalid');
      if (hasEnded(admission, context.now())) throw new AppError('key_replaced');
      if (admission.token.status === TokenStatus.disabled) throw new AppError('key_disabled');
      if (admission.user.status !== UserStatus.active) throw new AppError('user_banned');
      return admission;
    },
    checkUse(admission, ip) {
      if ((admission.ranges !== null || admission.policies !== undefined) && ip !== admission.lastAddress.allowed) {
        checkAddress(admission, ip);
        admission.lastAddress.allowed = ip;
      }
      const { group, user, token } = admission;
      if (admission.policies?.some(({ groups }) => groups !== null && !groups.has(group)) === true) {
        throw new AppError('token_group_disabled', { group });
      }
      if (token.group !== '' && !isOffered(settings, user.group, group) && !isSameGroup(settings, group, user.group)) {
        throw new AppError('token_group_disabled', { group });
      }
      if (token.group !== '' && !Object.hasOwn(settings.get('GroupRatio'), group) && !isAutoGroup(settings, group))
        throw new AppError('group_deprecated', { group });
    },
    mayUse,
    checkModel(admission, model) {
      if (!mayUse(admission, model)) throw new AppError('model_denied', { model });
    },
    describe: (request) => traitsOf(known, bareKey(credentialOf(request))),
    get size() {
      return known.size;
    },
    stop() {
      parsedKeys.clear();
      sha256Keys.stop();
      known.stop();
    },
  };
}

interface Admitting {
  known: KnownKeys;
  parsedKeys: ReturnType<typeof createParsedKeys>;
  readFirst(readings: readonly HashedKey[]): Promise<KeyAdmission>;
  check(admission: KeyAdmission, suffix: string | undefined): KeyAdmission;
}

function createAdmission({ known, parsedKeys, readFirst, check }: Admitting): TokenGate['admit'] {
  return (request) => {
    const credential = credentialOf(request);
    const parsed = parsedKeys.get(credential);
    if (parsed !== undefined) {
      const admission = known.get(parsed.hashed);
      if (admission !== undefined && admission !== null) return check(admission, parsed.suffix);
    }
    const readings = hashedReadings(credential);
    for (const reading of readings) {
      const admission = known.get(reading.hashed);
      if (admission === undefined) return readFirst(readings);
      if (admission !== null) {
        const checked = check(admission, reading.suffix);
        parsedKeys.store(credential, reading);
        return checked;
      }
    }
    throw new AppError('key_invalid');
  };
}

/**
 * The admission, if the header names no other account of this site. Organisations of OpenAI have other ids, which clients send from their configuration.
 * @throws {AppError} `mismatched_organization`
 */
function ofOrganisation(admission: KeyAdmission, named: string): KeyAdmission {
  const id = organisationIn(named);
  if (id != null && id !== admission.user.id) throw new AppError('mismatched_organization');
  return admission;
}

/** @throws {AppError} `ip_denied` */
function checkAddress({ ranges, policies = [] }: Admission, ip: string): void {
  const address = parseAddress(ip);
  for (const list of [ranges, ...policies.map((policy) => policy.ranges)]) {
    if (list !== null && (address === null || !list.some((range) => contains(range, address)))) throw new AppError('ip_denied');
  }
}

function traitsOf(known: KnownKeys, bare: string): KeyTraits {
  const readings = readingsOf(bare);
  const owner = readings.map(({ key }) => known.lastSeen(hashOf(key))).find((admission) => admission !== null) ?? null;
  if (owner !== null) return { owner, tail: '', length: 0 };
  // What may be a channel's number says nothing about the key.
  const key = readings.at(-1)?.key ?? bare;
  return { owner, tail: key.length < shownFrom ? '' : key.slice(-shown), length: key.length };
}

/** Reads the admission of a bare key; null if there is none. */
function keyReader(context: AppContext, sha256Keys: Sha256Keys): (key: string) => Promise<KeyAdmission | null> {
  return async (key) => {
    const found = await findByKey(context, key, sha256Keys.exist);
    const user = found === null || found.token.DeletedAt !== null ? null : await context.db.collection('users').get(found.token.user_id);
    if (found === null || user === null || user.DeletedAt !== null) return null;
    if (user.kind !== 'organisation') return admissionOf(found.token, user, found.secretUntil);
    const standing = await readStanding(context.db, found.token);
    return standing === null ? null : admissionOf(found.token, user, found.secretUntil, standing);
  };
}

/** @throws {AppError} `key_…`, `user_banned`, `organisation_ownerless`, `channel_pin_denied` */
function checkKey(admission: KeyAdmission, { suffix, now }: { suffix: string | undefined; now: number }): KeyAdmission {
  const { token, user } = admission;
  if (hasEnded(admission, now)) throw new AppError('key_replaced');
  if (token.status === TokenStatus.exhausted) throw new AppError('key_exhausted');
  if (token.status === TokenStatus.expired) throw new AppError('key_expired');
  if (token.status !== TokenStatus.enabled) throw new AppError('key_disabled');
  if (token.expired_time !== -1 && token.expired_time * 1000 <= now) throw new AppError('key_expired');
  if (user.status !== UserStatus.active) throw new AppError('user_banned');
  if (admission.standing !== undefined && admission.standing.ownerId === undefined) throw new AppError('organisation_ownerless');
  if (suffix === undefined) return admission;
  if (user.role < Role.admin) throw new AppError('channel_pin_denied');
  return { ...admission, pinnedChannel: Number(/^\d{1,15}$/.test(suffix) ? suffix : Number.NaN) };
}

interface HashedKey extends KeyReading {
  hashed: string;
}

interface Sha256Keys {
  /** Reports whether there are keys of which only the SHA-256 is known; looked up once after each change of a token. */
  exist(): Promise<boolean>;
  stop(): void;
}

function createSha256Keys({ db, changes, now }: AppContext): Sha256Keys {
  let read: { at: number; exist: Promise<boolean> } | undefined;
  const forget = () => {
    read = undefined;
  };
  const stops = [changes.listen('token', forget), changes.onGap(forget)];
  return {
    exist(): Promise<boolean> {
      if (read !== undefined && now() - read.at < sha256AgeMs) return read.exist;
      const exist = hasSha256Keys(db);
      read = { at: now(), exist };
      exist.catch(forget);
      return exist;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Cache of parsed valid credentials: hashing one takes longer than all other checks of a key. */
function createParsedKeys() {
  const good = new Map<string, HashedKey>();
  return {
    get: (credential: string) => good.get(credential),
    store(credential: string, key: HashedKey): void {
      if (credential.length > longestKey || good.has(credential)) return;
      if (good.size >= mostParsedKeys) good.clear();
      good.set(credential, key);
    },
    clear: () => good.clear(),
  };
}

/** @throws {AppError} `key_missing`, `key_invalid` */
function hashedReadings(credential: string): readonly HashedKey[] {
  const bare = bareKey(credential);
  if (bare === '') throw new AppError('key_missing');
  const readings = readingsOf(bare);
  if (readings.length === 0) throw new AppError('key_invalid');
  return readings.map((reading) => ({ ...reading, hashed: hashOf(reading.key) }));
}

function hashOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
