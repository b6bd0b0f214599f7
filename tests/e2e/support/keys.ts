// Actions with a keyboard alone; at every stop the focus must be visible.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createVisitor, type VisitorOptions } from './browser.ts';
import { owner } from './furnish.ts';
import { text } from './texts.ts';
import type { Tidegate } from './tidegate.ts';
import { settle } from './visit.ts';

/** Signed in by keys alone. */
export async function enterByKeys(
  tidegate: Tidegate,
  options: VisitorOptions & { hasServiceWorker?: boolean } = {},
  account = owner,
): Promise<Page> {
  const { page, context } = await createVisitor(tidegate.url, options);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/login');
  await page.getByLabel(text('session.login.username')).waitFor();
  await tabTo(page, text('session.login.username'));
  await page.keyboard.type(account.username);
  await tabTo(page, text('session.login.password'));
  await page.keyboard.type(account.password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname !== '/login');
  await settle(page);
  return page;
}

/** By the palette. */
export async function run(page: Page, name: string): Promise<void> {
  // The frame handles keys once it is rendered.
  await page.getByRole('button', { name: text('shell.find'), exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: text('palette.label') }).waitFor();
  await page.keyboard.type(name);
  await page.getByRole('option', { selected: true }).filter({ hasText: name }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: text('palette.label') }).waitFor({ state: 'detached' });
  await settle(page);
}

/** More than any screen of these days has from one end to the other. */
const mostStops = 240;

/** Until what is called so has the focus; at every stop on the way it can be seen where that is. */
export async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < mostStops; stop += 1) {
    const focus = await focusOf(page);
    if (focus?.name === name) return;
    passed.push(focus?.name ?? 'the page');
    expect(focus?.fault, `the focus on "${focus?.name}"`).toBeUndefined();
    await page.keyboard.press(key);
  }
  throw new Error(`No "${name}" among ${passed.join(' | ')}`);
}

export async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(async () => (await focusOf(page))?.name, { timeout: 10_000 }).toBe(name);
}

/** A row of the list has the focus, with a text in it. */
export async function expectRow(page: Page, content: string): Promise<void> {
  await page.locator('tr[data-row-key]:focus').filter({ hasText: content }).waitFor();
}

interface Focus {
  name: string;
  /** Why it is not seen. */
  fault?: string;
}

/** What has the focus, and whether that is seen: within the window, not covered by its surroundings, with a ring or a line. */
async function focusOf(page: Page): Promise<Focus | undefined> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return undefined;
    const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
    const label = labels ? (element.labels?.[0]?.querySelector('span, label') ?? element.labels?.[0]) : undefined;
    const name = (element.getAttribute('aria-label') ?? label?.textContent ?? element.innerText).replace(/\s*\*$/, '').trim();
    // The focus is on the screen itself: nothing of it is pressed.
    if (element.tagName === 'MAIN') return { name: 'the screen' };
    const around = [
      element,
      element.parentElement,
      element.parentElement?.parentElement,
      element.parentElement?.parentElement?.parentElement,
    ];
    const isMarked = [...around, element.nextElementSibling].some((one) => {
      if (one === null || one === undefined) return false;
      return ['', '::before', '::after'].some((part) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(one, part);
        return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      });
    });
    if (!isMarked) return { name, fault: 'has no ring' };
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) return { name, fault: 'is out of sight' };
    return { name };
  });
}

/** What is said to be wrong with the field that has the focus. */
export async function describedBy(page: Page): Promise<string> {
  return page.evaluate(() =>
    (document.activeElement?.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(''),
  );
}
