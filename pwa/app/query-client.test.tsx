import { QueryClientProvider, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, act, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQueryClient } from './query-client.ts';

/** What a screen holds is drawn a moment after its frame, as it was handed over by then. */
function DrawnLater({ children }: { children: ReactNode }) {
  const [isDrawn, setDrawn] = useState(false);
  return isDrawn ? children : <button type="button" onClick={() => setDrawn(true)} />;
}

function List({ query }: { query: UseQueryResult }) {
  return <p aria-busy={query.fetchStatus === 'fetching'}>{query.error === null ? 'well' : 'failed'}</p>;
}

/** Reads the data alone; the list says how the query goes. */
function Screen({ ask }: { ask: () => Promise<string[]> }) {
  const query = useQuery({ queryKey: ['logs'], queryFn: ask });
  return (
    <main title={query.data?.join(' ') ?? ''}>
      <DrawnLater>
        <List query={query} />
      </DrawnLater>
    </main>
  );
}

beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
});
afterAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
});

const rows = ['kept', 'rows'];
const outcomes = {
  'brings what was kept already': { outcome: () => [...rows], said: 'well' },
  fails: { outcome: () => Promise.reject(new Error('x')), said: 'failed' },
};

test.each(Object.entries(outcomes))('a query that %s before the list is drawn is over for the list', async (_name, { outcome, said }) => {
  const client = createQueryClient();
  client.setQueryData(['logs'], rows, { updatedAt: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const page = document.createElement('div');
  const root = createRoot(page);
  const screen = <Screen ask={async () => promise.then(outcome)} />;
  await act(async () => root.render(<QueryClientProvider client={client}>{screen}</QueryClientProvider>));
  expect(client.isFetching()).toBe(1);
  await act(async () => {
    resolve();
    while (client.isFetching() > 0) await new Promise((next) => setTimeout(next));
  });
  await act(async () => page.querySelector('button')?.click());
  expect(page.querySelector('p')?.getAttribute('aria-busy')).toBe('false');
  expect(page.querySelector('p')?.textContent).toBe(said);
  await act(async () => root.unmount());
  client.clear();
});
