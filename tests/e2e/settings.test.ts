// The settings: found, changed, looked at before they are saved, and taken back.
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled } from './support/device.ts';
import { type Api, furnish, owner, signInByApi } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const label = (key: string) => text(`settings.option.${key}.label`);

describeInBrowser('settings', () => {
  it('desk: a setting is found by a word, saved at once, and taken back from the history', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/setting');
    await settle(page);
    await page.keyboard.press('/');
    await page.keyboard.type('retries');
    await page.getByText(text('settings.search.found', { count: 1 })).waitFor();
    await page.getByLabel(label('RetryTimes')).fill('5');
    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    await page.getByText(text('settings.saved_one', { count: 1 })).waitFor();
    expect(await valueOf(api, 'RetryTimes')).toBe('5');
    await page.getByText(text('settings.default.is', { value: '3' })).waitFor();
    await expectSoundScreen(visitor);

    await page.getByRole('button', { name: text('settings.history.title') }).click();
    const panel = panelOf(page, 'desk');
    const change = panel
      .getByRole('listitem')
      .filter({ hasText: label('RetryTimes') })
      .first();
    await change.getByText(owner.username).waitFor();
    await expectSoundScreen(visitor);
    await change.getByRole('button', { name: text('setting_parts.history.undo') }).click();
    await until(async () => (await valueOf(api, 'RetryTimes')) === '3');
    // Taking back is a change of its own, and stands above.
    await until(async () => (await panel.getByText(label('RetryTimes'), { exact: true }).count()) === 2);
    expect(await panel.getByRole('button', { name: text('setting_parts.history.undo') }).count()).toBe(1);
    await visitor.context.close();
  });

  it('a link to a setting ends at its field, which may come later than its words', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.context().route(/number-controls/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await page.goto('/setting?field=BatchRequestsPerUser');
    const field = page.getByLabel(label('BatchRequestsPerUser'));
    await field.waitFor();
    expect(await field.inputValue()).toBe('50,000');
    await until(async () => field.evaluate((input) => input === document.activeElement));
    await until(async () => field.evaluate((input) => input.getBoundingClientRect().bottom < window.innerHeight));
    await visitor.context.close();
  });

  it('desk: several changes are looked at before they are saved, over pages, and each can be dropped', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/setting?tab=quota');
    await settle(page);
    await page.getByLabel(label('MaxTokensPerUser')).fill('200');
    await page.getByLabel(label('PreConsumedQuota')).fill('800');
    await page.getByRole('link', { name: new RegExp(text('settings.page.mail')) }).click();
    await page.getByLabel(label('SMTPServer')).fill('smtp.example.com');
    await page.getByLabel(label('SMTPToken')).fill('mail-credential');
    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    const panel = panelOf(page, 'desk');
    await panel.getByText(text('settings.diff.title_other', { count: 4 })).waitFor();
    await expectSoundScreen(visitor);
    expect(await panel.textContent()).not.toContain('mail-credential');
    expect(await valueOf(api, 'MaxTokensPerUser'), 'nothing is saved before it was looked at').toBe('1000');
    const dropped = panel.locator('section').filter({ hasText: label('PreConsumedQuota') });
    await dropped.getByRole('button', { name: text('settings.drop') }).click();
    await panel.getByRole('button', { name: text('settings.diff.save_other', { count: 3 }) }).click();
    await page.getByText(text('settings.saved_other', { count: 3 })).waitFor();
    expect(await valueOf(api, 'MaxTokensPerUser')).toBe('200');
    expect(await valueOf(api, 'PreConsumedQuota')).toBe('500');
    expect(await valueOf(api, 'SMTPServer')).toBe('smtp.example.com');
    // A secret that is there can be replaced and removed; looking at the fields alone changes nothing.
    const secret = page.locator('[data-setting="SMTPToken"]');
    await secret.getByRole('button', { name: text('common.secret.replace') }).click();
    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    await page.getByText(text('settings.nothing_changed')).waitFor();
    expect(await isSet(api, 'SMTPToken')).toBe(true);
    await secret.getByRole('button', { name: text('common.secret.keep') }).click();
    await secret.getByRole('button', { name: text('settings.secret.remove') }).click();
    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    await until(async () => (await isSet(api, 'SMTPToken')) === false);
    await visitor.context.close();
  });

  it('phone: pages stand behind one button; secrets do not wait on the device while there is no network', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    const { page, context } = visitor;
    await signIn(visitor);
    await page.goto('/setting');
    await settle(page);
    await page.getByRole('button', { name: text('settings.page.general') }).click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: new RegExp(text('settings.page.mail')) })
      .click();
    await expectSoundScreen(visitor);
    await untilInstalled(page);
    await context.setOffline(true);
    await page.getByLabel(label('SMTPServer')).fill('smtp.example.com');
    await page.getByLabel(label('SMTPToken')).fill('mail-credential');
    await page.getByRole('button', { name: text('settings.save_offline') }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('settings.diff.save_other', { count: 2 }) })
      .click();
    await page.getByText(text('settings.secret.stays')).waitFor();
    const stored = JSON.stringify(await page.evaluate(readDevice));
    expect(stored).toContain('smtp.example.com');
    expect(stored).not.toContain('mail-credential');
    await context.setOffline(false);
    await until(async () => (await valueOf(api, 'SMTPServer')) === 'smtp.example.com');
    expect(await isSet(api, 'SMTPToken')).toBe(false);
    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    await until(async () => (await isSet(api, 'SMTPToken')) === true);
    await visitor.context.close();
  });

  it('desk: an administrator cannot change what is the super administrator’s, nor take it back', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.put('/api/option/', { key: 'SMTPServer', value: 'smtp.example.com' });
    const keeper = { username: 'keeper', password: 'another-lantern' };
    const users = (await api.get('/api/user/?p=1&page_size=10')) as { items: { id: number; username: string }[] };
    const id = users.items.find(({ username }) => username === keeper.username)?.id;
    await api.post('/api/user/manage', { id, action: 'promote' });
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor, keeper);
    await page.goto('/setting?tab=mail&panel=history');
    await settle(page);
    expect(await page.getByLabel(label('SMTPServer')).isDisabled()).toBe(true);
    await panelOf(page, 'desk').getByText(label('SMTPServer')).waitFor();
    expect(await page.getByRole('button', { name: text('setting_parts.history.undo') }).count()).toBe(0);
    await expect(
      signInByApi(tidegate.url, keeper).then((other) => other.put('/api/option/', { key: 'SMTPServer', value: 'mine' })),
    ).rejects.toThrow();
    await page.goto('/setting?tab=quota');
    await page.getByLabel(label('PreConsumedQuota')).fill('700');
    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    await until(async () => (await valueOf(api, 'PreConsumedQuota')) === '700');
    await visitor.context.close();
  });

  it('desk: prices are typed in a table, filled in for several models, looked at and saved', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.put('/api/option/', { key: 'ModelRatio', value: '{"gpt-4o-mini":0.075,"house-model":1}' });
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/setting?tab=prices');
    await settle(page);
    const cell = (model: string, field: string) => page.getByLabel(`${model} ${text(`prices.column.usd.${field}`)}`, { exact: true });
    // gpt-4o is offered by a channel and has no price: it stands at the top.
    await page.getByRole('button', { name: text('prices.show.unpriced', { count: 1 }) }).click();
    await cell('gpt-4o', 'input').fill('2.5');
    await page.getByRole('button', { name: /^All \d+$/ }).click();
    const search = page.getByLabel(text('prices.search'));
    await search.fill('house');
    await cell('house-model', 'output').fill('x');
    await cell('house-model', 'output').press('Enter');
    await page.getByText(text('prices.not_number')).waitFor();
    await cell('house-model', 'output').press('Escape');
    await cell('house-model', 'output').fill('6');
    await cell('house-model', 'output').press('Enter');
    expect(await page.getByText(text('prices.not_number')).count()).toBe(0);
    await expectSoundScreen(visitor);

    await search.fill('');
    await page.getByRole('button', { name: text('prices.more') }).click();
    await page.getByRole('menuitem', { name: text('prices.add') }).click();
    await page.getByLabel(text('prices.name')).fill('fresh-model');
    await page.getByRole('button', { name: text('prices.add') }).click();
    await page.getByLabel(text('prices.tick', { model: 'fresh-model' })).check();
    const batch = page.getByRole('group', { name: text('prices.batch') }).first();
    await batch.getByRole('button', { name: text('prices.fill.price') }).click();
    await batch.getByRole('button', { name: text('prices.fill_in', { count: 1 }) }).click();
    await batch.getByText(text('prices.value_missing')).waitFor();
    await batch.getByRole('textbox').fill('0.05');
    await batch.getByRole('button', { name: text('prices.fill_in', { count: 1 }) }).click();
    expect(await cell('fresh-model', 'price').inputValue()).toBe('0.05');
    expect(await cell('fresh-model', 'input').isDisabled()).toBe(true);

    await page.getByRole('button', { name: text('settings.diff.review_other', { count: 5 }) }).click();
    await panelOf(page, 'desk')
      .getByRole('button', { name: text('settings.diff.save_other', { count: 5 }) })
      .click();
    await until(async () => JSON.parse((await valueOf(api, 'ModelRatio')) ?? '')['gpt-4o'] === 1.25);
    expect(JSON.parse((await valueOf(api, 'ModelPrice')) ?? '')['fresh-model']).toBe(0.05);
    expect(JSON.parse((await valueOf(api, 'CompletionRatio')) ?? '')['house-model']).toBe(3);
    await page.getByRole('button', { name: text('prices.show.unpriced', { count: 0 }) }).waitFor();

    await page.getByRole('button', { name: text('prices.more') }).click();
    await page.getByRole('menuitem', { name: text('prices.reset') }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('prices.reset') })
      .click();
    await until(async () => JSON.parse((await valueOf(api, 'ModelRatio')) ?? '')['house-model'] === undefined);
    await visitor.context.close();
  });
});

interface Option {
  key: string;
  value: string;
  isSet?: boolean;
}

async function optionOf(api: Api, key: string): Promise<Option | undefined> {
  return ((await api.get('/api/option/')) as Option[]).find((option) => option.key === key);
}

async function valueOf(api: Api, key: string): Promise<string | undefined> {
  return (await optionOf(api, key))?.value;
}

async function isSet(api: Api, key: string): Promise<boolean | undefined> {
  return (await optionOf(api, key))?.isSet;
}

/** Returns everything that the console stores in this browser's databases. */
async function readDevice(): Promise<unknown[]> {
  const open = (name: string) =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name);
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error(name)));
    });
  const all = (store: IDBObjectStore) =>
    new Promise<unknown[]>((resolve, reject) => {
      const request = store.getAll();
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error(store.name)));
    });
  const found: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (name === undefined) continue;
    const database = await open(name);
    for (const store of database.objectStoreNames) found.push(await all(database.transaction(store).objectStore(store)));
    database.close();
  }
  return found;
}
