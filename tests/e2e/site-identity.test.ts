// A site with a name and a logo of its own: set in the settings, shown by pages, tabs and the installed console.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const picture = new URL('../../public/icon-512.png', import.meta.url);

describeInBrowser('name and logo', () => {
  for (const size of lookInTurn(['desk', 'phone'] as const)) {
    it(`${size}: a picture from this device is looked at, saved, and shown wherever the site is`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/setting?tab=content');
      await settle(page);
      const field = page.locator('[data-setting="Logo"]');
      // Without one: the product's mark in the colours of either ground, whichever is on, and its icon.
      await field.locator('[role=img] svg').nth(1).waitFor();
      const strokes = await field
        .locator('[role=img] svg')
        .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark.lastElementChild ?? mark).stroke));
      expect(strokes).toEqual(['rgb(17, 33, 34)', 'rgb(231, 238, 239)']);
      expect(await field.locator('[role=img] img').evaluateAll((images) => images.map((image) => image.getAttribute('src')))).toEqual([
        '/icon-192.png',
      ]);
      const file = field.getByLabel(text('setting_parts.picture.upload')).and(page.locator('input'));
      await file.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
      await field.getByText(text('setting_parts.picture.broken', { name: 'notes.txt' })).waitFor();
      await file.setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: readFileSync(picture) });
      await field.getByText(/^Uploaded picture, \d+ kB$/).waitFor();
      // On light, on dark and as an app.
      expect(await field.locator('img').evaluateAll((images) => images.map((image) => image.getBoundingClientRect().width))).toEqual([
        20, 20, 48,
      ]);
      await page.locator('[data-setting="SystemName"] input').fill('Harbour');
      await expectSoundScreen(visitor);
      await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
      const save = page.getByRole('button', { name: text('settings.diff.save_other', { count: 2 }) });
      await save.waitFor();
      await save.click();
      await until(async () => ((await (await page.request.get('/api/status')).json()) as { data: { logo: string } }).data.logo !== '');

      await page.goto('/');
      await settle(page);
      const shown = () =>
        page.evaluate(() => ({
          title: document.title,
          icons: [...document.querySelectorAll<HTMLLinkElement>('link[rel="icon"], link[rel="apple-touch-icon"]')].map((link) =>
            link.getAttribute('href'),
          ),
        }));
      await until(async () => (await shown()).icons.every((icon) => icon?.startsWith('/logo?v=')));
      expect((await shown()).title).toContain('Harbour');
      const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as {
        name: string;
        icons: { src: string; sizes: string }[];
      };
      expect(manifest.name).toBe('Harbour');
      // As large as it says, so that it can be installed.
      const [icon] = manifest.icons;
      const sides = await page.evaluate(async (src) => {
        const bitmap = await createImageBitmap(await (await fetch(src)).blob());
        return `${bitmap.width}x${bitmap.height}`;
      }, icon?.src ?? '');
      expect(sides).toBe(icon?.sizes);
      await visitor.context.close();
    });
  }
});
