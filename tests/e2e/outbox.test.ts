// Settings that are edited without a network: they survive, are sent, and meet what others did meanwhile.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { type Api, furnish, owner } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signInByForm } from './support/visit.ts';

const nameField = text('settings.option.SystemName.label');

describeInBrowser('outbox', () => {
  it('phone: an edit made offline survives a restart of the console and is sent when the network is back', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    const page = await editOffline(visitor, 'Harbour office');
    expect(await systemName(api)).toBe('Tidegate');

    await page.close();
    const cold = await visitor.context.newPage();
    await cold.goto('/outbox');
    await cold.getByText('Harbour office').first().waitFor();
    await cold
      .getByText(text('common.freshness.waiting_one', { count: 1 }))
      .first()
      .waitFor();
    await expectSoundScreen({ ...visitor, page: cold });
    await visitor.context.setOffline(false);
    await cold.getByText(text('outbox.empty_title')).waitFor();
    expect(await systemName(api)).toBe('Harbour office');
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  for (const choice of ['mine', 'theirs'] as const) {
    it(`desk: what somebody else changed meanwhile is a conflict, shown with all sides and settled for ${choice}`, async () => {
      await using tidegate = await startTidegate();
      const { api } = await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
      const page = await editOffline(visitor, 'Harbour office');
      await api.put('/api/option/', { key: 'SystemName', value: 'Lighthouse' });
      await visitor.context.setOffline(false);

      await page
        .getByText(text('common.freshness.conflicts_one', { count: 1 }))
        .first()
        .waitFor();
      expect(await systemName(api), 'nothing is written over').toBe('Lighthouse');
      await page.goto('/outbox');
      const edit = page.getByRole('main').getByRole('listitem').filter({ hasText: nameField });
      for (const side of ['Tidegate', 'Harbour office', 'Lighthouse']) await edit.getByText(side).first().waitFor();
      // Who did it, and when.
      await edit.getByText(new RegExp(text('setting_parts.conflict.changed_by', { name: owner.username, time: '\\d' }))).waitFor();
      await expectSoundScreen(visitor);
      await edit.getByRole('radio', { name: text(`setting_parts.conflict.${choice}`) }).check();
      const label =
        choice === 'mine'
          ? text('setting_parts.conflict.save_instead', { mine: '.*', theirs: '.*' })
          : text('setting_parts.conflict.keep_theirs', { theirs: '.*' });
      await edit.getByRole('button', { name: new RegExp(label) }).click();
      await page.getByText(text('outbox.empty_title')).waitFor();
      await until(async () => (await systemName(api)) === (choice === 'mine' ? 'Harbour office' : 'Lighthouse'));
      await visitor.context.close();
    });
  }
});

/** Signs in, reads the settings once, loses the network and saves another name for the site. */
async function editOffline(visitor: Visitor, name: string): Promise<Page> {
  const { page, context } = visitor;
  await signInByForm(visitor);
  await untilInstalled(page);
  await page.goto('/setting?tab=content');
  await settle(page);
  await untilStored(page, 'options');
  await context.setOffline(true);
  await page.getByLabel(nameField).fill(name);
  await page.getByRole('button', { name: text('settings.save_offline') }).click();
  await page
    .getByText(text('common.freshness.waiting_one', { count: 1 }))
    .first()
    .waitFor();
  return page;
}

async function systemName(api: Api): Promise<string | undefined> {
  const options = (await api.get('/api/option/')) as { key: string; value: string }[];
  return options.find(({ key }) => key === 'SystemName')?.value;
}
