// The steps of OAuth 2.0 that providers have in common.
import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { z } from 'zod';
import { providerFetch } from '#server/accounts/provider-fetch.ts';
import type { AppContext } from '#server/context.ts';
import type { Attempt } from './attempt.ts';

/** All requests to a provider use our fetch; plain HTTP is the super admin's choice, as the address is. */
export const requestOptions = {
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: (url: string, { method, headers, body }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>) =>
    providerFetch(url, { method, headers, body }),
} as const;

/** Provider's clocks are allowed to be apart from ours. */
const toleranceSeconds = 60;

export function clientOf(context: AppContext, clientId: string): oauth.Client {
  return {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((context.now() - Date.now()) / 1000),
    [oauth.clockTolerance]: toleranceSeconds,
  };
}

/** The address of a provider for an attempt. */
export function authorizationUrl(
  endpoint: string,
  { state, attempt, clientId, scope }: { state: string; attempt: Attempt; clientId: string; scope?: string },
): URL {
  const url = new URL(endpoint);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  if (attempt.redirect_uri !== '') url.searchParams.set('redirect_uri', attempt.redirect_uri);
  if (scope !== undefined) url.searchParams.set('scope', scope);
  url.searchParams.set('state', state);
  if (attempt.code_verifier !== '') {
    url.searchParams.set('code_challenge', createHash('sha256').update(attempt.code_verifier).digest('base64url'));
    url.searchParams.set('code_challenge_method', 'S256');
  }
  if (attempt.nonce !== '') url.searchParams.set('nonce', attempt.nonce);
  return url;
}

interface Exchange {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  authentication: oauth.ClientAuth;
  code: string;
  redirectUri: string;
  codeVerifier: string;
}

/** The answer of the token endpoint to a code. */
export function exchangeCode({ server, client, authentication, code, redirectUri, codeVerifier }: Exchange): Promise<Response> {
  const parameters = new URLSearchParams({ code });
  if (redirectUri !== '') parameters.set('redirect_uri', redirectUri);
  if (codeVerifier !== '') parameters.set('code_verifier', codeVerifier);
  return oauth.genericTokenEndpointRequest(server, client, authentication, 'authorization_code', parameters, requestOptions);
}

/** What an API says to a token, read by a schema. @throws {Error} for another status or shape */
export async function callApi<Schema extends z.ZodType>(url: string, accessToken: string, schema: Schema): Promise<z.output<Schema>> {
  const response = await providerFetch(url, {
    headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'Tidegate' },
  });
  if (response.status !== 200) throw new Error(`The provider answered ${response.status}`);
  return schema.parse(await response.json());
}

/** True when there was an answer, and it was refused or is not as it should be. */
export function isAnswered(failure: unknown): boolean {
  return (
    failure instanceof oauth.OperationProcessingError ||
    failure instanceof oauth.ResponseBodyError ||
    failure instanceof oauth.UnsupportedOperationError ||
    failure instanceof oauth.WWWAuthenticateChallengeError
  );
}
