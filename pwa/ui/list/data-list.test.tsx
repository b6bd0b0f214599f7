import { MantineProvider } from '@mantine/core';
import { act, type ReactNode, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTexts } from '#pwa/i18n/setup.ts';
import { type Column, ColumnPicker, useColumns } from './columns.tsx';
import { DataCards } from './data-cards.tsx';
import { DataList, type DataListProps } from './data-list.tsx';
import { useSelection } from './selection.ts';
import { shows } from '#tests/support/shows.ts';

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
  test('is busy until its rows stand there', () => {
    draw(<List rows={undefined} query={{ ...answered, data: undefined, fetchStatus: 'fetching', dataUpdatedAt: 0 }} />);
    expect(document.querySelector('tbody')?.getAttribute('aria-busy')).toBe('true');
    draw(<List />);
    expect(document.querySelector('[aria-busy="true"]')).toBeNull();
  });

  test('is a real table with named columns', () => {
    draw(<List />);
    expect(document.querySelector('table')?.getAttribute('aria-label')).toBe('Things');
    expect([...document.querySelectorAll('thead th')].map((head) => head.textContent)).toEqual(['', 'ID', 'Name']);
    expect(document.querySelectorAll('tbody tr')).toHaveLength(3);
  });

  test('is drawn in slices: ten rows, then five at a time', () => {
    vi.useFakeTimers();
    try {
      const many = Array.from({ length: 22 }, (_row, place) => ({ id: place + 1, name: `row ${place + 1}` }));
      draw(<List rows={many} />);
      const drawn = () => document.querySelectorAll('tbody tr').length;
      const seen = [drawn()];
      while (drawn() < many.length) {
        act(() => {
          vi.advanceTimersToNextTimer();
        });
        seen.push(drawn());
        if (seen.length > 20) break;
      }
      expect([...new Set(seen)]).toEqual([10, 15, 20, 22]);
    } finally {
      vi.useRealTimers();
    }
  });

  describe('pages', () => {
    const pager = { page: 1, size: 10, onPage: () => {}, onSize: () => {} };
    const nav = () => document.querySelector('nav');

    test('of nothing are none', () => {
      draw(<List rows={[]} pager={{ ...pager, total: 0 }} />);
      expect(text()).toContain('Nothing here');
      expect(nav()).toBeNull();
    });

    test('that are short offer the next size where their rows end, and it is kept', () => {
      let requested = 0;
      const offer = () => [...document.querySelectorAll('button')].find((button) => button.textContent === 'Show 20 per page');
      draw(<List pager={{ ...pager, total: 10 }} />);
      expect(offer(), 'all are shown').toBeUndefined();
      draw(<List pager={{ ...pager, size: 50, total: 300 }} />);
      expect(text(), 'a long page needs none').not.toContain('Show 100 per page');
      draw(<List pager={{ ...pager, total: 33, onSize: (size) => (requested = size) }} />);
      act(() => offer()?.click());
      expect(requested).toBe(20);
      expect(localStorage.getItem('page-size')).toBe('20');
      localStorage.removeItem('page-size');
    });

    test('beyond the last one lead back', () => {
      let requested = 0;
      draw(<List rows={[]} pager={{ ...pager, page: 4, total: 12, onPage: (page) => (requested = page) }} />);
      expect(nav()).not.toBeNull();
      expect(requested).toBe(2);
    });

    test('beyond an exact total go on until one is not full', () => {
      const next = () => [...document.querySelectorAll('button')].find((button) => button.textContent === 'Next');
      draw(<List pager={{ ...pager, page: 4, size: 3, total: 10, isLowerBound: true, shown: 3 }} />);
      expect(nav()?.textContent).toContain('Items 10 - 12 of more than 10');
      expect(next()?.disabled).toBe(false);
      draw(<List pager={{ ...pager, page: 5, size: 3, total: 10, isLowerBound: true, shown: 2 }} />);
      expect(nav()?.textContent).toContain('Items 13 - 14 of 14');
      expect(next()?.disabled).toBe(true);
    });

    test('have buttons only when there are several', () => {
      draw(<List pager={{ ...pager, total: 3 }} />);
      expect(nav()?.textContent).toContain('Items 1 - 3 of 3');
      expect(nav()?.querySelector('button')).toBeNull();
      draw(<List pager={{ ...pager, size: 2, total: 3 }} />);
      expect(nav()?.querySelectorAll('button')).toHaveLength(2);
    });
  });

  test('Enter on the row that is open goes into the panel, and the row has the focus again once it has closed', () => {
    const drawBeside = (open: string | undefined, hasPanel: boolean) =>
      draw(
        <>
          <main>
            <List open={open} />
          </main>
          {hasPanel && (
            <aside tabIndex={-1}>
              <button type="button">Close</button>
            </aside>
          )}
        </>,
      );
    const row = (key: number) => document.querySelector<HTMLElement>(`[data-row-key="${key}"]`);
    const pressEnter = () =>
      act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
    drawBeside(undefined, false);
    act(() => row(2)?.focus());
    pressEnter();
    expect(opened).toEqual(['2']);
    drawBeside('2', true);
    expect(document.activeElement).toBe(row(2));
    pressEnter();
    expect(opened).toEqual(['2']);
    expect(document.activeElement?.tagName).toBe('ASIDE');
    // Walked to another record from within the panel.
    drawBeside('3', true);
    drawBeside(undefined, false);
    expect(document.activeElement).toBe(row(3));
    // Closed while the user was on another screen.
    drawBeside('1', true);
    act(() => document.querySelector<HTMLElement>('thead input')?.focus());
    const elsewhere = document.activeElement;
    drawBeside(undefined, false);
    expect(document.activeElement).toBe(elsewhere);
  });

  test('how many rows are ticked is said, and the row has the focus again once the bar of them has gone', () => {
    draw(<List />);
    const row = document.querySelector<HTMLElement>('[data-row-key="2"]');
    const pressThere = (key: string) =>
      act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
    act(() => row?.focus());
    pressThere(' ');
    expect(document.querySelector('[role=status]')?.textContent).toBe('1 selected');
    act(() => document.querySelector<HTMLElement>('[role=toolbar] button')?.focus());
    pressThere('Escape');
    expect(document.querySelector('[role=toolbar]')).toBeNull();
    expect(document.querySelector('[role=status]')?.textContent).toBe('');
    expect(document.activeElement).toBe(row);
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

  describe('column choice', () => {
    const wide: Column<Row>[] = [
      { key: 'name', heading: 'Name', cell: (row) => row.name, width: 100, isLocked: true },
      { key: 'place', heading: 'Place', cell: () => 'here', width: 100, leave: 1 },
      { key: 'note', heading: 'Note', cell: () => 'none', width: 100, leave: 2 },
    ];
    function Chosen() {
      const chosen = useColumns(wide, 'test-columns');
      return (
        <>
          <ColumnPicker chosen={chosen} />
          <DataList
            label="Things"
            query={answered}
            rows={rows}
            columns={chosen.shown}
            room={chosen.room}
            rowKey={(row) => row.id}
            rowName={(row) => row.name}
            empty={{ title: 'Nothing here', text: 'Make one.' }}
          />
        </>
      );
    }
    const box = (heading: string) => {
      const label = [...document.querySelectorAll('label')].find((one) => one.textContent.startsWith(heading));
      const input = label?.querySelector('input');
      if (label === undefined || input === null || input === undefined) throw new Error(`no choice ${heading}`);
      return { label, input };
    };
    const heads = () => [...document.querySelectorAll('thead th')].map((head) => head.textContent);
    beforeEach(() => localStorage.removeItem('test-columns'));

    test('a column without room is not ticked and says why; the least important has left first', () => {
      const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(220);
      try {
        draw(<Chosen />);
        expect(heads()).toEqual(['Name', 'Place']);
        act(() => document.querySelector<HTMLButtonElement>('[aria-label="Columns"]')?.click());
        expect(box('Place').input.checked).toBe(true);
        expect(box('Note').input.checked).toBe(false);
        expect(box('Note').label.textContent).toContain('No room');
        // Pressing it changes nothing that is remembered; room for it does.
        act(() => box('Note').input.click());
        expect(localStorage.getItem('test-columns')).toBeNull();
        act(() => box('Place').input.click());
        expect(heads()).toEqual(['Name', 'Note']);
        expect(box('Note').input.checked).toBe(true);
        expect(box('Note').label.textContent).toBe('Note');
      } finally {
        width.mockRestore();
      }
    });

    test('a column with a width is wider where there is room, and that leaves in its turn', () => {
      const comfortable = wide.map((column) => (column.key === 'place' ? { ...column, comfort: { width: 180, leave: 2 } } : column));
      const widths = () => document.querySelector<HTMLElement>('table')?.style.getPropertyValue('--columns') ?? '';
      const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(440);
      try {
        draw(<List columns={comfortable} />);
        expect([heads(), widths()]).toEqual([['', 'Name', 'Place', 'Note'], expect.stringContaining('180px')]);
        width.mockReturnValue(400);
        draw(<List key="narrow" columns={comfortable} />);
        expect([heads(), widths()]).toEqual([['', 'Name', 'Place'], expect.stringContaining('180px')]);
        width.mockReturnValue(300);
        draw(<List key="narrower" columns={comfortable} />);
        expect([heads(), widths()]).toEqual([['', 'Name', 'Place'], expect.not.stringContaining('180px')]);
      } finally {
        width.mockRestore();
      }
    });
  });

  test('a card has its picture until rows are chosen, when the box takes its place', () => {
    const pictured: Column<Row>[] = [
      { key: 'picture', heading: 'Picture', cell: (row) => <img alt={row.name} />, card: 'picture' },
      ...columns,
    ];
    const Cards = () => (
      <DataCards
        label="Things"
        query={answered}
        rows={rows}
        columns={pictured}
        rowKey={(row) => row.id}
        rowName={(row) => row.name}
        selection={useSelection<number>()}
        empty={{ title: '', text: '' }}
        cursor={undefined}
        onCursor={() => {}}
      />
    );
    draw(<Cards />);
    expect([...document.querySelectorAll('li img')].map((one) => one.getAttribute('alt'))).toEqual(['one', 'two', 'three']);
    act(() => document.querySelector<HTMLButtonElement>('button[aria-pressed]')?.click());
    expect(document.querySelectorAll('li img')).toHaveLength(0);
    expect(document.querySelectorAll('li input[type=checkbox]')).toHaveLength(3);
  });

  describe('of a hundred rows', () => {
    const hundred: Row[] = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `row ${index + 1}` }));
    let cells: number[];
    const counting: Column<Row>[] = [
      {
        key: 'name',
        heading: 'Name',
        cell: (row) => {
          cells.push(row.id);
          return row.name;
        },
        card: 'title',
      },
    ];
    function Opened() {
      const [open, setOpen] = useState<string>();
      // Widths and handlers are new each time, as they are when a screen opens its panel.
      const resized = counting.map((column) => ({ ...column, width: open === undefined ? 200 : 100 }));
      return <List rows={[...hundred]} columns={resized} open={open} onOpen={setOpen} isMuted={(row) => row.id % 2 === 0} />;
    }
    async function drawWhole(): Promise<void> {
      cells = [];
      await act(async () =>
        root.render(
          <MantineProvider>
            <Opened />
          </MantineProvider>,
        ),
      );
      await shows(async () => {
        // Each turn draws the next portion.
        await act(() => new Promise((resolve) => setTimeout(resolve)));
        expect(new Set(cells).size).toBe(100);
      });
      cells = [];
    }
    const drawn = (): number[] => [...new Set(cells.splice(0))].sort((one, other) => one - other);

    test('opening one and J and K draw two of them anew', async () => {
      await drawWhole();
      press('j');
      press('j');
      expect(drawn()).toEqual([1, 2]);
      press('Enter');
      expect(drawn()).toEqual([2]);
      press('j');
      expect(drawn()).toEqual([2, 3]);
      press('k');
      expect(drawn()).toEqual([2, 3]);
      press('Escape');
      expect(drawn()).toEqual([2]);
      press(' ');
      expect(drawn()).toEqual([2]);
    });

    test('the ones in sight are drawn at once, and room is kept for the others', () => {
      cells = [];
      draw(<List rows={hundred} columns={counting} />);
      expect(drawn().length).toBeLessThan(20);
      expect(document.querySelector<HTMLElement>('tbody')?.style.paddingBottom).toContain('90');
    });
  });
});
