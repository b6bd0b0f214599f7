// Stored codes. A code has 256 random bits and is found by its keyed hash, so neither the database nor the time of a look-up shows one.
import { timingSafeEqual } from 'node:crypto';
import { codeSeconds } from '#shared/app-authorizations.ts';
import type { AppContext } from '#server/context.ts';
import type { AppAuthorizationRecord } from '#server/db/records/app-authorization.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** 43 characters of 62: 256 random bits. */
export const codeLength = 43;
/** Redemptions with another verifier after which a code is void. */
export const mostWrong = 3;
/** Codes and requests of devices that are open, all together, beyond which no device may begin. Codes of people are bounded per account. */
export const mostOpen = 20_000;
/** Milliseconds from the expiry of a record to its removal: a late poll gets the reason, and a late second redemption is noticed. */
const retentionMs = 24 * 3600 * 1000;

type Hashing = Pick<AppContext, 'secrets'>;

export function hashOfCode({ secrets }: Hashing, kind: AppAuthorizationRecord['kind'] | 'user', code: string): string {
  return secrets.hash(`app-${kind}:${code}`);
}

/** Changes with the password, which ends what was allowed by sessions before it. */
export function credentialsOf({ secrets }: Hashing, user: Pick<UserRecord, 'id' | 'password_hash'>): string {
  return secrets.hash(`app-credentials:${user.id}:${user.password_hash}`);
}

export function lifetimeOf(now: number): Pick<AppAuthorizationRecord, 'created_at' | 'expires_at' | 'wrong'> {
  return { created_at: now, expires_at: now + codeSeconds * 1000, wrong: 0 };
}

export async function isFull({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<boolean> {
  return (await db.collection('app_authorizations').count({ expires_at: { gt: now() } }, mostOpen)) >= mostOpen;
}

export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A job: removes codes and requests that ended a day ago. */
export function sweepAppAuthorizations({ db, now }: AppContext): Promise<number> {
  return db.collection('app_authorizations').remove({ expires_at: { lt: now() - retentionMs } });
}
