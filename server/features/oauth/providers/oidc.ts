// OpenID Connect. With a discovery document (`oidc.well_known`) the ID token is verified: issuer, audience, age, nonce, signature. Without one the
// issuer is not known, and the identity comes from the user info endpoint alone.
import * as oauth from 'oauth4webapi';
import { AppError } from '#shared/errors.ts';
import { providerFetch } from '#server/accounts/provider-fetch.ts';
import type { AppContext } from '#server/context.ts';
import type { CallbackQuery } from '#shared/oauth.ts';
import type { Attempt } from '../attempt.ts';
import { authorizationUrl, clientOf, exchangeCode, isAnswered, requestOptions } from '../protocol.ts';
import type { CodeProvider } from '../provider.ts';

const scope = 'openid profile email';
const wellKnownEnd = '/.well-known/openid-configuration';

interface Provider {
  server: oauth.AuthorizationServer;
  isDiscovered: boolean;
}

interface Claims {
  sub: string;
  name?: unknown;
  preferred_username?: unknown;
  email?: unknown;
  email_verified?: unknown;
}

export const oidc: CodeProvider = {
  name: 'oidc',
  disabled: 'oidc_disabled',
  codeMissing: 'invalid_parameter',
  hasPkce: true,
  async authorizationUrl(context, { state, attempt }) {
    const { server } = await findProvider(context);
    if (server.authorization_endpoint === undefined) throw new AppError('oidc_token_failed');
    return authorizationUrl(server.authorization_endpoint, { state, attempt, clientId: context.settings.get('oidc.client_id'), scope });
  },
  async identify(context, answer, attempt) {
    const provider = await findProvider(context);
    const client = clientOf(context, context.settings.get('oidc.client_id'));
    checkIssuer(provider, answer, attempt);
    const { accessToken, idClaims } = await readTokens(context, provider, client, { code: answer.code, attempt });
    const claims = await readClaims(provider, client, accessToken, idClaims);
    return {
      provider: 'oidc',
      // Numbers of one issuer say nothing at another.
      subject: `${provider.server.issuer} ${claims.sub}`,
      shown: claims.sub,
      username: textOf(claims.preferred_username),
      displayName: textOf(claims.name),
      email: isVerified(claims, idClaims) ? textOf(claims.email) : '',
    };
  },
};

/** What is known of the provider: its own document, then the addresses of the options, which win. */
async function findProvider({ settings }: AppContext): Promise<Provider> {
  const wellKnown = settings.get('oidc.well_known');
  const options = {
    authorization_endpoint: settings.get('oidc.authorization_endpoint'),
    token_endpoint: settings.get('oidc.token_endpoint'),
    userinfo_endpoint: settings.get('oidc.user_info_endpoint'),
  };
  const chosen = Object.fromEntries(Object.entries(options).filter(([, address]) => address !== ''));
  if (wellKnown === '') {
    if (options.token_endpoint === '') throw new AppError('oidc_token_failed');
    return { server: { issuer: new URL(options.token_endpoint).origin, ...chosen }, isDiscovered: false };
  }
  try {
    return { server: { ...(await discover(wellKnown)), ...chosen }, isDiscovered: true };
  } catch (cause) {
    throw new AppError(isAnswered(cause) ? 'oidc_token_failed' : 'oidc_unreachable', {}, { cause });
  }
}

/** OpenID Connect Discovery 1.0, 4.3: the document's issuer must match the address that it was requested from. */
async function discover(wellKnown: string): Promise<oauth.AuthorizationServer> {
  const response = await providerFetch(wellKnown, { headers: { accept: 'application/json' } });
  const text = await response.text();
  const again = () => new Response(text, { status: response.status, headers: response.headers });
  const url = new URL(wellKnown);
  // The issuer of a document at another path is not checked: the operator who set the address has chosen it.
  if (!url.pathname.endsWith(wellKnownEnd)) return oauth.processDiscoveryResponse(new URL(issuerIn(text) ?? wellKnown), again());
  const issuer = wellKnown.slice(0, -wellKnownEnd.length);
  const isSlashed = issuerIn(text) === `${issuer}/`;
  return oauth.processDiscoveryResponse(new URL(isSlashed ? `${issuer}/` : issuer), again());
}

