// The status page: what a visitor sees at once, a model's days in words, an incident that an administrator writes, and the last page without a network.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled } from './support/device.ts';
import { type Api, furnish } from './support/furnish.ts';
import { seedStatus } from './support/seed-status.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

describeInBrowser('status page', () => {
  let tidegate: Tidegate;
  let folder: string;
  let api: Api;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-status-'));
    const url = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: url } });
    ({ api } = await furnish(tidegate));
    const more = { name: 'Outer mole', key: 'upstream-key', base_url: tidegate.upstream.url, groups: ['default'] };
    await api.post('/api/channel/', { ...more, type: 1, models: 'deepseek-chat,claude-3-5-haiku,text-embedding-3-small' });
    await seedStatus(url);
    await api.put('/api/option/', { key: 'StatusPage', value: 'public' });
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['desk', 'tablet', 'phone'] as const)(
    '%s: a visitor reads the answer, the days of a model and its incident by keyboard',
    async (size) => {
      const visitor = await createVisitor(tidegate.url, { size, language: 'en' });
      const { page } = visitor;
      await page.goto('/status');
      await page
        .getByRole('status')
        .getByText(text('status.head.both_one', { count: 1, slow: 1 }, 'en'))
        .waitFor();
      expect(await page.getByText('The provider reports an outage in one region.').count()).toBe(1);
      await settle(page);
      await expectSoundScreen(visitor);

      await page.getByRole('button', { name: 'gpt-4o', exact: true }).focus();
      await page.keyboard.press('Enter');
      const panel = panelOf(page, size);
      await panel
        .getByRole('listitem')
        .filter({ hasText: /down 40 min, 91\.74% of calls answered/ })
        .first()
        .waitFor();
      expect(
        await panel
          .getByRole('listitem')
          .filter({ hasText: /: (Operational|down)/ })
          .count(),
      ).toBe(90);
      await settle(page);
      await expectSoundScreen(visitor);
      await page.keyboard.press('Escape');
      await until(async () => (await panel.count()) === 0);
      await visitor.context.close();
    },
  );

  it('an administrator writes an incident, updates it and ends it; visitors read it', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk', language: 'en' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/status');
    await page.getByRole('button', { name: text('status.action.new', {}, 'en') }).click();
    const panel = panelOf(page, 'desk');
    await panel.getByLabel(text('status.field.title_en', {}, 'en')).fill('<b>Invoices</b> are late');
    await panel.getByLabel(text('status.field.text_en', {}, 'en')).fill('We are looking at it.');
    await settle(page);
    await expectSoundScreen(visitor);
    await panel.getByRole('button', { name: text('status.action.publish', {}, 'en') }).click();
    await panel.getByRole('heading', { name: '<b>Invoices</b> are late' }).waitFor();
    await panel.getByRole('button', { name: text('status.action.update', {}, 'en') }).click();
    await panel.getByRole('combobox').click();
    await page.getByRole('option', { name: text('status.update.resolved', {}, 'en') }).click();
    await panel.getByLabel(text('status.field.text_en', {}, 'en')).fill('They are sent.');
    await panel.getByRole('button', { name: text('status.action.publish', {}, 'en') }).click();
    await page.getByText('They are sent.').first().waitFor();
    const shown = (await api.get('/api/status/page')) as { past: { title: { zh: string }; state: string }[] };
    expect(shown.past).toContainEqual(
      expect.objectContaining({ state: 'resolved', title: { zh: '<b>Invoices</b> are late', en: '<b>Invoices</b> are late' } }),
    );
    await visitor.context.close();
  });

  it('without a network the last page is there, with its age', async () => {
    const visitor = await createVisitor(
      tidegate.url,
      { size: 'phone', language: 'en', hasServiceWorker: true },
      /Failed to load|ERR_INTERNET/,
    );
    const { page, context } = visitor;
    await signIn(visitor);
    await page.goto('/status');
    await untilInstalled(page);
    await page.getByText('The provider reports an outage in one region.').waitFor();
    await settle(page);
    await context.setOffline(true);
    await page.reload();
    await page.getByText('The provider reports an outage in one region.').waitFor();
    await page
      .getByText(/^as of \d\d:\d\d$/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'gpt-4o', exact: true }).count()).toBe(1);
    await context.close();
  });
});
