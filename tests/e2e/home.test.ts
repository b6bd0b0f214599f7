// Home: for a person what they have and used, for an operator what needs a hand.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish, keyOf, owner, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { seedCalls } from './support/seed-calls.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const keeper = { username: 'keeper', password: 'another-lantern' };

describeInBrowser('home', () => {
  let tidegate: Tidegate;
  let folder: string;
  let keepersKey: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-home-'));
    const url = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: url } });
    const { api: owners } = await furnish(tidegate);
    await owners.put('/api/user/', { id: 2, quota_change: 500_000 });
    await seedCalls(url, { userId: 1, username: owner.username, count: 300, days: 2 });
    const api = await signInByApi(tidegate.url, keeper);
    const made = await api.post('/api/token/', {
      name: 'nearly over',
      unlimited_quota: true,
      expired_time: Math.floor(Date.now() / 1000) + 2 * 86_400 + 3_600,
    });
    keepersKey = keyOf(made);
    await api.post('/api/token/', { name: 'used up', remain_quota: 0, expired_time: -1 });
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const size of lookInTurn(['phone', 'desk'] as const)) {
    it(`${size}: an operator sees what needs a hand before anything else, and today adds up`, async () => {
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/');
      await page.getByText(text('home.todo.calm_channels_one', { count: '1' })).waitFor();
      await expectSoundScreen(visitor);
      const headings = await page
        .getByRole('main')
        .getByRole('heading', { level: 2 })
        .evaluateAll((found) => found.map((heading) => ({ name: heading.textContent.trim(), top: heading.getBoundingClientRect().top })));
      const top = (name: string) => headings.find((heading) => heading.name === name)?.top ?? Number.NaN;
      if (size === 'phone') expect(top(text('home.todo.calm'))).toBeLessThan(top(text('home.today.title')));
      // Who changed it, then whose it is.
      await page
        .getByRole('link')
        .filter({ hasText: /harbour\s*keeper · Balance/ })
        .waitFor();
      // By the hour, in the table behind the picture.
      await page
        .getByRole('button', { name: text('home.today.table') })
        .first()
        .click();
      const counts = await page
        .locator('table')
        .first()
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => Number(row.querySelectorAll('td')[2]?.textContent)));
      const calls = page.locator('main dl > div').filter({ has: page.locator('dt').getByText(text('home.today.calls'), { exact: true }) });
      expect(await calls.locator('dd').first().innerText()).toBe(String(counts.reduce((sum, one) => sum + one, 0)));
      await visitor.context.close();
    });
  }

  it('desk: a person has their last calls as a table, one line each under the name of its column', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    const { page } = visitor;
    await chat(tidegate.url, keepersKey, { stream: false });
    await signIn(visitor, keeper);
    await page.goto('/');
    const row = page.getByRole('link').filter({ hasText: 'gpt-4o-mini' }).filter({ hasText: 'nearly over' });
    await row.waitFor();
    const middle = async (place: Locator): Promise<number> => {
      const box = await place.boundingBox();
      return Math.round((box?.y ?? Number.NaN) + (box?.height ?? Number.NaN) / 2);
    };
    expect(await middle(row.getByText('nearly over'))).toBeCloseTo(await middle(row.getByText('gpt-4o-mini')), -1);
    const heading = page.locator('main li[aria-hidden] span').getByText(text('home.recent.token'), { exact: true });
    expect((await heading.boundingBox())?.x).toBe((await row.getByText('nearly over').boundingBox())?.x);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('a person sees which of their tokens are worth a look', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone', language: 'zh' });
    const { page } = visitor;
    await signIn(visitor, keeper);
    await page.goto('/');
    await page.getByText(text('home.tokens.expiring', { name: 'nearly over', count: 2 }, 'zh')).waitFor();
    await expectSoundScreen(visitor);
    await page.getByText(text('home.tokens.expiring', { name: 'nearly over', count: 2 }, 'zh')).click();
    await page.waitForURL(/\/token\?open=/);
    await visitor.context.close();
  });

  it('desk: a channel that fails needs a hand, in the words of the list, and is disabled and put back where one is', async () => {
    tidegate.upstream.behave({ status: 401 });
    for (let made = 0; made < 10; made += 1) await chat(tidegate.url, keepersKey, { stream: false }).catch(() => {});
    const visitor = await createVisitor(tidegate.url, { size: 'desk' }, /Failed to load resource/);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/');
    const line = page.getByRole('listitem').filter({ hasText: text('home.todo.failing', { name: 'Harbour mouth' }) });
    await line.getByText(/^401 · since .* calls · only channel for 2 models$/).waitFor();
    await expectSoundScreen(visitor);
    const words = await line.getByText(/^401 · /).innerText();
    await page.goto('/channel');
    const row = page.getByRole('row').filter({ hasText: 'Harbour mouth' });
    await row.getByText(text('common.failing.state'), { exact: true }).waitFor();
    // The row leaves out the counts of calls, which the panel shows.
    expect(await row.getByText(/^401 · /).textContent()).toBe(words.replace(/ · \d+ of \d+ calls/, ''));
    await page.goto('/');
    await line.getByRole('button', { name: text('home.todo.disable') }).click();
    await line.waitFor({ state: 'detached' });
    // Nothing is left that could answer: that is no calm.
    await page.getByText(text('home.todo.no_channels')).waitFor();
    await page.getByRole('button', { name: text('common.undo.action') }).click();
    await line.waitFor();
    tidegate.upstream.behave({});
    await line.getByRole('button', { name: text('home.todo.test') }).click();
    await page.getByText(/^Harbour mouth answered in /).waitFor();
    // What answers fails no more, here and in the list.
    await line.waitFor({ state: 'detached' });
    await page.goto('/channel');
    await row.waitFor();
    await settle(page);
    expect(await row.getByText(text('common.failing.state'), { exact: true }).count()).toBe(0);
    await visitor.context.close();
  });
});
