// Attempt to sign in with a provider: its initiator, provider and purpose. The provider's response counts once, for ten minutes, and in the browser
// that began. So a response that another person obtained signs no browser in, and binds no account.
import { timingSafeEqual } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { SignInAttemptRecord } from '#server/db/records/sign-in-attempt.ts';
import type { Caller, RequestSource, RequestFacts } from '#server/http/call.ts';
import { isSameOrigin } from '#server/http/same-origin.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';

export type Attempt = SignInAttemptRecord;

const lifetimeSeconds = 600;
/** Sign-ins from one address: beginnings and answers. */
const addressLimit = { count: 60, windowSeconds: 1200 };
const cookieName = 'sign_in_browser';
/** 43 characters of 62: 256 random bits. */
const secretLength = 43;
const cookiePattern = new RegExp(`(?:^|;\\s*)${cookieName}=([0-9A-Za-z]{${secretLength}})(?:;|$)`);

export interface BegunAttempt {
  state: string;
  attempt: Attempt;
  /** Cookie to set. */
  cookie: string;
}

type AttemptFields = Partial<Pick<Attempt, 'provider' | 'redirect_uri' | 'code_verifier' | 'nonce'>>;

/** Stores an attempt. `caller`: the account to bind; null: a sign-in. */
export async function beginAttempt(
  context: AppContext,
  { facts, caller }: { facts: RequestFacts; caller: Caller | null },
  inviteCode: string | undefined,
  fields: AttemptFields = {},
): Promise<BegunAttempt> {
  await limitSignIns(context, facts);
  const state = context.randomText(secretLength);
  // A browser with an attempt in another tab reuses its secret: both may complete.
  const browser = browserOf(facts) ?? context.randomText(secretLength);
  const attempt: Attempt = {
    provider: '',
    redirect_uri: '',
    code_verifier: '',
    nonce: '',
    ...fields,
    id: context.secrets.hash(state),
    browser: context.secrets.hash(browser),
    user_id: caller?.user.id ?? 0,
    invite_code: (inviteCode ?? '').slice(0, 64),
    expires_at: context.now() + lifetimeSeconds * 1000,
  };
  await context.db.collection('sign_in_attempts').insert(attempt);
  const cookie = `${cookieName}=${browser}; Path=${context.env.BASE_PATH}/api/oauth; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Lax${facts.isSecure ? '; Secure' : ''}`;
  return { state, attempt, cookie };
}

/**
 * The attempt that an answer belongs to, which is over then.
 * @throws {AppError} `state_mismatch` when it is not one of this browser for this provider, is used or too old; or when it was
 * begun to bind another account than the one that is signed in
 */
export async function endAttempt(
  context: AppContext,
  { facts, caller }: { facts: RequestFacts; caller: Caller | null },
  { state, provider }: { state: string | undefined; provider: string },
): Promise<Attempt> {
  await limitSignIns(context, facts);
  const browser = browserOf(facts);
  if (state === undefined || browser === null) throw new AppError('state_mismatch');
  const attempt = await context.db
    .collection('sign_in_attempts')
    .take({ id: context.secrets.hash(state), browser: context.secrets.hash(browser), expires_at: { gt: context.now() } });
  const isForProvider = attempt !== null && (attempt.provider === '' || attempt.provider === provider);
  const isForCaller = attempt !== null && (attempt.user_id === 0 || attempt.user_id === caller?.user.id);
  if (attempt === null || !isForProvider || !isForCaller) throw new AppError('state_mismatch');
  return attempt;
}

/** Sign-ins of an address, whichever way. @throws {AppError} `rate_limited` */
export function limitSignIns(context: AppContext, source: RequestSource): Promise<void> {
  return enforceSourceLimit(context, source, { key: 'sign-in-from', ...addressLimit });
}

/**
 * Refuses foreign pages: one can open any of our addresses in a browser, and would sign its visitor in as another user. It can send neither the
 * header
 * of the console nor the browser's statement that the page is ours.
 * @throws {AppError} `foreign_page_refused`
 */
export function refuseForeignPage({ headers }: RequestFacts): void {
  if ((headers.get('new-api-user') ?? '') !== '' || isSameOrigin(headers)) return;
  throw new AppError('foreign_page_refused');
}

/** Removes the attempts that are too old; run from time to time. */
export function sweepAttempts(context: AppContext): Promise<number> {
  return context.db.collection('sign_in_attempts').remove({ expires_at: { lt: context.now() } });
}

/** Whether two texts of the same length are the same, in the same time. */
export function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function browserOf({ headers }: RequestFacts): string | null {
  return cookiePattern.exec(headers.get('cookie') ?? '')?.[1] ?? null;
}
