// An organisation: founded, joined by a link, a key on its behalf, the way back to the own account, and leaving.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { furnish, owner, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { savePicture } from './support/save-picture.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'desk', scheme: 'light', language: 'en' },
  { size: 'phone', scheme: 'dark', language: 'zh' },
];
const keeper = { username: 'keeper', password: 'another-lantern' };
const name = 'Harbour Labs';

describeInBrowser('organisations', () => {
  it.each(lookInTurn(looks))('are founded, joined and left: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.put('/api/option/', { key: 'ServerAddress', value: tidegate.url });
    const founder = await createVisitor(tidegate.url, look);
    const joiner = await createVisitor(tidegate.url, look);
    const say = (key: string, values = {}) => text(key, values, look.language);
    const button = (page: Page, key: string, values = {}) => page.getByRole('button', { name: say(key, values), exact: true });
    const openAccounts = (page: Page, user: string) =>
      look.size === 'phone'
        ? button(page, 'shell.menu.more').click()
        : page.getByRole('banner').getByRole('button', { name: user, exact: true }).click();
    const sound = async (visitor: typeof founder, picture: string) => {
      await settle(visitor.page);
      await expectSoundScreen(visitor);
      await savePicture(visitor, `organisations-${picture}-${look.size}-${look.scheme}-${look.language}`);
    };

    // Founded by a form; its screen takes the place of Home.
    const { page } = founder;
    await signIn(founder, owner);
    await page.goto('/organisations?show=mine');
    await sound(founder, 'none');
    await button(page, 'organisations.found.action').first().click();
    await panelOf(page, look.size).getByLabel(say('organisations.field.name')).fill(name);
    await button(page, 'organisations.found.submit').click();
    await page.waitForURL(/\/organisation\/\d+$/);
    await page.getByText(say('acting.on_behalf', { name })).waitFor({ state: 'attached' });
    await sound(founder, 'new');

    // A link, with the monthly budget that its member gets.
    await button(page, 'organisations.invite.action').click();
    const panel = panelOf(page, look.size);
    await panel.getByRole('button', { name: say('organisations.invite.by_link'), exact: true }).click();
    await panel.getByLabel(say('organisations.invite.budget')).fill('20');
    await sound(founder, 'invite');
    await button(page, 'organisations.invite.by_link_submit', { count: 1 }).click();
    const link = await panel.locator('code').first().textContent();
    await sound(founder, 'link');

    // Another person follows it, signs in on the way, and joins.
    expect(link).toMatch(/\/organisation-invite#\w{32}$/);
    await joiner.page.goto(String(link));
    await joiner.page.waitForURL(/\/login/);
    await joiner.page.getByLabel(say('session.login.username')).fill(keeper.username);
    await joiner.page.getByLabel(say('session.login.password'), { exact: true }).fill(keeper.password);
    await joiner.page.getByRole('button', { name: say('session.login.submit'), exact: true }).click();
    await joiner.page.getByRole('heading', { name: say('organisation_invite.join', { name }) }).waitFor();
    await sound(joiner, 'join');
    await button(joiner.page, 'organisation_invite.submit').click();
    await joiner.page.waitForURL(/\/organisation\/\d+$/);
    await joiner.page.getByText('Keeper', { exact: true }).first().waitFor();
    await sound(joiner, 'joined');

    // A key on its behalf; the own ones are not among its keys.
    await joiner.page.goto('/token?open=new');
    await joiner.page.getByLabel(say('tokens.form.name'), { exact: true }).fill('nightly');
    await button(joiner.page, 'tokens.action.create').last().click();
    await joiner.page.getByText(/^sk-/).first().waitFor();
    const keys = (await (await signInByApi(tidegate.url, keeper)).get('/api/token/?p=0')) as { name: string }[];
    expect(keys).toEqual([]);
    await joiner.page.goto('/token');
    await joiner.page.getByText('nightly', { exact: true }).waitFor();
    await sound(joiner, 'keys');

    // Back to the own account: nothing of the organisation is shown.
    await openAccounts(joiner.page, 'Keeper');
    await joiner.page.getByRole('group', { name: say('acting.label') }).waitFor();
    await sound(joiner, 'switch');
    await joiner.page
      .getByRole('group', { name: say('acting.label') })
      .getByRole('button', { name: say('acting.own') })
      .click();
    await joiner.page.waitForURL((url) => url.pathname === '/');
    await joiner.page.getByText(say('acting.on_behalf', { name })).waitFor({ state: 'detached' });
    await joiner.page.goto('/token');
    await joiner.page.getByText(say('tokens.empty.title'), { exact: true }).waitFor();

    // Leaves, and hands the key over to service accounts.
    await joiner.page.goto('/organisations');
    await joiner.page.getByText(name, { exact: true }).first().click();
    await joiner.page.getByRole('button', { name: say('organisations.tab.settings'), exact: true }).click();
    await sound(joiner, 'settings');
    await button(joiner.page, 'organisations.leave.action').click();
    await joiner.page
      .getByRole('dialog')
      .getByRole('button', { name: say('organisations.leave.action'), exact: true })
      .click();
    await joiner.page.getByText(say('organisations.list.none'), { exact: true }).waitFor();
    await page.goto('/token');
    await page.getByText('nightly', { exact: true }).waitFor();
    await page.getByText(say('tokens.service'), { exact: true }).waitFor();
    await sound(founder, 'handed-over');

    for (const { context } of [founder, joiner]) await context.close();
  });

  it('have their shape while they are on their way', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { id } = (await api.post('/api/organisation/', { name, ref: 'harbour-labs' })) as { id: number };
    const visitor = await createVisitor(tidegate.url, { language: 'en' });
    const { page } = visitor;
    await signIn(visitor);
    await page.route(`**/api/organisation/${id}`, () => undefined);
    await page.goto(`/organisation/${id}`);
    await expect.poll(() => page.locator('main [aria-busy="true"][data-shown]').count()).toBeGreaterThan(0);
    await visitor.context.close();
  });

  it('who is suspended gets the own account back, with a sentence', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { id } = (await api.post('/api/organisation/', { name, ref: 'harbour-labs' })) as { id: number };
    const { link } = (await api.post(`/api/organisation/${id}/invites`, { emails: [], role: 'developer' })) as { link: string };
    const visitor = await createVisitor(tidegate.url, { language: 'en' });
    const { page } = visitor;
    await signIn(visitor, keeper);
    await page.goto(`/organisation-invite#${link.split('#')[1]}`);
    await page.getByRole('button', { name: text('organisation_invite.submit'), exact: true }).click();
    const mark = page.getByRole('link', { name: text('acting.on_behalf', { name }) });
    await mark.waitFor();
    const members = (await api.get(`/api/organisation/${id}/members`)) as { items: { user_id: number; role: string }[] };
    const joined = members.items.find(({ role }) => role === 'developer')?.user_id ?? 0;
    await api.put(`/api/organisation/${id}/members/${joined}`, { is_suspended: true });
    await page.goto('/token');
    await page.getByText(text('acting.left', { name }), { exact: true }).waitFor();
    await mark.waitFor({ state: 'detached' });
    await page.getByText(text('tokens.empty.title'), { exact: true }).waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('acting'))).toBe('own');
    await visitor.context.close();
  });

  it('a long name and the chosen tab are within the screen of a phone, and each tab is sound', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const long = 'The harbour laboratories for tides, currents and all weather';
    const { id } = (await api.post('/api/organisation/', { name: long, ref: 'harbour-labs' })) as { id: number };
    await api.post(`/api/organisation/${id}/teams`, { name: 'Search' });
    await api.post(`/api/organisation/${id}/invites`, { emails: ['maya@example.com'], delivery: 'link', role: 'developer' });
    const visitor = await createVisitor(tidegate.url, { size: 'phone', language: 'en' });
    const { page } = visitor;
    await signIn(visitor);
    for (const tab of ['members', 'teams', 'usage', 'invites', 'settings']) {
      await page.goto(`/organisation/${id}?tab=${tab}`);
      await settle(page);
      await expectSoundScreen(visitor);
      const chosen = await page.getByRole('button', { name: text(`organisations.tab.${tab}`), exact: true, pressed: true }).boundingBox();
      expect((chosen?.x ?? 999) + (chosen?.width ?? 0), tab).toBeLessThanOrEqual(360);
      expect(chosen?.x, tab).toBeGreaterThanOrEqual(0);
    }
    // Two lines.
    expect((await page.getByRole('heading', { level: 1 }).boundingBox())?.height).toBeLessThanOrEqual(40);
    await visitor.context.close();
  });

  it('are read without a network, and edits name what they lack', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { id } = (await api.post('/api/organisation/', { name, ref: 'harbour-labs' })) as { id: number };
    await api.post(`/api/organisation/${id}/teams`, { name: 'Search' });
    const visitor = await createVisitor(
      tidegate.url,
      { language: 'en', hasServiceWorker: true },
      /ERR_INTERNET_DISCONNECTED|Failed to load/,
    );
    const { page, context } = visitor;
    await signIn(visitor);
    await page.goto('/');
    await untilInstalled(page);
    const tabs = ['members', 'teams', 'usage', 'invites', 'settings'];
    const path = (tab: string) => `/organisation/${id}?tab=${tab}`;
    for (const address of ['/organisations?show=mine', ...tabs.map(path)]) {
      await page.goto(address);
      await settle(page);
    }
    await untilStored(page, 'organisation');
    await context.setOffline(true);
    await page.goto('/organisations?show=mine');
    await page.getByText(name, { exact: true }).first().waitFor();
    await expectOffline(page, 'organisations.found.action');
    for (const tab of tabs) {
      await page.goto(path(tab));
      await page.getByRole('heading', { name }).waitFor();
      await settle(page);
      await expectSoundScreen(visitor);
      await expectOffline(page, 'organisations.invite.action');
      await expectOffline(page, 'organisations.fund.action');
    }
    for (const key of ['organisations.joining.create', 'organisations.leave.action', 'organisations.end.remove'])
      await expectOffline(page, key);
    await page.goto(path('teams'));
    await page.getByText('Search', { exact: true }).waitFor();
    await page.goto('/organisation-invite#0123456789abcdef0123456789abcdef');
    await page.getByText(text('common.load.not_here'), { exact: true }).waitFor();
    await context.close();
  });
});

/** A button of what is never queued: it cannot be pressed, and its name is the reason. */
async function expectOffline(page: Page, key: string): Promise<void> {
  const button = page.getByRole('button', { name: text('common.action.needs_connection', { action: text(key) }), exact: true }).first();
  await button.waitFor();
  expect(await button.isDisabled(), key).toBe(true);
}
