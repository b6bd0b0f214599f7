// Turnstile: verifies a person before a password is checked or a mail is sent.
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { providerFetch } from '#server/accounts/provider-fetch.ts';
import type { AppContext } from '#server/context.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';

/** Lifetime of a passed check, per browser and address: a token is valid once, but a registration takes two calls. */
const passSeconds = 300;
const cookiePattern = /(?:^|;\s*)human=(\d{1,12})\.([\w-]{43})(?:;|$)/;

const Verdict = z.object({ success: z.boolean() });

interface CheckedCall {
  context: AppContext;
  facts: RequestFacts;
  cookies: string[];
  query: { turnstile?: string | undefined };
}

/** @throws {AppError} `human_token_missing`, `human_check_failed`, `human_check_unreachable`, if the check is enabled */
export async function checkHuman({ context, facts, cookies, query }: CheckedCall): Promise<void> {
  if (!context.settings.get('TurnstileCheckEnabled') || hasPass(context, facts)) return;
  if (query.turnstile === undefined) throw new AppError('human_token_missing');
  if (!(await verify(context, facts, query.turnstile))) throw new AppError('human_check_failed');
  const until = Math.floor(context.now() / 1000) + passSeconds;
  const seal = sealOf(context, facts, until);
  // Also sent with errors, because the token is used up.
  cookies.push(
    `human=${until}.${seal}; Path=${context.env.BASE_PATH}/api; Max-Age=${passSeconds}; HttpOnly; SameSite=Lax${facts.isSecure ? '; Secure' : ''}`,
  );
}

async function verify({ env, settings }: AppContext, { ip }: RequestFacts, token: string): Promise<boolean> {
  const body = new URLSearchParams({ secret: settings.get('TurnstileSecretKey'), response: token, remoteip: ip });
  try {
    const response = await providerFetch(`${env.TURNSTILE_URL}/turnstile/v0/siteverify`, { method: 'POST', body });
    return Verdict.parse(await response.json()).success;
  } catch (cause) {
    throw new AppError('human_check_unreachable', {}, { cause });
  }
}

function hasPass(context: AppContext, facts: RequestFacts): boolean {
  const [, until, seal] = cookiePattern.exec(facts.headers.get('cookie') ?? '') ?? [];
  if (until === undefined || seal === undefined || Number(until) <= context.now() / 1000) return false;
  const [given, expected] = [Buffer.from(seal), Buffer.from(sealOf(context, facts, Number(until)))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Cannot be forged, or used from another address. */
function sealOf({ secrets }: AppContext, { ip }: RequestFacts, until: number): string {
  return secrets.hash(`human:${until}:${subscriberOf(ip)}`);
}
