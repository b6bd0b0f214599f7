import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueryState } from './query-state.tsx';
import { Following, Together } from './together.tsx';

beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  // Otherwise by a timer, which `act` does not wait for.
  notifyManager.setScheduler(queueMicrotask);
});
afterAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  notifyManager.setScheduler((task) => setTimeout(task, 0));
});

function Part({ name, ask }: { name: string; ask: () => Promise<string> }) {
  const query = useQuery({ queryKey: [name], queryFn: ask });
  return (
    <QueryState query={query} what={name} shape="…">
      {(data) => <b>{data}</b>}
    </QueryState>
  );
}

test('parts are filled together, and the column beside them right after, once all have answered', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const page = document.createElement('div');
  const root = createRoot(page);
  const client = new QueryClient();
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <Together>
          <Part name="first" ask={async () => 'first'} />
          <Following>
            <Part name="second" ask={async () => promise} />
          </Following>
        </Together>
      </QueryClientProvider>,
    ),
  );
  // The first one is there, but the others are not.
  expect([...page.querySelectorAll('b')].map((part) => part.textContent)).toEqual([]);
  expect(page.querySelectorAll('[aria-busy="true"]')).toHaveLength(2);
  await act(async () => resolve('second'));
  expect([...page.querySelectorAll('b')].map((part) => part.textContent)).toEqual(['first', 'second']);
  expect(page.querySelectorAll('[aria-busy="true"]')).toHaveLength(0);
  act(() => root.unmount());
});

test('parts do not wait for what the rest of the page asks for', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const page = document.createElement('div');
  const root = createRoot(page);
  const client = new QueryClient();
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <Part name="elsewhere" ask={() => new Promise(() => {})} />
        <Together>
          <Part name="first" ask={async () => promise} />
        </Together>
      </QueryClientProvider>,
    ),
  );
  await act(async () => {
    resolve('first');
    await promise;
  });
  expect([...page.querySelectorAll('b')].map((part) => part.textContent)).toEqual(['first']);
  act(() => root.unmount());
});
