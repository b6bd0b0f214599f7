// Parts of an account other than its name and password: notices, earnings, the access token, and its end.
import { expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { furnish, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const keeper = { username: 'keeper', password: 'another-lantern' };
const button = (place: Page | Locator, key: string, details = {}) => place.getByRole('button', { name: text(key, details), exact: true });

describeInBrowser('own account', () => {
  it('phone: notices go to a webhook; what is wrong is said at its field, and the credential is not shown again', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(visitor, keeper);
    const { page, context } = visitor;
    await page.goto('/personal');
    await settle(page);
    await button(page, 'personal.notice.webhook').click();
    await button(page, 'personal.save').click();
    await page.getByText(text('personal.notice.url_required')).waitFor();
    await page.getByLabel(text('personal.notice.url')).fill('ftp://hooks.example.org/x');
    await button(page, 'personal.save').click();
    await page.getByText(text('personal.notice.url_invalid')).waitFor();
    await page.getByLabel(text('personal.notice.url')).fill('https://hooks.example.org/x');
    await page.getByLabel(text('personal.notice.secret')).fill('wh-secret');
    await button(page, 'personal.save').click();
    await page.getByText(text('personal.saved')).waitFor();
    await page.getByText(text('common.secret.set'), { exact: true }).waitFor();
    await expectSoundScreen(visitor);
    const api = await signInByApi(tidegate.url, keeper);
    const self = JSON.stringify(await api.get('/api/user/self'));
    expect(self).toContain('https://hooks.example.org/x');
    expect(self).not.toContain('wh-secret');
    await button(page, 'personal.notice.secret_remove').click();
    await page.getByLabel(text('personal.notice.secret')).waitFor();
    await context.close();
  });

  it('phone: notices, price switch and name are changed without a network and sent in order; what must not wait says so', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    await signIn(visitor, keeper);
    await visitor.page.goto('/');
    const { page, context } = visitor;
    await untilInstalled(page);
    await page.goto('/personal');
    await settle(page);
    await untilStored(page, 'self', 'sessions');
    await context.setOffline(true);
    // After a reload the list of devices is there too, with its age.
    await page.reload({ waitUntil: 'commit' });
    await page.getByText(text('signin.sessions.current'), { exact: true }).waitFor();
    await page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: text('signin.sessions.title'), exact: true }) })
      .getByText(new RegExp(`^${text('common.freshness.as_of', { time: '.+' })}$`))
      .waitFor();
    await button(page, 'personal.notice.webhook').click();
    await page.getByLabel(text('personal.notice.url')).fill('https://hooks.example.org/y');
    await page.getByLabel(text('personal.unpriced.label')).click({ force: true });
    await page.getByRole('textbox', { name: text('personal.name.label') }).fill('Night keeper');
    await button(page, 'personal.save_offline').click();
    await page.getByText(text('personal.notice.waiting_other', { count: 2 })).waitFor();
    await page.getByText(text('personal.unpriced.waiting'), { exact: true }).waitFor();
    await page.getByText(text('personal.name.waiting', { name: 'Night keeper' })).waitFor();
    for (const key of ['personal.notice.test', 'account.token.make', 'account.remove.action', 'account.invite.transfer']) {
      const label = text('common.action.needs_connection', { action: text(key) });
      expect(await page.getByRole('button', { name: label }).isDisabled(), key).toBe(true);
    }
    await context.setOffline(false);
    await page.getByText(text('personal.name.waiting', { name: 'Night keeper' })).waitFor({ state: 'detached' });
    const api = await signInByApi(tidegate.url, keeper);
    const self = JSON.stringify(await api.get('/api/user/self'));
    expect(self).toContain('"display_name":"Night keeper"');
    expect(self).toContain('\\"notify_type\\":\\"webhook\\"');
    expect(self).toContain('https://hooks.example.org/y');
    expect(self).toContain('\\"accept_unset_model_ratio_model\\":true');
    await context.close();
  });

  it('desk: the access token is shown once, works, and is revoked after a question', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    await signIn(visitor, keeper);
    const { page, context } = visitor;
    await page.goto('/personal');
    await settle(page);
    await button(page, 'account.token.make').click();
    const dialog = page.getByRole('dialog', { name: text('account.token.shown_title') });
    const token = (await dialog.locator('code').textContent()) ?? '';
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
    await expectSoundScreen(visitor);
    await dialog.getByRole('button', { name: text('common.action.done') }).click();
    await button(page, 'account.token.revoke').waitFor();
    expect(await page.content()).not.toContain(token);
    expect(
      await page.evaluate(async () => JSON.stringify(await indexedDB.databases()) + JSON.stringify({ ...localStorage })),
    ).not.toContain(token);
    const { id } = JSON.parse((await page.evaluate(() => localStorage.getItem('user'))) ?? '{}') as { id: number };
    const ask = () => fetch(`${tidegate.url}/api/user/self`, { headers: { authorization: `Bearer ${token}`, 'new-api-user': String(id) } });
    expect((await ask()).status).toBe(200);
    await button(page, 'account.token.revoke').click();
    await button(page, 'account.token.revoke_confirm').click();
    await page.getByText(text('account.token.revoked')).waitFor();
    expect((await ask()).status).toBe(401);
    await context.close();
  });

  for (const size of lookInTurn(['phone', 'desk'] as const)) {
    it(`${size}: invite earnings become balance, once, with both sums shown before`, async () => {
      await using tidegate = await startTidegate();
      const { api: owner } = await furnish(tidegate);
      await owner.put('/api/option/', { key: 'QuotaForInviter', value: '2100000' });
      const before = (await (await signInByApi(tidegate.url, keeper)).get('/api/user/self')) as { aff_code: string };
      const invited = { username: 'invited', password: 'yet-another-1', aff_code: before.aff_code };
      await fetch(`${tidegate.url}/api/user/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(invited),
      });
      const visitor = await createVisitor(tidegate.url, { size });
      await signIn(visitor, keeper);
      const { page, context } = visitor;
      await page.goto('/personal');
      await settle(page);
      await page.getByText(text('account.invite.pending', { amount: '$4.20' })).waitFor();
      await button(page, 'account.invite.transfer').click();
      const amount = page.getByLabel(text('account.invite.amount', { amount: '$4.20' }));
      await amount.fill('0.5');
      await button(page, 'account.invite.confirm', { amount: '$0.50' }).click();
      await page.getByText(text('account.invite.small', { amount: '$1.00' }), { exact: true }).waitFor();
      await amount.fill('1.2');
      await page.getByRole('definition').filter({ hasText: '$4.20 → $3.00' }).waitFor();
      await page.getByRole('definition').filter({ hasText: '$0.00 → $1.20' }).waitFor();
      await expectSoundScreen(visitor);
      await button(page, 'account.invite.confirm', { amount: '$1.20' }).dblclick();
      await page.getByText(text('account.invite.done', { amount: '$1.20' })).waitFor();
      const after = await (await signInByApi(tidegate.url, keeper)).get('/api/user/self');
      expect(after).toMatchObject({ quota: 600_000, aff_quota: 1_500_000, aff_history_quota: 2_100_000 });
      await context.close();
    });

    it(`${size}: an account is deleted after its name was typed, and what is lost was said`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { size });
      await signIn(visitor, keeper);
      const { page, context } = visitor;
      await page.goto('/personal');
      await settle(page);
      await page.getByText(text('account.remove.loss_other', { amount: '$0.00', count: 0 })).waitFor();
      await button(page, 'account.remove.action').click();
      await button(page, 'account.remove.confirm').click();
      await page.getByText(text('account.remove.mismatch')).waitFor();
      await expectSoundScreen(visitor);
      await page.getByLabel(text('account.remove.label', { username: 'keeper' })).fill('keeper');
      await button(page, 'account.remove.confirm').click();
      await page.waitForURL((url) => url.pathname === '/login');
      await expect(signInByApi(tidegate.url, keeper)).rejects.toThrow('/api/user/login');
      await context.close();
    });
  }
});
