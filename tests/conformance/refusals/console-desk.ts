// One site for the console's refusals, with every service that it can be configured to call.
import type { Language } from '#shared/errors.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakeEpay, startFakeEpay } from '#tests/support/fake-epay.ts';
import { type FakeSmtp, startFakeSmtp } from '#tests/support/fake-smtp.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { useSmtp } from '#tests/support/mail-desk.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createSignInDesk, type SignInDesk } from '#tests/support/sign-in-desk.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';
import { openPayment } from '#tests/support/wallet-desk.ts';

type MemberFields = NonNullable<Parameters<TestApp['createUser']>[0]>;

export interface ConsoleDesk extends AsyncDisposable {
  language: Language;
  app: TestApp;
  services: SignInDesk['services'];
  smtp: FakeSmtp;
  epay: FakeEpay;
  upstream: FakeUpstream;
  /** All of these read the language of the desk. */
  root: TestClient;
  admin: TestClient;
  guest(): TestClient;
  as(user: Pick<UserRecord, 'id'>): Promise<TestClient>;
  /** A user of one row alone. */
  member(fields?: MemberFields): Promise<TestClient>;
  /** Another site of one row alone, not set up. */
  site<Result>(options: TestAppOptions, work: (app: TestApp, guest: () => TestClient) => Promise<Result>): Promise<Result>;
  /** With these options meanwhile. */
  during<Result>(options: Record<string, string>, work: () => Promise<Result>): Promise<Result>;
}

export async function openConsoleDesk(language: Language): Promise<ConsoleDesk> {
  const [signIn, smtp, epay, upstream] = await Promise.all([
    createSignInDesk(embeddedEngine),
    startFakeSmtp({ tls: 'none' }),
    startFakeEpay(),
    startFakeUpstream(),
  ]);
  const { app, root, services } = signIn;
  await useSmtp(root, smtp, {});
  await openPayment(app, root, epay);
  const speaking = (client: TestClient) => {
    client.setLanguage(language);
    return client;
  };
  const as: ConsoleDesk['as'] = async (user) => speaking(await app.as(user));
  return {
    language,
    app,
    services,
    smtp,
    epay,
    upstream,
    root: speaking(root),
    admin: await as(await app.createUser({ username: 'keeper', role: 10 })),
    guest: () => speaking(app.anonymous()),
    as,
    member: async (fields) => as(await app.createUser(fields)),
    async site(options, work) {
      await using other = await createTestApp(embeddedEngine, options);
      return await work(other, () => speaking(other.anonymous()));
    },
    async during(options, work) {
      const stored = app.context.db.collection('options');
      const before = await Promise.all(Object.keys(options).map(async (key) => [key, await stored.get(key)] as const));
      for (const [key, value] of Object.entries(options)) await setOption(app, key, value);
      try {
        return await work();
      } finally {
        for (const [key, record] of before) {
          await stored.remove({ id: key });
          if (record !== null) await stored.insert(record);
        }
        await app.context.settings.reload();
      }
    },
    async [Symbol.asyncDispose]() {
      await signIn[Symbol.asyncDispose]();
      await Promise.all([smtp.close(), epay.close(), upstream.close()]);
    },
  };
}
