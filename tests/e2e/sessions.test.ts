// Sessions of agents in the log: the list, one that is opened into its agents and calls, and the ways from a call and back.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { furnish, owner } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { seedSessions, seededSessions } from './support/seed-sessions.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn, signInByForm } from './support/visit.ts';

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};
const rowsOf = (page: Page) => page.locator('[data-row-key]');
const searchOf = (page: Page) => new URL(page.url()).searchParams;
const [claude] = seededSessions;

describeInBrowser('sessions in the log', () => {
  let tidegate: Tidegate;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-sessions-'));
    const url = `file:${path.join(folder, 'site.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: url } });
    await furnish(tidegate);
    await seedSessions(url, { userId: 1, username: owner.username });
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  const looks: VisitorOptions[] = [
    { size: 'desk', language: 'en', scheme: 'light' },
    { size: 'phone', language: 'zh', scheme: 'dark' },
  ];
  it.each(lookInTurn(looks))(
    '$size: the switch leads to sessions, a row opens into its agents, and a call has its receipt',
    async (look) => {
      const visitor = await createVisitor(tidegate.url, look);
      const { page } = visitor;
      const { size = 'desk', language = 'en' } = look;
      const say = (key: string) => text(key, {}, language);
      const shot = (name: string) => shoot(page, `sessions-${name}-${size}`);
      await signIn(visitor, owner);
      await page.goto('/log?range=week');
      await settle(page);
      await shot('calls');
      await page.getByRole('button', { name: say('logs.view.sessions'), exact: true }).click();
      await page.getByText('Codex 0.169.0').first().waitFor();
      await settle(page);
      await shot('list');
      expect(searchOf(page).get('view')).toBe('sessions');
      expect(await rowsOf(page).count()).toBe(seededSessions.length);
      await expectSoundScreen(visitor);

      await page.getByText('Claude Code 2.1.330').first().click();
      await page.getByText(say('sessions.first_agent'), { exact: true }).first().waitFor();
      await settle(page);
      await shot('tree');
      await expectSoundScreen(visitor);
      // The calls of an agent within an agent stand further in, with all that is said of them.
      const insets = await rowsOf(page).evaluateAll((rows) =>
        rows.map((row) => {
          const [name] = row.querySelectorAll('[style*="--depth"]');
          return { depth: Number(/--depth: ?(\d)/.exec(name?.getAttribute('style') ?? '')?.[1]), at: startOf(row) };
          function startOf(element: Element): number {
            const lines = [...element.querySelectorAll('[style*="--depth"]')];
            return Math.min(
              ...lines.map((line) => line.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(line).paddingLeft)),
            );
          }
        }),
      );
      for (const { depth, at } of insets) {
        for (const other of insets) if (other.depth > depth) expect(other.at).toBeGreaterThan(at);
      }
      expect(new Set(insets.map(({ depth }) => depth)).size).toBeGreaterThan(2);
      const all = await rowsOf(page).count();
      expect(all).toBe((claude?.calls ?? 0) + 4);
      // A collapsed agent still shows its sum, and hides its calls.
      await page.getByText(say('sessions.first_agent'), { exact: true }).first().click();
      await page.waitForFunction((before) => document.querySelectorAll('[data-row-key]').length < before, all);
      await page.getByText('claude-haiku-5-5', { exact: true }).first().click();
      const panel = panelOf(page, size);
      await panel.getByText(claude?.session ?? '').waitFor();
      await shot('receipt');
      expect(visitor.complaints).toEqual([]);
      await visitor.context.close();
    },
  );

  it('desk: the receipt of a call leads to its session, and that to its calls in the log', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk', language: 'en' });
    const { page } = visitor;
    await signIn(visitor, owner);
    await page.goto('/log?range=week&model=%22gpt-6.1-sol%22');
    await settle(page);
    await rowsOf(page).first().getByText('gpt-6.1-sol').click();
    await panelOf(page, 'desk')
      .getByRole('link', { name: seededSessions[1]?.session ?? '' })
      .click();
    await page.getByRole('button', { name: text('sessions.in_log') }).click();
    await page.waitForURL((url) => url.searchParams.get('view') === null);
    await settle(page);
    expect(await rowsOf(page).count()).toBeGreaterThan(5);
    expect(new Set(await rowsOf(page).getByText('gpt-6.1-sol').allTextContents())).toEqual(new Set(['gpt-6.1-sol']));
    await page.getByRole('button', { name: text('logs.view.sessions'), exact: true }).click();
    await page.getByRole('button', { name: text('sessions.all') }).click();
    await page.getByText('OpenCode 1.18.33').first().waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  it('phone: what was seen is there without a network, and what was not is said to be missing', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone', language: 'en', hasServiceWorker: true }, /503|Failed to load/);
    const { page, context } = visitor;
    await signInByForm(visitor);
    await untilInstalled(page);
    await page.goto('/log?view=sessions&range=week');
    await page.getByText('Claude Code 2.1.330').first().click();
    await page.getByText(text('sessions.first_agent'), { exact: true }).first().waitFor();
    await untilStored(page, 'sessions', 'session');
    await context.setOffline(true);
    await page.goto('/log?view=sessions&range=week');
    await page.getByText('Claude Code 2.1.330').first().waitFor();
    await shoot(page, 'sessions-offline-phone');
    await page.getByText('Claude Code 2.1.330').first().click();
    await page.getByText(text('sessions.first_agent'), { exact: true }).first().waitFor();
    await page.goto('/log?view=sessions&range=custom');
    await page.getByText(text('common.load.not_here'), { exact: true }).waitFor();
    await context.setOffline(false);
    await page.goto('/log?view=sessions&range=custom&to=1000');
    await page.getByText(text('sessions.empty'), { exact: true }).first().waitFor();
    expect(await rowsOf(page).count()).toBe(0);
    await shoot(page, 'sessions-empty-phone');
    await context.close();
  });
});
