// A person without an account follows the link of an invitation, registers, and joins.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { settle } from './support/visit.ts';

describeInBrowser('organisation-invitation', () => {
  it('leads a person without an account through the registration to the organisation', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { id } = (await api.post('/api/organisation/', { name: 'Harbour Labs', ref: 'founded-here' })) as { id: number };
    const invited = (await api.post(`/api/organisation/${id}/invites`, { emails: [], role: 'developer' })) as { link: string };
    const { pathname, hash } = new URL(invited.link, tidegate.url);
    const { page } = await createVisitor(tidegate.url, { size: 'desk', scheme: 'light', language: 'en' });

    await page.goto(`${pathname}${hash}`);
    await page.waitForURL(/\/login/);
    expect(page.url()).not.toContain(hash.slice(1));
    await page.getByText(text('session.login.invited', {}, 'en')).waitFor();
    await settle(page);
    await page.getByRole('link', { name: text('session.register.link', {}, 'en') }).click();
    await page.getByText(text('session.login.invited', {}, 'en')).waitFor();
    expect(page.url()).not.toContain(hash.slice(1));
    await page.getByLabel(text('register.username', {}, 'en'), { exact: true }).fill('newcomer');
    await page.getByLabel(text('session.login.password', {}, 'en'), { exact: true }).fill('lantern and rope');
    await page.getByLabel(text('register.confirm', {}, 'en'), { exact: true }).fill('lantern and rope');
    await page.getByRole('button', { name: text('session.register.link', {}, 'en'), exact: true }).click();
    await page.getByRole('heading', { name: text('organisation_invite.join', { name: 'Harbour Labs' }, 'en') }).waitFor();
    await page.getByRole('button', { name: text('organisation_invite.submit', {}, 'en'), exact: true }).click();
    await page.waitForURL(/\/organisation\/\d+$/);
  });
});
