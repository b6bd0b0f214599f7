// A server whose services of sign-in are stand-ins, all switched on.
import { request as sendRequest } from 'undici';
import type { RedirectProvider } from '#shared/oauth.ts';
import type { Engine } from '#tests/support/engines.ts';
import {
  botToken,
  clientId,
  clientSecret,
  type FakeServices,
  humanSecret,
  startFakeServices,
  weChatToken,
} from '#tests/support/fake-services.ts';
import type { TestResponse, TestClient } from '#tests/support/http-client.ts';
import { createClock } from '#tests/support/clock.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';

export interface SignInDesk extends AsyncDisposable {
  app: TestApp;
  root: TestClient;
  services: FakeServices;
  /** Saves options as the super admin. */
  save(options: Record<string, string>): Promise<void>;
}

/** Where the browser's page is, for servers that have no address of their own in the options. */
const pageOrigin = 'https://gate.example';

export async function createSignInDesk(engine: Engine, options: TestAppOptions = {}): Promise<SignInDesk> {
  const clock = options.clock ?? createClock();
  const services = await startFakeServices(clock.now);
  const app = await createTestApp(engine, { ...options, clock, env: { ...serviceAddresses(services.url), ...options.env } });
  const root = await app.setup();
  const save: SignInDesk['save'] = (changed) => saveOptions(root, changed);
  await save(serviceOptions(services.url));
  return {
    app,
    root,
    services,
    save,
    async [Symbol.asyncDispose]() {
      await app.close();
      await services.close();
    },
  };
}

/** Environment of a server that uses the stand-ins. */
export function serviceAddresses(url: string): Record<string, string> {
  return { GITHUB_URL: url, GITHUB_API_URL: url, LINUXDO_URL: url, TELEGRAM_OAUTH_URL: url, TURNSTILE_URL: url };
}

/** The options of a site where one can sign in with all of them. */
export function serviceOptions(url: string): Record<string, string> {
  return {
    GitHubClientId: clientId,
    GitHubClientSecret: clientSecret,
    GitHubOAuthEnabled: 'true',
    LinuxDOClientId: clientId,
    LinuxDOClientSecret: clientSecret,
    LinuxDOOAuthEnabled: 'true',
    'oidc.client_id': clientId,
    'oidc.client_secret': clientSecret,
    'oidc.well_known': `${url}/.well-known/openid-configuration`,
    'oidc.enabled': 'true',
    WeChatServerAddress: url,
    WeChatServerToken: weChatToken,
    WeChatAccountQRCodeImageURL: 'https://gate.example/qr.png',
    WeChatAuthEnabled: 'true',
    TelegramBotToken: botToken,
    TelegramBotName: 'gate_bot',
    TelegramOAuthEnabled: 'true',
    TurnstileSiteKey: 'site-key',
    TurnstileSecretKey: humanSecret,
  };
}

export async function saveOptions(root: TestClient, changed: Record<string, string>): Promise<void> {
  // What a switch needs comes before it.
  for (const [key, value] of Object.entries(changed)) {
    const answer = await root.put('/api/option/', { key, value });
    if (!answer.success) throw new Error(`The option ${key} was refused: ${answer.message}`);
  }
}

/** The address that the console opens, made by the server. */
export async function startSignIn(client: TestClient, provider: RedirectProvider, aff?: string): Promise<URL> {
  const body = { provider, ...(aff === undefined ? {} : { aff }) };
  const answer = await client.post('/api/oauth/start', body, { headers: { origin: pageOrigin } });
  if (!answer.success) throw new Error(`The sign-in was refused: ${answer.message}`);
  return new URL(answer.data.url);
}

/** Goes to the provider, agrees, and is at the page that the provider sends the browser back to. */
export async function agree(url: URL): Promise<URL> {
  const response = await sendRequest(url, { method: 'GET' });
  await response.body.dump();
  return new URL(String(response.headers['location']));
}

/** Sends the request of the console's page after the browser returned. */
export function comeBack(client: TestClient, provider: 'github' | 'oidc' | 'linuxdo', back: URL): Promise<TestResponse> {
  return client.get(`/api/oauth/${provider}${back.search}`);
}

/** Performs a whole sign-in, or a binding if a user is signed in. */
export async function signInWith(client: TestClient, provider: 'github' | 'oidc' | 'linuxdo', aff?: string): Promise<TestResponse> {
  const answer = await comeBack(client, provider, await agree(await startSignIn(client, provider, aff)));
  if (answer.success && answer.data !== undefined) client.setUser(answer.data.id);
  return answer;
}
