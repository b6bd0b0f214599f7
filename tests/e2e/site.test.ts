// What administrators write for visitors: home page, about page, notice and footer; with what could harm left out.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const hostile = '<script>window.harmed = 1</script><img src="x" onerror="window.harmed = 1">';

describeInBrowser('site', () => {
  it.each(lookInTurn(['phone', 'desk'] as const))(
    '%s: a visitor reads home page, about, footer, and the notice once per text',
    async (size) => {
      await using tidegate = await startTidegate();
      const { api: root } = await furnish(tidegate);
      for (const [key, value] of [
        ['HomePageContent', `# Low water\n\nWelcome to the **harbour**.${hostile}`],
        ['About', `We keep the lights on.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n${hostile}`],
        ['Notice', 'The lock is closed on *Friday*.'],
        ['Footer', `<a href="https://example.com">Harbour office</a>${hostile}`],
      ])
        await root.put('/api/option/', { key, value });
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await page.goto('/');
      const notice = page.getByRole('dialog', { name: text('site.notice') });
      await notice.getByText('The lock is closed').waitFor();
      await notice.getByRole('button', { name: text('site.notice_seen') }).click();
      await page.getByRole('heading', { name: 'Low water' }).waitFor();
      expect(await page.getByRole('link', { name: 'Harbour office' }).getAttribute('href')).toBe('https://example.com');
      await page.reload();
      await page.getByRole('heading', { name: 'Low water' }).waitFor();
      await settle(page);
      expect(await notice.count()).toBe(0);

      await page.goto('/about');
      await page.getByText('We keep the lights on.').waitFor();
      await page.getByText('The lock is closed').waitFor();
      expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
      visitor.complaints.splice(0, visitor.complaints.length, ...visitor.complaints.filter((line) => !/404|Failed to load/.test(line)));
      await expectSoundScreen(visitor);

      await root.put('/api/option/', { key: 'Notice', value: 'The lock is open again.' });
      await page.goto('/');
      await notice.getByText('open again').waitFor();
      await visitor.context.close();
    },
  );

  it('desk: a page of another site stands in a frame that cannot reach the console', async () => {
    await using tidegate = await startTidegate();
    const { api: root } = await furnish(tidegate);
    await root.put('/api/option/', { key: 'About', value: 'https://about.example/page' });
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    const { page } = visitor;
    await visitor.context.route('https://about.example/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<p>Foreign</p><script>addEventListener("message", (e) => document.body.append(JSON.stringify(e.data))); try { top.location = "https://evil.example" } catch {}</script>',
      }),
    );
    await page.goto('/about');
    const frame = page.frameLocator('iframe');
    await frame.getByText('Foreign').waitFor();
    await frame.getByText('"themeMode":"light"').waitFor();
    await frame.getByText('"lang":"en"').waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('allow-top-navigation');
    expect(new URL(page.url()).pathname).toBe('/about');
    await visitor.context.close();
  });

  it('desk: an administrator sees what the installation is, and why updates cannot be checked', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/about');
    await page.getByText(text('site.about_unset_admin')).waitFor();
    await expectSoundScreen(visitor);
    await page.getByRole('button', { name: text('site.update.check') }).click();
    await page.getByText('RELEASES_URL').waitFor();
    await visitor.context.close();
  });
});
