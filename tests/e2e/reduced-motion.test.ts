// With reduced motion set in the system, nothing moves: everything is in its place at once.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { startTidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

describeInBrowser('reduced motion', () => {
  it.each(lookInTurn(['desk', 'phone'] as const))('%s: nothing glides, turns or fades', async (size) => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size });
    const { page, context } = visitor;
    await signIn(visitor);
    for (const path of ['/', '/channel/add', '/detail', '/playground', '/setting', '/token?open=1']) {
      await page.goto(path);
      await settle(page);
      const moving = await page.evaluate(() =>
        [...document.querySelectorAll('*')]
          .flatMap((element) => ['', '::before', '::after'].map((part) => ({ element, style: getComputedStyle(element, part) })))
          .filter(({ style }) => [style.transitionDuration, style.animationDuration].some((times) => /[1-9]/.test(times)))
          .map(({ element }) => element.outerHTML.slice(0, 120)),
      );
      expect(moving, path).toEqual([]);
    }
    await context.close();
  });
});
