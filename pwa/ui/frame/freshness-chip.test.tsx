import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { chooseLanguage, startTexts } from '#pwa/i18n/setup.ts';
import { type Freshness, FreshnessChip, useFreshnessLabels } from './freshness-chip.tsx';

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

/** What is seen, what the chip is called, and what is read aloud when it changes. */
function chip({ isPhone = false, ...given }: Partial<Freshness> & { isPhone?: boolean }): { seen: string; name: string; aloud: string } {
  const media = { matches: isPhone, addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('matchMedia', () => media);
  const freshness: Freshness = { connection: 'online', ageSeconds: 0, waiting: 0, conflicts: 0, ...given };
  let words = { whole: '', state: '' };
  function Words() {
    words = useFreshnessLabels(freshness);
    return null;
  }
  act(() =>
    root.render(
      <MantineProvider>
        <FreshnessChip {...freshness} />
        <Words />
      </MantineProvider>,
    ),
  );
  const seen = [...document.querySelectorAll('[data-part=freshness] span:not(:has(span))')].map((element) => element.textContent);
  return { seen: seen.join(' '), name: words.whole, aloud: words.state };
}

test('freshness: offline always comes with the age, in short on a phone', () => {
  expect(chip({ connection: 'offline', ageSeconds: 200 })).toMatchObject({ seen: 'Offline · 3 min old', name: 'offline, 3 min old' });
  expect(chip({ connection: 'offline', ageSeconds: 200, isPhone: true })).toMatchObject({
    seen: 'Offline · 3m',
    name: 'offline, 3 min old',
  });
  expect(chip({ connection: 'offline', ageSeconds: 20, isPhone: true })).toMatchObject({
    seen: 'Offline · <1m',
    name: 'offline, under 1 min old',
  });
  expect(chip({ connection: 'offline', ageSeconds: 8000, isPhone: true }).seen).toBe('Offline · 2h');
});

test('freshness: offline and nothing shown yet has no age', () => {
  expect(chip({ connection: 'offline', ageSeconds: undefined })).toMatchObject({ seen: 'Offline', name: 'offline' });
});

test('freshness: waiting edits stand beside offline and its age', () => {
  expect(chip({ connection: 'offline', ageSeconds: 200, waiting: 2, isPhone: true })).toMatchObject({
    seen: 'Offline · 3m 2',
    name: 'offline, 3 min old, 2 edits waiting',
  });
});

test('freshness: online, the age takes the place of Live', () => {
  expect(chip({ ageSeconds: 20 })).toMatchObject({ seen: 'Live', name: 'live' });
  expect(chip({ ageSeconds: 200 })).toMatchObject({ seen: '3 min old', name: '3 min old' });
});

test('freshness: the name says all of it, even where two segments show', () => {
  const all = { connection: 'offline', ageSeconds: 200, waiting: 2, conflicts: 1 } as const;
  expect(chip(all)).toMatchObject({ seen: '1 conflict 2 edits waiting', name: 'offline, 3 min old, 2 edits waiting, 1 conflict' });
});

test('freshness: what is read aloud changes with the state, not with the age', () => {
  expect(chip({ connection: 'offline', ageSeconds: 60 }).aloud).toBe(chip({ connection: 'offline', ageSeconds: 7000 }).aloud);
  expect(chip({ ageSeconds: 5 }).aloud).toBe(chip({ ageSeconds: 700 }).aloud);
  const reported = [
    chip({}),
    chip({ connection: 'offline' }),
    chip({ connection: 'server_away' }),
    chip({ waiting: 1 }),
    chip({ waiting: 1, conflicts: 1 }),
  ];
  expect(new Set(reported.map(({ aloud }) => aloud)).size).toBe(reported.length);
});

test('freshness: in Chinese it is one sentence too', async () => {
  await act(() => chooseLanguage('zh'));
  expect(chip({ connection: 'offline', ageSeconds: 200, waiting: 2 }).name).toBe('离线，3 分钟前，2 项修改待发送');
  await act(() => chooseLanguage('en'));
});
