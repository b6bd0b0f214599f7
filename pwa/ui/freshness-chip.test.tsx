import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTexts } from '#pwa/i18n/setup.ts';
import { FreshnessChip } from './freshness-chip.tsx';

let root: Root;
beforeAll(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  localStorage.setItem('i18nextLng', 'en');
  await startTexts();
});
beforeEach(() => {
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  root = createRoot(place);
});
afterEach(() => {
  act(() => root.unmount());
  vi.unstubAllGlobals();
});

type Chip = Partial<Parameters<typeof FreshnessChip>[0]>;

/** What is seen, and what is read aloud. */
function chip({ isPhone = false, ...props }: Chip & { isPhone?: boolean }): { seen: string; heard: string } {
  const media = { matches: isPhone, addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('matchMedia', () => media);
  act(() =>
    root.render(
      <MantineProvider>
        <FreshnessChip connection="online" ageSeconds={0} waiting={0} conflicts={0} {...props} />
      </MantineProvider>,
    ),
  );
  const textWithout = (selector: string): string => {
    const copy = document.querySelector('[role=status]')?.cloneNode(true);
    if (!(copy instanceof Element)) throw new Error('There is no chip');
    for (const element of copy.querySelectorAll(selector)) element.remove();
    return [...copy.querySelectorAll('span:not(:has(span))')].map((element) => element.textContent).join(' ');
  };
  return { seen: textWithout('.visually-hidden'), heard: textWithout('[aria-hidden]') };
}

test('freshness: offline always comes with the age, in short on a phone', () => {
  expect(chip({ connection: 'offline', ageSeconds: 200 })).toEqual({ seen: 'Offline · 3 min old', heard: 'Offline 3 min old' });
  expect(chip({ connection: 'offline', ageSeconds: 200, isPhone: true })).toEqual({ seen: 'Offline · 3m', heard: 'Offline 3 min old' });
  expect(chip({ connection: 'offline', ageSeconds: 20, isPhone: true })).toEqual({
    seen: 'Offline · <1m',
    heard: 'Offline under 1 min old',
  });
  expect(chip({ connection: 'offline', ageSeconds: 8000, isPhone: true }).seen).toBe('Offline · 2h');
});

test('freshness: offline and nothing shown yet has no age', () => {
  expect(chip({ connection: 'offline', ageSeconds: undefined }).seen).toBe('Offline');
});

test('freshness: waiting edits stand beside offline and its age', () => {
  expect(chip({ connection: 'offline', ageSeconds: 200, waiting: 2, isPhone: true })).toEqual({
    seen: 'Offline · 3m 2',
    heard: 'Offline 3 min old 2 edits waiting',
  });
});

test('freshness: online, the age takes the place of Live', () => {
  expect(chip({ ageSeconds: 20 }).seen).toBe('Live');
  expect(chip({ ageSeconds: 200 }).seen).toBe('3 min old');
});
