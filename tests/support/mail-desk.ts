// A server whose mails go to a stand-in.
import type { Engine } from '#tests/support/engines.ts';
import { type FakeSmtp, type FakeSmtpOptions, startFakeSmtp } from '#tests/support/fake-smtp.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';

export const sender = 'post@tidegate.example';

export interface MailDesk extends AsyncDisposable {
  app: TestApp;
  root: TestClient;
  smtp: FakeSmtp;
}

/** Set up, and with the options that name the stand-in. */
export async function createMailDesk(engine: Engine, smtpOptions: FakeSmtpOptions = {}, options: TestAppOptions = {}): Promise<MailDesk> {
  const smtp = await startFakeSmtp(smtpOptions);
  const app = await createTestApp(engine, options);
  const root = await app.setup();
  await useSmtp(root, smtp, smtpOptions);
  return {
    app,
    root,
    smtp,
    async [Symbol.asyncDispose]() {
      await app.close();
      await smtp.close();
    },
  };
}

/** Names that mail server in the options. */
export async function useSmtp(root: TestClient, smtp: FakeSmtp, { tls, account }: FakeSmtpOptions): Promise<void> {
  const options = [
    { key: 'SMTPServer', value: smtp.host },
    { key: 'SMTPPort', value: String(smtp.port) },
    { key: 'SMTPSSLEnabled', value: String(tls === 'implicit') },
    { key: 'SMTPFrom', value: sender },
    ...(account === undefined
      ? []
      : [
          { key: 'SMTPAccount', value: account.user },
          { key: 'SMTPToken', value: account.password },
        ]),
  ];
  const saved = await root.put('/api/option/batch', { options });
  if (!saved.success) throw new Error(`The mail server was refused: ${saved.message}`);
}
