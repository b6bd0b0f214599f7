// What a visitor does on several screens, and what every screen owes him.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Size, Visitor } from './browser.ts';
import { networkIdle } from './network-idle.ts';
import { owner } from './furnish.ts';
import { text } from './texts.ts';

const textFiles = readdirSync(new URL('../../../pwa/i18n/en/', import.meta.url)).map((file) => file.replace(/\.json$/, ''));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Signed in, as a device is after the form: by calls, since the form is the subject of few tests. No screen is open yet. */
export async function signIn({ page }: Visitor, account: { username: string; password: string } = owner): Promise<void> {
  const { request } = page.context();
  const login = await request.post('/api/user/login', { data: account });
  const { success, message, data } = await login.json();
  if (success !== true) throw new Error(`${account.username} cannot sign in: ${message}`);
  const self = await request.get('/api/user/self', { headers: { 'new-api-user': String(data.id) } });
  const user = JSON.stringify((await self.json()).data);
  // Not a page of the console: nothing runs there.
  await page.goto('/robots.txt');
  await page.evaluate((stored) => {
    localStorage.setItem('user', stored);
    localStorage.setItem('shell', 'user');
    localStorage.setItem('sign-ins', String(Number(localStorage.getItem('sign-ins')) + 1));
  }, user);
}

/** Through the form. */
export async function signInByForm(
  visitor: Visitor,
  account: { username: string; password: string } = owner,
  language: 'zh' | 'en' = 'en',
): Promise<void> {
  const { page } = visitor;
  await page.goto('/login');
  await page.getByLabel(text('session.login.username', {}, language)).fill(account.username);
  await page.getByLabel(text('session.login.password', {}, language), { exact: true }).fill(account.password);
  await page.getByRole('button', { name: text('session.login.submit', {}, language), exact: true }).click();
  await page.waitForURL((url) => url.pathname !== '/login');
}

/** By the sidebar at a desk or its rail on a tablet; on a phone by the bar below, or by its menu More. `key` names the menu's entry. */
export async function openFromMenu(page: Page, size: Size, key: string): Promise<void> {
  if (size !== 'phone')
    await page
      .getByRole('navigation')
      .getByRole('link', { name: text(key), exact: true })
      .click();
  else {
    const inBar = page.getByRole('navigation').getByRole('link', { name: new RegExp(`^(${text(key)}|${shortName(key)})$`) });
    if ((await inBar.count()) === 0) await page.getByRole('button', { name: text('shell.menu.more') }).click();
    await inBar
      .or(page.getByRole('dialog').getByRole('link', { name: text(key) }))
      .first()
      .click();
  }
  await page.getByRole('main').waitFor();
  await settle(page);
}

function shortName(key: string): string {
  try {
    return text(`${key}_short`);
  } catch {
    return text(key);
  }
}

/** Returns the panel next to the list at a desk, or over it on a phone. */
export function panelOf(page: Page, size: Size): Locator {
  return size === 'phone' ? page.getByRole('dialog').last() : page.getByRole('complementary').last();
}

/** Until nothing is on its way and nothing moves. */
export async function settle(page: Page): Promise<void> {
  await networkIdle(page);
  await page
    .waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    .catch(async (failure: unknown) => {
      const busy = await page.locator('[aria-busy="true"]').evaluateAll((all) => all.map((one) => one.outerHTML.slice(0, 300)));
      throw new Error(`${page.url()} stays busy: ${busy.join('\n')}`, { cause: failure });
    });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/**
 * No error was reported, nothing scrolls sideways, one button at most is filled, axe has no serious objection, and what is
 * touched is large enough for it.
 */
export async function expectSoundScreen(visitor: Visitor): Promise<void> {
  const { page, complaints } = visitor;
  await settle(page);
  expect(await sidewaysScroll(page), 'what is wider than the screen').toEqual([]);
  expect(await foreignTexts(page), 'Chinese in an English console').toEqual([]);
  expect(await textKeys(page), 'keys in place of texts, whose file the screen does not load').toEqual([]);
  expect(await textsAtEdge(page), 'texts without a distance from the edge').toEqual([]);
  expect(await strayTexts(page), 'texts that do not scroll with what they are in').toEqual([]);
  expect(await cellsOffGutter(page), 'last cells of rows that end elsewhere than their heading').toEqual([]);
  expect((await filledButtons(page)).slice(1), 'what is filled beside the first filled button').toEqual([]);
  expect(await smallTargets(page), 'what is too small for a finger').toEqual([]);
  expect(await seriousFaults(page), 'what axe finds serious').toEqual([]);
  // Each is reported once: the next screen of the same visitor, and a second try, report only new ones.
  expect(complaints.splice(0), 'errors on the console').toEqual([]);
}

/**
 * What reaches beyond the right edge of the screen: it makes the page scroll sideways, or it is cut off there by a screen that
 * hides its overflow. A box within a screen may scroll or cut its own content, as long as it ends before the edge itself.
 */
async function sidewaysScroll(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const edge = clientWidth + 1;
    const isContained = (element: Element): boolean => {
      for (let box = element.parentElement; box !== null && box.tagName !== 'MAIN' && box !== document.body; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== 'visible' && box.getBoundingClientRect().right <= edge) return true;
      return false;
    };
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) =>
        element.getBoundingClientRect().right > edge &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        element.closest('[inert]') === null &&
        !isContained(element),
    );
    const isPageWide = Math.max(scrollWidth, document.body.scrollWidth) > clientWidth;
    return [
      ...(isPageWide ? [`the page: ${scrollWidth} of ${clientWidth}`] : []),
      ...wide.slice(0, 5).map((element) => `${element.getBoundingClientRect().right}: ${element.outerHTML.slice(0, 160)}`),
    ];
  });
}

