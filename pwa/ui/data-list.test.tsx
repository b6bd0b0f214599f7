import { MantineProvider } from '@mantine/core';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTexts } from '#pwa/i18n/setup.ts';
import type { Column } from './columns.tsx';
import { DataList, type DataListProps } from './data-list.tsx';
import { useSelection } from './selection.ts';

interface Row {
  id: number;
  name: string;
}
const columns: Column<Row>[] = [
  { key: 'id', heading: 'ID', cell: (row) => row.id },
  { key: 'name', heading: 'Name', cell: (row) => row.name, card: 'title' },
];
const rows: Row[] = [
  { id: 1, name: 'one' },
  { id: 2, name: 'two' },
  { id: 3, name: 'three' },
];
const answered = { data: rows, error: null, fetchStatus: 'idle', dataUpdatedAt: Date.now(), refetch: () => {} } as const;

let root: Root;
let opened: (string | undefined)[];

beforeAll(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  localStorage.setItem('i18nextLng', 'en');
  await startTexts();
});
beforeEach(() => {
  opened = [];
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  root = createRoot(place);
});
afterEach(() => act(() => root.unmount()));

function draw(element: ReactNode): void {
  act(() => root.render(<MantineProvider>{element}</MantineProvider>));
}

function List(props: Partial<DataListProps<Row, number>>) {
  const selection = useSelection<number>();
  return (
    <DataList
      label="Things"
      query={answered}
      rows={rows}
      columns={columns}
      rowKey={(row) => row.id}
      rowName={(row) => row.name}
      onOpen={(key) => opened.push(key)}
      selection={selection}
      bulkActions={<button type="button">Delete</button>}
      empty={{ title: 'Nothing here', text: 'Make one.' }}
      {...props}
    />
  );
}

function press(key: string): void {
  act(() => {
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  });
}
const focusedRow = () => (document.activeElement instanceof HTMLElement ? document.activeElement.dataset.rowKey : undefined);
const text = () => document.body.textContent ?? '';

describe('data-list', () => {
  test('is a real table with named columns', () => {
    draw(<List />);
    expect(document.querySelector('table')?.getAttribute('aria-label')).toBe('Things');
    expect([...document.querySelectorAll('thead th')].map((head) => head.textContent)).toEqual(['', 'ID', 'Name']);
    expect(document.querySelectorAll('tbody tr')).toHaveLength(3);
  });

  describe('pages', () => {
    const pager = { page: 1, size: 10, onPage: () => {}, onSize: () => {} };
    const nav = () => document.querySelector('nav');

    test('of nothing are none', () => {
      draw(<List rows={[]} pager={{ ...pager, total: 0 }} />);
      expect(text()).toContain('Nothing here');
      expect(nav()).toBeNull();
    });

    test('beyond the last one lead back', () => {
      let asked = 0;
      draw(<List rows={[]} pager={{ ...pager, page: 4, total: 12, onPage: (page) => (asked = page) }} />);
      expect(nav()).not.toBeNull();
      expect(asked).toBe(2);
    });

    test('have buttons only when there are several', () => {
      draw(<List pager={{ ...pager, total: 3 }} />);
      expect(nav()?.textContent).toContain('Items 1 - 3 of 3');
      expect(nav()?.querySelector('button')).toBeNull();
      draw(<List pager={{ ...pager, size: 2, total: 3 }} />);
      expect(nav()?.querySelectorAll('button')).toHaveLength(2);
    });
  });

  test('a failure names the request, and offers nothing to walk through', () => {
    const error = Object.assign(new Error('broken'), { requestId: 'r-77', details: '' });
    draw(<List rows={undefined} query={{ ...answered, data: undefined, error, dataUpdatedAt: 0 }} />);
    expect(document.querySelector('[role=alert]')?.textContent).toContain('r-77');
    expect(document.querySelector('footer')).toBeNull();
  });

  test('J and K walk, Enter opens, Space ticks, Esc unticks', () => {
    draw(<List />);
    press('j');
    expect(focusedRow()).toBe('1');
    press('j');
    press('j');
    press('j');
    expect(focusedRow()).toBe('3');
    press('k');
    expect(focusedRow()).toBe('2');
    press('Enter');
    expect(opened).toEqual(['2']);
    press(' ');
    expect(text()).toContain('1 selected');
    expect(document.querySelector('[role=toolbar]')).not.toBeNull();
    press('Escape');
    expect(document.querySelector('[role=toolbar]')).toBeNull();
  });

  test('with a record open, J opens the next one and Esc closes it', () => {
    draw(<List open="2" />);
    press('j');
    press('Escape');
    expect(opened).toEqual(['3', undefined]);
  });

  test('keys mean nothing to the list while somebody types', () => {
    draw(
      <>
        <input />
        <List />
      </>,
    );
    document.querySelector('input')?.focus();
    press('j');
    expect(focusedRow()).toBeUndefined();
  });

  test('an empty list says what would be here; with filters set it offers to clear them', () => {
    draw(<List rows={[]} />);
    expect(text()).toContain('Nothing here');
    let isCleared = false;
    draw(<List rows={[]} filtersSet={2} onClearFilters={() => (isCleared = true)} />);
    expect(text()).toContain('2 filters are set');
    act(() => [...document.querySelectorAll('button')].find((button) => button.textContent === 'Clear filters')?.click());
    expect(isCleared).toBe(true);
  });

  test('a failed refresh keeps the rows and says how old they are', () => {
    let retries = 0;
    draw(<List query={{ ...answered, error: new Error('Bad gateway'), refetch: () => (retries += 1) }} />);
    expect(document.querySelectorAll('tbody tr')).toHaveLength(3);
    expect(text()).toContain('Things could not be loaded');
    expect(text()).toContain('The rows below are from');
    act(() => [...document.querySelectorAll('button')].find((button) => button.textContent === 'Try again')?.click());
    expect(retries).toBe(1);
  });

  test('a list that was never opened with a network says so', () => {
    draw(<List rows={undefined} query={{ ...answered, data: undefined, fetchStatus: 'paused', dataUpdatedAt: 0 }} />);
    expect(text()).toContain('Not on this device yet');
  });

  test('rows of a group stand under its heading', () => {
    draw(<List group={(row) => ({ key: row.id < 3 ? 'a' : 'b', label: row.id < 3 ? 'First' : 'Second' })} />);
    expect([...document.querySelectorAll('tbody tr')].map((row) => row.textContent)).toEqual(['First', '1one', '2two', 'Second', '3three']);
  });
});
