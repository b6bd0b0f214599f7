// A day of a user who has nothing but a phone: an account, the first bill, a key and its calls, a look without a network, a key that was lost, and a
// password that was forgotten.
import path from 'node:path';
import { expect, it } from 'vitest';
import { startFakeEpay } from '#tests/support/fake-epay.ts';
import { startFakeSmtp } from '#tests/support/fake-smtp.ts';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { chat, furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signInByForm } from './support/visit.ts';

const account = { username: 'mei', password: 'eight or more' };
const address = 'mei@example.org';
const trusted = path.resolve(import.meta.dirname, '../fixtures/tls/localhost.pem');

describeInBrowser('a day with a phone', () => {
  it('from the registration to a forgotten password', async () => {
    await using epay = await startFakeEpay();
    const smtp = await startFakeSmtp();
    await using tidegate = await startTidegate({ env: { NODE_EXTRA_CA_CERTS: trusted }, isOwnProcess: true });
    const { api } = await furnish(tidegate);
    const options = {
      ServerAddress: tidegate.url,
      PayAddress: epay.url,
      EpayId: epay.merchant.id,
      EpayKey: epay.merchant.key,
      SMTPServer: smtp.host,
      SMTPPort: String(smtp.port),
      SMTPSSLEnabled: 'false',
      SMTPFrom: 'post@tidegate.example',
      EmailVerificationEnabled: 'true',
    };
    for (const [key, value] of Object.entries(options)) await api.put('/api/option/', { key, value });
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone', scheme: 'dark' });
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // An account, with a code from the mailbox.
    await page.goto('/register');
    await page.getByLabel(text('register.username')).fill(account.username);
    await page.getByLabel(text('session.login.password'), { exact: true }).fill(account.password);
    await page.getByLabel(text('register.confirm'), { exact: true }).fill(account.password);
    await page.getByLabel(text('signin.email.label')).fill(address);
    await page.getByRole('button', { name: text('register.code_send') }).click();
    await page.getByText(text('register.code_sent')).waitFor();
    const code = /\b[0-9a-f]{6}\b/.exec(smtp.mails.at(-1)?.text ?? '')?.[0] ?? '';
    await page.getByLabel(text('register.code'), { exact: true }).fill(code);
    await page.getByRole('button', { name: text('session.register.link'), exact: true }).click();
    // Signed in, and in the guide.
    await page.waitForURL('**/first-call');
    await page.getByRole('heading', { name: text('guide.title') }).waitFor();

    // The first bill.
    await page.goto('/topup');
    await page.getByRole('button', { name: text('wallet.top_up.pay', { amount: '$20.00', money: '146.00' }) }).click();
    const opening = context.waitForEvent('page');
    await panelOf(page, 'phone')
      .getByRole('button', { name: text('wallet.pay.action', { method: text('wallet.method.alipay'), money: '146.00' }) })
      .click();
    await (await opening).close();
    await panelOf(page, 'phone').getByText(text('wallet.order.step.ordered'), { exact: true }).waitFor();
    expect(await epay.notify(new URL(page.url()).searchParams.get('order') ?? '')).toBe('success');
    await page.getByText(text('wallet.order.is.success', { amount: '$20.00' })).waitFor();

    // A key, and a call with it.
    await page.goto('/token?open=new');
    const form = panelOf(page, 'phone');
    await form.getByLabel(text('tokens.form.name'), { exact: true }).fill('Notes');
    await form.getByRole('button', { name: text('tokens.action.create') }).click();
    const key = (await form.getByText(/^sk-\w{48}$/).textContent()) ?? '';
    await form.getByRole('button', { name: text('common.action.done') }).click();
    expect((await chat(tidegate.url, key, { stream: true })).status).toBe(200);
    await page.goto('/log');
    await page.getByText('gpt-4o-mini').first().waitFor();
    await page.goto('/');
    await expectSoundScreen(visitor);

    // On a train, without a network.
    await untilInstalled(page);
    for (const screen of ['/log', '/topup', '/token']) {
      await page.goto(screen);
      await settle(page);
    }
    await untilStored(page, 'tokens', 'logs');
    await context.setOffline(true);
    for (const [screen, shown] of [
      ['/log', 'gpt-4o-mini'],
      ['/topup', '$20.00'],
      ['/token', 'Notes'],
    ] as const) {
      await page.goto(screen);
      await page.getByRole('main').getByText(shown).first().waitFor();
      await page.getByText(text('common.freshness.offline'), { exact: true }).first().waitFor();
      await settle(page);
    }
    await context.setOffline(false);

    // The key was lost: it stops at once.
    await page.goto('/token');
    await page.getByText('Notes').first().click();
    await panelOf(page, 'phone')
      .getByRole('button', { name: text('tokens.action.disable') })
      .click();
    await page.getByText(text('tokens.status.disabled')).first().waitFor();
    await expect(chat(tidegate.url, key, { stream: false })).rejects.toThrow(/failed with 40[13]/);

    // The password was forgotten.
    await context.clearCookies();
    await page.goto('/reset');
    await page.getByLabel(text('signin.email.label')).fill(address);
    // An address gets one mail a minute, and the screen says when the next may leave.
    const sent = page.getByText(text('signin.reset.sent'));
    const submit = page.getByRole('button', { name: text('signin.reset.submit') });
    await submit.click();
    await until(async () => {
      if (await submit.isEnabled().catch(() => false)) await submit.click();
      return sent.isVisible();
    });
    const link = () => /https?:\S+\/user\/reset\?\S+/.exec(smtp.mails.at(-1)?.text ?? '')?.[0];
    await until(() => link() !== undefined);
    await page.goto(link() ?? '');
    await page.getByRole('button', { name: text('signin.new_password.submit') }).click();
    await page.getByText(text('signin.new_password.done')).waitFor();
    // The refusal above was one that the browser reports.
    visitor.complaints.splice(0);
    await expectSoundScreen(visitor);
    const password = /^[0-9A-Za-z]{12}$/m.exec(await page.getByRole('main').innerText())?.[0] ?? '';
    await signInByForm(visitor, { ...account, password });
    await page.goto('/token');
    await page.getByText('Notes').first().waitFor();
    await smtp.close();
    await context.close();
  });
});