/** Chinese on a page that is in English. The name of a language, and what the tests' people and providers wrote, may be in any. */
async function foreignTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.lang !== 'en') return [];
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      const isOurs = parent !== null && parent.closest('[lang|="zh"], script, style, textarea') === null;
      if (
        isOurs &&
        /\p{Script=Han}/u.test((node.nodeValue ?? '').replaceAll(/灯塔与归帆.*|哪些行会出错.*|提示词被拒绝.*|大潮.*|(切换到)?中文/g, '')) &&
        parent.checkVisibility()
      )
        found.push(parent.outerHTML.slice(0, 200));
    }
    return found;
  });
}

/** Texts and names that are the key of a text. */
async function textKeys(page: Page): Promise<string[]> {
  return page.evaluate((files) => {
    const isKey = (content: string): boolean =>
      /^[a-z_-]+(\.\w+)+$/.test(content.trim()) && files.includes(content.trim().split('.')[0] ?? '');
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement?.closest('script, style, textarea') === null && isKey(node.nodeValue ?? '')) found.push(node.nodeValue ?? '');
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
      found.push(...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? '').filter(isKey));
    return found;
  }, textFiles);
}

/** Texts that begin at the very edge of the screen's sheet, where every other one has the gutter. */
async function textsAtEdge(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const main = document.querySelector('main');
    if (main === null || document.querySelector('dialog:modal') !== null) return [];
    const { left } = main.getBoundingClientRect();
    const scrollsSideways = (element: Element): boolean => {
      for (let box: Element | null = element; box !== null && box !== main; box = box.parentElement)
        if (box.scrollWidth > box.clientWidth && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return true;
      return false;
    };
    const found: string[] = [];
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || (node.nodeValue ?? '').trim() === '' || parent.closest('.visually-hidden, [inert], style') !== null) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (
        box.width > 1 &&
        box.left >= left - 1 &&
        box.left < left + 6 &&
        parent.checkVisibility({ opacityProperty: true }) &&
        !scrollsSideways(parent)
      )
        found.push(`${Math.round(box.left - left)} px: ${parent.outerHTML.slice(0, 160)}`);
    }
    return found;
  });
}

/** Last visible cells of rows whose distance from the edge differs from that of the last heading, as where columns have left. */
async function cellsOffGutter(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('table')].flatMap((table) => {
      const heading = [...table.querySelectorAll('thead th')].findLast((cell) => cell.checkVisibility());
      const row = table.querySelector('tr[data-row-key]');
      const cell = [...(row?.children ?? [])].findLast((one) => one.checkVisibility());
      if (heading === undefined || cell === undefined) return [];
      const [wanted, found] = [heading, cell].map((one) => getComputedStyle(one).paddingInlineEnd);
      return wanted === found ? [] : [`${heading.textContent}: ${found}, not ${wanted}`];
    }),
  );
}

/** Texts for screen readers alone that are placed against something outside the part that scrolls: below it they make room for nothing. */
async function strayTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element): boolean => ['auto', 'scroll'].includes(getComputedStyle(element).overflowY);
    return [...document.querySelectorAll<HTMLElement>('.visually-hidden')]
      .filter((hidden) => {
        let box = hidden.parentElement;
        while (box !== null && !scrolls(box)) box = box.parentElement;
        return box !== null && hidden.offsetParent !== null && !box.contains(hidden.offsetParent);
      })
      .map((hidden) => hidden.outerHTML.slice(0, 160));
  });
}

