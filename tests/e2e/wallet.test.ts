// A phone's owner redeems a code and pays an order at a stand-in of a payment aggregator; an administrator makes codes.
import { expect, it } from 'vitest';
import { startFakeEpay } from '#tests/support/fake-epay.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

describeInBrowser('the wallet', () => {
  it('a code is made, redeemed once, and shows in the history', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/redemption?open=new');
    const panel = panelOf(page, 'phone');
    await panel.getByLabel(text('redemptions.form.name')).fill('Welcome');
    // A new code never expires unless that is chosen.
    expect(await panel.getByRole('button', { name: text('redemptions.never') }).getAttribute('aria-pressed')).toBe('true');
    await expectSoundScreen(visitor);
    await panel.getByRole('button', { name: text('redemptions.action.create') }).click();
    const code = (await panel.getByText(/^[0-9a-f]{32}$/).textContent()) ?? '';
    await panel.getByRole('button', { name: text('common.action.done') }).click();

    await page.goto('/topup');
    const field = page.getByRole('textbox', { name: text('wallet.redeem.title') });
    for (const answer of [text('wallet.redeem.done', { amount: '$0.20' }), 'Redeeming failed: this code has been used already']) {
      await field.fill(code);
      await page.getByRole('button', { name: text('wallet.redeem.action'), exact: true }).click();
      await page.getByText(answer).waitFor();
    }
    await page.getByText(text('wallet.history.code', { code: code.slice(0, 4) })).waitFor();
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('an order is paid while its panel looks on, and the balance has it', async () => {
    await using tidegate = await startTidegate();
    await using epay = await startFakeEpay();
    const { api } = await furnish(tidegate);
    const options = { ServerAddress: tidegate.url, PayAddress: epay.url, EpayId: epay.merchant.id, EpayKey: epay.merchant.key };
    for (const [key, value] of Object.entries(options)) await api.put('/api/option/', { key, value });
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(visitor);
    const { page, context } = visitor;
    await page.goto('/topup');
    await page.getByRole('button', { name: text('wallet.top_up.pay', { amount: '$20.00', money: '146.00' }) }).click();
    const panel = panelOf(page, 'phone');
    await panel.getByRole('radio', { name: text('wallet.method.wxpay') }).check();
    await expectSoundScreen(visitor);
    const opening = context.waitForEvent('page');
    await panel.getByRole('button', { name: text('wallet.pay.action', { method: text('wallet.method.wxpay'), money: '146.00' }) }).click();
    await (await opening).getByText('Scan to pay').waitFor();
    await panel.getByText(text('wallet.order.step.ordered'), { exact: true }).waitFor();
    await expectSoundScreen(visitor);
    const tradeNo = new URL(page.url()).searchParams.get('order') ?? '';
    expect(await epay.notify(tradeNo)).toBe('success');
    await page.getByText(text('wallet.order.is.success', { amount: '$20.00' })).waitFor();
    await panelOf(page, 'phone')
      .getByRole('button', { name: text('common.action.done') })
      .click();
    await settle(page);
    await page.getByText(text('wallet.history.order', { method: text('wallet.method.wxpay') })).waitFor();
    await visitor.context.close();
  });
});
