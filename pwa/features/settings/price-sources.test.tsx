import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTexts } from '#pwa/i18n/setup.ts';
import { mapsOf, type PriceKey, type PriceMaps } from './price-rows.ts';
import { PriceSources } from './price-sources.tsx';
import { shows } from '#tests/support/shows.ts';

let root: Root;
let typed: ReadonlyMap<PriceKey, string>[];

beforeAll(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  localStorage.setItem('i18nextLng', 'en');
  await startTexts();
});
beforeEach(() => {
  typed = [];
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  root = createRoot(place);
});
afterEach(() => act(() => root.unmount()));

function draw(unpriced: readonly string[]): void {
  const maps: PriceMaps | undefined = mapsOf((key) => (key === 'ModelRatio' ? '{"other":1}' : '{}'));
  if (maps === undefined) throw new Error('No maps');
  act(() =>
    root.render(
      <MantineProvider>
        <PriceSources maps={maps} unpriced={unpriced} quotaPerUnit={500_000} actions={[]} onTexts={(texts) => typed.push(texts)} />
      </MantineProvider>,
    ),
  );
}
const buttons = () => [...document.querySelectorAll('button')];
const alertText = () => document.querySelector('[role=alert]')?.textContent;

async function give(text: string): Promise<void> {
  const input = document.querySelector('input');
  Object.defineProperty(input, 'files', { value: [new File([text], 'prices.json')], configurable: true });
  await act(async () => void input?.dispatchEvent(new Event('change', { bubbles: true })));
}

describe('where prices come from', () => {
  test('the catalogue is an edit of the models without a price that it knows', async () => {
    draw(['claude-haiku-4-5', 'nobody-knows-it']);
    act(() => buttons()[0]?.click());
    await shows(() => expect(typed).toHaveLength(1));
    expect(JSON.parse(typed[0]?.get('ModelRatio') ?? '')).toEqual({ other: 1, 'claude-haiku-4-5': 0.5 });
    expect(typed[0]?.has('ModelPrice')).toBe(false);
  });

  test('models that the catalogue does not know are told of, and nothing is typed', async () => {
    draw(['nobody-knows-it']);
    act(() => buttons()[0]?.click());
    await shows(() => expect(alertText()).toContain('catalogue'));
    expect(typed).toEqual([]);
    draw([]);
    expect(buttons()[0]?.disabled).toBe(true);
  });

  test('a file is an edit of the maps that it has; what is none is refused', async () => {
    draw([]);
    await give('{"ModelRatio":{"x":"much"}}');
    await shows(() => expect(alertText()).toContain('file'));
    expect(typed).toEqual([]);
    await give('{"CacheRatio":{"x":0.1}}');
    await shows(() => expect(typed).toHaveLength(1));
    expect([...(typed[0] ?? [])].map(([key, text]) => [key, JSON.parse(text)])).toEqual([['CacheRatio', { x: 0.1 }]]);
    expect(alertText()).toBeUndefined();
  });

  test('a file that holds the prices that are here types nothing', async () => {
    draw([]);
    for (const text of ['{"ModelRatio":{"other":1}}', '{"ModelRatio":{"other":1},"CacheRatio":{}}']) await give(text);
    expect(typed).toEqual([]);
    for (const text of ['{"ModelRatio":{}}', '{"ModelRatio":{"other":1,"more":2}}', '{"ModelRatio":{"other":2}}']) await give(text);
    await shows(() => expect(typed).toHaveLength(3));
  });
});