/** Names of the filled buttons that can be seen and pressed: behind a sheet or a dialog they cannot. */
async function filledButtons(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scope = document.querySelector('dialog:modal') ?? document.body;
    return [...scope.querySelectorAll<HTMLElement>(':is(button, a)[data-variant="filled"]')]
      .filter((button) => button.checkVisibility() && button.closest('[inert]') === null)
      .map((button) => button.innerText);
  });
}

/**
 * On a phone and a tablet: controls of which less than 44 px answer to a finger, up and down or sideways. Links within a
 * sentence are as high as its line (WCAG 2.5.8 has that exception).
 */
async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const least = 44;
    if (innerWidth > 1100) return [];
    const scope = document.querySelector('dialog:modal, [role=dialog]') ?? document.body;
    const controls = scope.querySelectorAll<HTMLElement>(
      'a[href], button, select, summary, input:not([type=hidden]), textarea, [role=button], [tabindex="0"]',
    );
    const isHit = (control: HTMLElement, x: number, y: number): boolean => {
      const hit = document.elementFromPoint(x, y);
      if (hit === null) return false;
      if (control.contains(hit)) return true;
      return hit.closest('label')?.contains(control) === true || hit.closest('label')?.control === control;
    };
    const isWithinText = (control: HTMLElement): boolean =>
      control.tagName === 'A' &&
      getComputedStyle(control).display === 'inline' &&
      control.parentElement?.textContent !== control.textContent;
    /** Its surroundings have been scrolled so that a part of it is out of sight. */
    const isCut = (control: HTMLElement, top: number, bottom: number): boolean => {
      for (let box = control.parentElement; box !== null; box = box.parentElement) {
        const { overflowY } = getComputedStyle(box);
        if (overflowY !== 'auto' && overflowY !== 'scroll') continue;
        const rect = box.getBoundingClientRect();
        if (top < rect.top || bottom > rect.bottom) return true;
      }
      return false;
    };
    const small: string[] = [];
    for (const control of controls) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || control.closest('[inert]') !== null) continue;
      if (control instanceof HTMLButtonElement && control.disabled) continue;
      if (isWithinText(control)) continue;
      const label = control instanceof HTMLInputElement ? control.labels?.[0] : undefined;
      const own = control.getBoundingClientRect();
      const around = label?.contains(control) === true ? label.getBoundingClientRect() : own;
      const height = Math.max(own.height, around.height);
      const width = Math.max(own.width, around.width);
      if (own.width === 0 || own.height === 0) continue;
      const x = own.left + own.width / 2;
      const y = own.top + own.height / 2;
      // Scrolled out of its box, or under something: seen elsewhere.
      if (x < 0 || y < 24 || x > innerWidth || y > innerHeight - 24 || !isHit(control, x, y)) continue;
      // Of a row of 44 px its border and padding are lost.
      const reach = least / 2 - 3;
      if (isCut(control, y - reach, y + reach)) continue;
      const isHigh = height >= least - 4 || (isHit(control, x, y - reach) && isHit(control, x, y + reach));
      const isWide =
        width >= least - 4 || ((isHit(control, x - reach, y) || x < reach) && (isHit(control, x + reach, y) || x + reach > innerWidth));
      if (!isHigh || !isWide) small.push(`${Math.round(width)}×${Math.round(height)} ${control.outerHTML.slice(0, 140)}`);
    }
    return small;
  });
}

/** Names that two parts of the page have: a screen reader lists them as one. */
export async function repeatedLandmarks(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: { nodes: { html: string }[] }[] }> };
    };
    const { violations } = await checker.run({ runOnly: ['landmark-unique'] });
    return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 200)));
  });
}

async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Fault {
      id: string;
      impact: string | null;
      nodes: { html: string; failureSummary: string }[];
    }
    interface Checker {
      run(options: object): Promise<{ violations: Fault[] }>;
      _audit: { rules: { id: string; impact: string }[] };
    }
    const { axe: checker } = window as unknown as { axe: Checker };
    const isSerious = (impact: string | null) => impact === 'serious' || impact === 'critical';
    // Each rule has one weight for all its findings: lighter ones are skipped, which saves a third of the time.
    const lighter = checker._audit.rules.filter(({ impact }) => !isSerious(impact));
    const rules = Object.fromEntries(lighter.map(({ id }) => [id, { enabled: false }]));
    // Foreign pages in frames are neither ours to check nor reachable. Passed rules are not reported, which saves a quarter of the time.
    const { violations } = await checker.run({ iframes: false, resultTypes: ['violations'], rules });
    return violations
      .filter(({ impact }) => isSerious(impact))
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} - ${failureSummary}`));
  });
}