function issuerIn(document: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(document);
    const isNamed = typeof parsed === 'object' && parsed !== null && 'issuer' in parsed && typeof parsed.issuer === 'string';
    return isNamed && URL.canParse(String(parsed.issuer)) ? String(parsed.issuer) : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 9207: an answer says whose it is. Clients that make the address themselves do not pass it on. */
function checkIssuer({ server, isDiscovered }: Provider, { iss }: CallbackQuery, attempt: Attempt): void {
  if (!isDiscovered) return;
  const isMissing = iss === undefined && attempt.provider !== '' && server.authorization_response_iss_parameter_supported === true;
  if (isMissing || (iss !== undefined && iss !== server.issuer)) throw new AppError('oidc_token_failed');
}

async function readTokens(
  context: AppContext,
  { server, isDiscovered }: Provider,
  client: oauth.Client,
  { code, attempt }: { code: string; attempt: Attempt },
): Promise<{ accessToken: string; idClaims: oauth.IDToken | undefined }> {
  try {
    const authentication = authenticationOf(server, isDiscovered, context.settings.get('oidc.client_secret'));
    const response = await exchangeCode({
      server,
      client,
      authentication,
      code,
      redirectUri: attempt.redirect_uri,
      codeVerifier: attempt.code_verifier,
    });
    if (!isDiscovered) {
      const { access_token: accessToken } = await oauth.processAuthorizationCodeResponse(server, client, await withoutIdToken(response));
      return { accessToken, idClaims: undefined };
    }
    const expected = attempt.nonce === '' ? {} : { expectedNonce: attempt.nonce };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { requireIdToken: true, ...expected });
    await oauth.validateApplicationLevelSignature(server, response, requestOptions);
    return { accessToken: tokens.access_token, idClaims: oauth.getValidatedIdTokenClaims(tokens) };
  } catch (cause) {
    throw new AppError(isAnswered(cause) ? 'oidc_token_failed' : 'oidc_unreachable', {}, { cause });
  }
}

/** Basic is the default of the protocol; in the body is what clients of this family do, so that comes first where both are offered. */
function authenticationOf(
  { token_endpoint_auth_methods_supported: offered }: oauth.AuthorizationServer,
  isDiscovered: boolean,
  secret: string,
) {
  if (secret === '') return oauth.None();
  const isInBody = !isDiscovered || offered?.includes('client_secret_post') === true;
  return isInBody ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

/** Its issuer is not known, so it could not be verified: nothing is taken from it. */
async function withoutIdToken(response: Response): Promise<Response> {
  const text = await response.text();
  const again = (body: string) => new Response(body, { status: response.status, headers: response.headers });
  try {
    const parsed: unknown = JSON.parse(text);
    return again(JSON.stringify({ ...(typeof parsed === 'object' ? parsed : {}), id_token: undefined }));
  } catch {
    return again(text);
  }
}

async function readClaims(
  { server }: Provider,
  client: oauth.Client,
  accessToken: string,
  idClaims: oauth.IDToken | undefined,
): Promise<Claims> {
  if (server.userinfo_endpoint === undefined) {
    if (idClaims === undefined) throw new AppError('oidc_user_failed');
    return idClaims;
  }
  const response = await oauth.userInfoRequest(server, client, accessToken, requestOptions).catch((cause: unknown) => {
    throw new AppError(isAnswered(cause) ? 'oidc_user_failed' : 'oidc_unreachable', {}, { cause });
  });
  if (response.status !== 200) throw new AppError('oidc_user_failed');
  try {
    // The same person as in the ID token.
    const claims = await oauth.processUserInfoResponse(server, client, idClaims?.sub ?? oauth.skipSubjectCheck, response);
    if (claims.sub === '') throw new AppError('oidc_user_empty');
    return claims;
  } catch (cause) {
    throw new AppError('oidc_user_empty', {}, { cause });
  }
}

/**
 * Whether the provider vouches for the address. Entra ID has no `email_verified`; its optional claim `xms_edov` says in the signed ID token that the tenant
 * owns the domain: https://learn.microsoft.com/entra/identity-platform/migrate-off-email-claim-authorization
 */
function isVerified(claims: Claims, idClaims: oauth.IDToken | undefined): boolean {
  if (claims.email_verified === true) return true;
  const owned = idClaims?.['xms_edov'];
  return (owned === true || owned === 1 || owned === '1' || owned === 'true') && idClaims?.['email'] === claims.email;
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : '';
}
