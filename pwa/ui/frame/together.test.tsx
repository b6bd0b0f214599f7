import { MantineProvider } from '@mantine/core';
import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startScreenTexts } from '#tests/support/console-screen.tsx';
import { QueryState } from './query-state.tsx';
import { Following, Together } from './together.tsx';

beforeAll(async () => {
  await startScreenTexts();
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
        <Together what="Home">
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
        <Together what="Home">
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

describe('failures', () => {
  /** Renders parts whose responses are resolved one by one, and counts their requests. */
  async function open(names: readonly string[], answers: Map<string, () => Promise<string>>) {
    const requested = new Map<string, number>();
    const page = document.createElement('div');
    const root = createRoot(page);
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const ask = (name: string) => async () => {
      requested.set(name, (requested.get(name) ?? 0) + 1);
      return answers.get(name)?.() ?? name;
    };
    await act(async () =>
      root.render(
        <MantineProvider env="test">
          <QueryClientProvider client={client}>
            <Together what="Home">
              {names.map((name) => (
                <Part key={name} name={name} ask={ask(name)} />
              ))}
            </Together>
          </QueryClientProvider>
        </MantineProvider>,
      ),
    );
    const alerts = () => [...page.querySelectorAll('[role=alert]')].map((one) => one.textContent ?? '');
    const filled = () => [...page.querySelectorAll('b')].map((part) => part.textContent);
    const retry = () => act(async () => page.querySelector<HTMLButtonElement>('[role=alert] button')?.click());
    return { requested, alerts, filled, retry, leave: () => act(() => root.unmount()) };
  }
  const names = ['today', 'models', 'balance'];
  const refuse = async (message = 'The server failed'): Promise<string> => {
    throw new Error(message);
  };

  test('a failure of all parts is shown once, and its one retry asks for all of them', async () => {
    const answers = new Map(names.map((name) => [name, () => refuse()]));
    const home = await open(names, answers);
    expect(home.alerts()).toEqual([expect.stringContaining('Home')]);
    expect(home.alerts()[0]).toContain('The server failed');
    await home.retry();
    // Still the same one.
    expect(home.alerts()).toHaveLength(1);
    answers.clear();
    await home.retry();
    expect(home.alerts()).toEqual([]);
    expect(home.filled()).toEqual(names);
    expect([...home.requested.values()]).toEqual([3, 3, 3]);
    home.leave();
  });

  test('what most parts share is shown once, and the others are there', async () => {
    const home = await open(
      names,
      new Map([
        ['today', () => refuse()],
        ['models', () => refuse()],
      ]),
    );
    expect(home.alerts()).toEqual([expect.stringContaining('Home')]);
    expect(home.filled()).toEqual(['balance']);
    home.leave();
  });

  test('a part that fails alone, or in another way, says so in its own place', async () => {
    const alone = await open(names, new Map([['models', () => refuse()]]));
    expect(alone.alerts()).toEqual([expect.stringContaining('models')]);
    expect(alone.filled()).toEqual(['today', 'balance']);
    alone.leave();
    const apart = await open(names, new Map(names.map((name) => [name, () => refuse(`No ${name}`)])));
    expect(apart.alerts()).toEqual(names.map((name) => expect.stringContaining(`No ${name}`)));
    apart.leave();
  });
});
