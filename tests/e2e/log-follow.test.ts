// The log of calls while calls are made: what is new comes by itself, and what was refused says why.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish, owner } from './support/furnish.ts';
import type { Furnished } from './support/furnish.ts';
import { startTidegate } from './support/tidegate.ts';
import type { Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};

describeInBrowser('following the log', () => {
  let tidegate: Tidegate;
  let furnished: Furnished;
  beforeAll(async () => {
    tidegate = await startTidegate();
    furnished = await furnish(tidegate);
  });
  afterAll(() => tidegate.close());

  const refuse = () => chat(tidegate.url, furnished.key, { stream: false, model: 'no-such-model' }).catch(() => {});

  for (const size of ['desk', 'phone'] as const) {
    it(`${size}: new calls come by themselves on top, and only as a number under an open row`, async () => {
      const visitor = await createVisitor(tidegate.url, { size, scheme: 'light', language: 'en' });
      const { page } = visitor;
      await signIn(visitor, owner);
      await page.goto('/log');
      await settle(page);
      const rows = page.locator('[data-row-key]');
      const before = await rows.count();
      await chat(tidegate.url, furnished.key, { stream: false });
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(before + 1);

      await rows.first().click();
      await page.getByRole('button', { name: 'Close' }).first().waitFor();
      await chat(tidegate.url, furnished.key, { stream: false });
      const line = page.getByRole('button', { name: '1 new row' });
      await line.waitFor({ timeout: 20_000 });
      // Nothing lies over it. (On a phone the row does.)
      if (size === 'desk') await line.click({ trial: true });
      expect(await rows.count()).toBe(before + 1);
      await shoot(page, `newer-${size}`);
      await page.keyboard.press('Escape');
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(before + 2);
      expect(await line.count()).toBe(0);
      await visitor.context.close();
    });
  }
  for (const size of ['desk', 'tablet', 'phone'] as const) {
    it(`${size}: a refused call says why, and is found by its result`, async () => {
      await refuse();
      await refuse();
      const visitor = await createVisitor(tidegate.url, { size, scheme: 'dark', language: 'zh' });
      const { page } = visitor;
      await signIn(visitor, owner, 'zh');
      await page.goto('/log?result=refused');
      const row = page.locator('[data-row-key]').first();
      await row.waitFor({ timeout: 20_000 });
      expect(await row.textContent()).toContain('模型 no-such-model 不存在');
      // Of what was asked for nothing is cut; the sentence gives way.
      expect(await row.getByTitle('no-such-model', { exact: true }).evaluate((model) => model.scrollWidth <= model.clientWidth)).toBe(true);
      await shoot(page, `refused-${size}`);
      await row.click();
      await page.getByText('404 model_not_found').waitFor();
      await shoot(page, `refused-open-${size}`);
      await visitor.context.close();
    });
  }
});
