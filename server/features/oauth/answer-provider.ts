import { AppError } from '#shared/errors.ts';
import type { CallbackQuery } from '#shared/oauth.ts';
import type { User } from '#shared/user.ts';
import { bindIdentity, isProviderOn } from '#server/accounts/identities.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import { joinByDomain } from '#server/accounts/members.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type Caller, type HandlerResponse, type RequestFacts, respond } from '#server/http/call.ts';
import { endSession, startSession } from '#server/http/session.ts';
import { endAttempt } from './attempt.ts';
import type { CodeProvider } from './provider.ts';
import { findOrRegister } from './sign-in.ts';
import { callbackAddress } from './start-sign-in.ts';

interface SignInCall {
  context: AppContext;
  facts: RequestFacts;
  cookies: string[];
}

const longestDetail = 200;

/** What a provider answered: a sign-in, or a binding where the attempt was begun for one. */
export async function answerProvider(
  call: SignInCall & { caller: Caller | null; query: CallbackQuery },
  provider: CodeProvider,
): Promise<User | HandlerResponse<undefined, undefined>> {
  const { context, facts, query } = call;
  const begun = await endAttempt(context, call, { state: query.state, provider: provider.name });
  if (!isProviderOn(context, provider.name)) throw new AppError(provider.disabled);
  if (query.error !== undefined) {
    throw new AppError('provider_refused', { detail: (query.error_description ?? query.error).slice(0, longestDetail) });
  }
  const { code } = query;
  if (code === undefined) throw new AppError(provider.codeMissing);
  // Clients that build the authorization address themselves send a redirect URI to OpenID providers only.
  const isReportedElsewhere = begun.provider === '' && provider.name === 'oidc';
  const attempt = isReportedElsewhere ? { ...begun, redirect_uri: callbackAddress(context, facts, 'oidc') } : begun;
  const person = await provider.identify(context, { ...query, code }, attempt);
  if (attempt.user_id !== 0) {
    await bindIdentity(context, attempt.user_id, person);
    return respond(undefined, { notice: 'bound' });
  }
  const user = await findOrRegister(context, { person, inviteCode: attempt.invite_code, facts });
  if (provider.name === 'oidc' && person.email !== '') await joinByDomain(context, user, person.email);
  return enter(call, user);
}

/** A session of that user, in place of the one that the browser had. */
export async function enter({ context, facts, cookies }: SignInCall, user: UserRecord): Promise<User> {
  await endSession(context, facts);
  cookies.push(await startSession(context, user, facts));
  return presentUser(user);
}
