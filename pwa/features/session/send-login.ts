import { z } from 'zod/mini';
import { type LoginInput, ProofChallenge, sessionApi } from '#shared/session.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';

/** Past the limit of failed logins, whichever client failed, the browser computes a proof of work instead of waiting. */
export async function sendLogin(
  body: LoginInput,
  gate: { token?: string | undefined },
  onWork: (isWorking: boolean) => void,
): Promise<User> {
  const send = (input: LoginInput) => call(sessionApi.login, { body: input, query: { turnstile: gate.token } });
  try {
    return await send(body);
  } catch (refusal) {
    const challenge = z.safeParse(ProofChallenge, failureOf(refusal).data).data;
    if (challenge === undefined) throw refusal;
    onWork(true);
    const { solveChallenge } = await import('./solve-challenge.ts');
    const proof = await solveChallenge(challenge);
    if (proof === undefined) throw refusal;
    return await send({ ...body, proof });
  } finally {
    onWork(false);
  }
}
