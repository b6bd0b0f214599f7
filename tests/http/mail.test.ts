import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { createMail, MailFailure, type MailMessage } from '#server/notify/mail.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { startFakeSmtp } from '#tests/support/fake-smtp.ts';
import { createMailDesk, type MailDesk, sender, useSmtp } from '#tests/support/mail-desk.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const message: MailMessage = {
  to: 'mei@example.org',
  subject: '验证码 Tidegate',
  text: '您的验证码为: a1b2c3\n.\nsecond line',
  html: '<p>您的验证码为: <strong>a1b2c3</strong></p>',
};
const account = { user: 'post@tidegate.example', password: 'p=ss wörd' };

/** What sending says when it fails. */
async function failureOf(sending: Promise<void>): Promise<AppError> {
  const failure: unknown = await sending.then(
    () => new Error('It was sent'),
    (thrown: unknown) => thrown,
  );
  if (!(failure instanceof AppError)) throw failure;
  return failure;
}

describe('mail', () => {
  let distrust: () => void;
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  it('is sent over STARTTLS where the server offers it, and says what it was given', async () => {
    await using desk = await createMailDesk(embeddedEngine, { account });
    await desk.root.put('/api/option/', { key: 'SystemName', value: '潮汐 "Gate" <x@y.z>' });
    expect(desk.app.context.mail.isConfigured).toBe(true);
    await desk.app.context.mail.send(message);
    expect(desk.smtp.mails).toHaveLength(1);
    expect(desk.smtp.mails[0]).toMatchObject({
      from: sender,
      to: ['mei@example.org'],
      isSecure: true,
      user: account.user,
      text: expect.stringContaining('您的验证码为: a1b2c3\n.\nsecond line'),
      html: expect.stringContaining(message.html),
    });
    expect(desk.smtp.mails[0]?.headers).toMatchObject({
      subject: message.subject,
      to: 'mei@example.org',
      'auto-submitted': 'auto-generated',
    });
    expect(desk.smtp.mails[0]?.headers['from']).toMatch(/潮汐.*Gate.*<post@tidegate\.example>$/);
  });

  it('is sent over TLS from the start when that is switched on', async () => {
    await using desk = await createMailDesk(embeddedEngine, { tls: 'implicit', account });
    await desk.app.context.mail.send(message);
    expect(desk.smtp.mails).toMatchObject([{ isSecure: true, user: account.user }]);
  });

  it('goes without TLS and without a password to a server that has neither', async () => {
    await using desk = await createMailDesk(embeddedEngine, { tls: 'none' });
    await desk.app.context.mail.send(message);
    expect(desk.smtp.mails).toMatchObject([{ isSecure: false, user: null }]);
  });

  it('a password does not leave this machine in the clear', async () => {
    await using desk = await createMailDesk(embeddedEngine, { tls: 'none', account });
    // The same server under a name that is not known to be this machine.
    await desk.root.put('/api/option/', { key: 'SMTPServer', value: '127.0.0.2' });
    const other = await startFakeSmtp({ tls: 'none', account, host: '127.0.0.2' });
    await desk.root.put('/api/option/', { key: 'SMTPPort', value: String(other.port) });
    expect(await failureOf(desk.app.context.mail.send(message))).toMatchObject({ code: 'mail_failed' });
    expect(other.commands.join('\n')).toMatch(/EHLO/);
    expect(other.commands.join('\n')).not.toMatch(/AUTH/);
    await other.close();
    // On this machine it may.
    await useSmtp(desk.root, desk.smtp, { account });
    await desk.app.context.mail.send(message);
    expect(desk.smtp.mails).toMatchObject([{ isSecure: false, user: account.user }]);
  });

  it('a certificate that nobody vouches for is refused, and no mail goes there', async () => {
    distrust();
    try {
      for (const tls of ['starttls', 'implicit'] as const) {
        await using desk = await createMailDesk(embeddedEngine, { tls, account });
        expect(await failureOf(desk.app.context.mail.send(message))).toMatchObject({
          code: 'mail_failed',
          cause: expect.objectContaining({ isFinal: false }),
        });
        expect(desk.smtp.mails).toEqual([]);
        expect(desk.smtp.commands.join('\n')).not.toMatch(/AUTH|MAIL/);
      }
    } finally {
      distrust = trustLocalhost();
    }
  });

  it('without a server, a sender or a receiver it says so and connects to nobody', async () => {
    await using app = await createTestApp(embeddedEngine);
    const root = await app.setup();
    const { mail } = app.context;
    expect(mail.isConfigured).toBe(false);
    expect(await failureOf(mail.send(message))).toMatchObject({ code: 'mail_unconfigured' });
    const smtp = await startFakeSmtp();
    await useSmtp(root, smtp, {});
    await root.put('/api/option/', { key: 'SMTPFrom', value: 'nobody' });
    expect(await failureOf(mail.send(message))).toMatchObject({ code: 'mail_sender_invalid' });
    await root.put('/api/option/', { key: 'SMTPFrom', value: sender });
    for (const to of [
      '',
      'nobody',
      'a@b.example,c@d.example',
      'a@b.example;c@d.example',
      'a@b.example\r\nRCPT TO:<c@d.example>',
      '<a@b.example>',
      'Mei <a@b.example>',
      `${'a'.repeat(300)}@b.example`,
    ]) {
      expect(await failureOf(mail.send({ ...message, to })), to).toMatchObject({ code: 'mail_address_invalid' });
    }
    expect(smtp.commands).toEqual([]);
    await smtp.close();
  });

  it('no field breaks out of its place: no header, receiver or command is added', async () => {
    await using desk = await createMailDesk(embeddedEngine, { tls: 'none' });
    const evil = 'x\r\nBcc: c@d.example\r\n\r\n.\r\nMAIL FROM:<evil@d.example>\r\n';
    await desk.app.context.mail.send({ to: 'mei@example.org', subject: evil, text: evil, html: `<p>${evil}</p>` });
    expect(desk.smtp.mails).toHaveLength(1);
    expect(desk.smtp.mails[0]).toMatchObject({ from: sender, to: ['mei@example.org'] });
    expect(desk.smtp.mails[0]?.headers).not.toHaveProperty('bcc');
    expect(desk.smtp.mails[0]?.headers['subject']).toBe('x Bcc: c@d.example . MAIL FROM:<evil@d.example>');
    expect(desk.smtp.commands.filter((line) => /^(MAIL|RCPT)/.test(line))).toHaveLength(2);
    expect(desk.smtp.mails[0]?.text).toContain('MAIL FROM:<evil@d.example>');
  });

  it('what the server refuses is a failure with its words for the operator, final or not, and none for others', async () => {
    await using desk = await createMailDesk(embeddedEngine, { account });
    const cases = [
      ['RCPT', '550 5.1.1 no such person', true],
      ['RCPT', '451 4.7.1 greylisted', false],
      ['AUTH', '535 5.7.8 wrong credentials', false],
      ['end', '554 5.7.1 spam', true],
      ['connect', '421 4.3.2 too busy', false],
    ] as const;
    for (const [step, line, isFinal] of cases) {
      desk.smtp.refuse(step, line);
      const failure = await failureOf(desk.app.context.mail.send(message));
      expect(failure, line).toMatchObject({ code: 'mail_failed' });
      expect(failure.message).not.toContain(line.slice(10));
      expect(failure.cause).toBeInstanceOf(MailFailure);
      expect(failure.cause, line).toMatchObject({ isFinal, message: expect.stringContaining(line.slice(10)) });
      desk.smtp.heal();
    }
    await desk.app.context.mail.send(message);
    expect(desk.smtp.mails).toHaveLength(1);
  });

  it.each(['connect', 'EHLO', 'DATA', 'end'] as const)('a server that falls silent at %s holds nobody up for ever', async (step) => {
    await using desk: MailDesk = await createMailDesk(embeddedEngine, { tls: 'none' });
    desk.smtp.stall(step);
    const { settings, log } = desk.app.context;
    const mail = createMail({ settings, log, deadlineMs: 200 });
    const failure = await failureOf(mail.send(message));
    expect(failure).toMatchObject({ code: 'mail_failed', cause: expect.objectContaining({ isFinal: false }) });
    expect(desk.smtp.mails).toEqual([]);
    desk.smtp.heal();
    await desk.app.context.mail.send(message);
  });
});
