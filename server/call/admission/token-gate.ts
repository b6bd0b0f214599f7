// Authorizes calls: key → token → user → group, refused by status, expiry, address and model. Results are cached by `known-keys.ts`.
import { hash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { Role } from '#shared/roles.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { UserStatus } from '#shared/user.ts';
import type { AppContext } from '#server/context.ts';
import { contains, parseAddress } from '#server/network/addresses.ts';
import { isSameGroup } from '#server/settings/group-moves.ts';
import { findByKey, hasEnded } from '#server/tokens/find-by-key.ts';
import { type Admission, admissionOf, type KeyAdmission } from './admission.ts';
import { credentialOf, type Shown } from './credential.ts';
import { createKnownKeys } from './known-keys.ts';

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
   * @throws {AppError} 401 `key_…`, 403 `user_banned`, `channel_pin_denied`
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

/** Maximum characters of a key. Tidegate's have 48, imported ones may have more. */
const longestKey = 256;
/** Maximum cached credentials. */
const mostParsedKeys = 1_000;

/** Last characters of an unknown key that are shown, and its minimum length for that. */
const shown = 3;
const shownFrom = 12;

function mayUse({ models, pinnedChannel }: Admission, model: string): boolean {
  return models === null || pinnedChannel !== undefined || models.has(model) || models.has(pricedName(model));
}

export function createTokenGate(context: AppContext): TokenGate {
  const { db, settings } = context;
  const known = createKnownKeys(context.changes);
  const parsedKeys = createParsedKeys();

  async function readKey(key: string): Promise<KeyAdmission | null> {
    const found = await findByKey(context, key);
    const user = found === null || found.token.DeletedAt !== null ? null : await db.collection('users').get(found.token.user_id);
    return found === null || user === null || user.DeletedAt !== null ? null : admissionOf(found.token, user, found.secretUntil);
  }

  function check(admission: KeyAdmission | null, suffix: string | undefined): KeyAdmission {
    if (admission === null) throw new AppError('key_invalid');
    const { token, user } = admission;
    if (hasEnded(admission, context.now())) throw new AppError('key_replaced');
    if (token.status === TokenStatus.exhausted) throw new AppError('key_exhausted');
    if (token.status === TokenStatus.expired) throw new AppError('key_expired');
    if (token.status !== TokenStatus.enabled) throw new AppError('key_disabled');
    if (token.expired_time !== -1 && token.expired_time * 1000 <= context.now()) throw new AppError('key_expired');
    if (user.status !== UserStatus.active) throw new AppError('user_banned');
    if (suffix === undefined) return admission;
    if (user.role < Role.admin) throw new AppError('channel_pin_denied');
    return { ...admission, pinnedChannel: Number(/^\d{1,15}$/.test(suffix) ? suffix : Number.NaN) };
  }

  return {
    admit(request) {
      const credential = credentialOf(request);
      const found = parsedKeys.get(credential) ?? hashedKey(credential);
      const { key, suffix, hashed } = found;
      const admission = known.get(hashed);
      if (admission === undefined) return known.read(hashed, () => readKey(key)).then((read) => check(read, suffix));
      const checked = check(admission, suffix);
      parsedKeys.store(credential, found);
      return checked;
    },
    async identify(request) {
      const [key = ''] = bareKey(credentialOf(request)).split('-', 1);
      if (key === '') throw new AppError('key_missing');
      // Not from the cache, because the remaining quota changes with every call.
      const admission = key.length > longestKey ? null : await readKey(key);
      if (admission === null) throw new AppError('key_invalid');
      if (hasEnded(admission, context.now())) throw new AppError('key_replaced');
      if (admission.token.status === TokenStatus.disabled) throw new AppError('key_disabled');
      if (admission.user.status !== UserStatus.active) throw new AppError('user_banned');
      return admission;
    },
    checkUse(admission, ip) {
      if (admission.ranges !== null && ip !== admission.lastAddress.allowed) {
        const address = parseAddress(ip);
        if (address === null || !admission.ranges.some((range) => contains(range, address))) throw new AppError('ip_denied');
        admission.lastAddress.allowed = ip;
      }
      const { group, user, token } = admission;
      const isOffered = token.group === '' || group === user.group || Object.hasOwn(settings.get('UserUsableGroups'), group);
      if (!isOffered && !isSameGroup(settings, group, user.group)) {
        throw new AppError('token_group_disabled', { group });
      }
      if (token.group !== '' && !Object.hasOwn(settings.get('GroupRatio'), group)) throw new AppError('group_deprecated', { group });
    },
    mayUse,
    checkModel(admission, model) {
      if (!mayUse(admission, model)) throw new AppError('model_denied', { model });
    },
    describe(request) {
      const [key = ''] = bareKey(credentialOf(request)).split('-', 1);
      const owner = key.length > longestKey ? null : known.lastSeen(hash('sha256', key, 'base64url'));
      return owner === null
        ? { owner, tail: key.length < shownFrom ? '' : key.slice(-shown), length: key.length }
        : { owner, tail: '', length: 0 };
    },
    get size() {
      return known.size;
    },
    stop() {
      parsedKeys.clear();
      known.stop();
    },
  };
}

interface HashedKey {
  key: string;
  suffix: string | undefined;
  hashed: string;
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
function hashedKey(credential: string): HashedKey {
  const [key = '', suffix] = bareKey(credential).split('-', 2);
  if (key === '') throw new AppError('key_missing');
  if (key.length > longestKey) throw new AppError('key_invalid');
  return { key, suffix, hashed: hash('sha256', key, 'base64url') };
}

function bareKey(credential: string): string {
  const key = /^bearer\s/i.test(credential) ? credential.slice(7).trim() : credential.trim();
  return key.startsWith('sk-') ? key.slice(3) : key;
}
