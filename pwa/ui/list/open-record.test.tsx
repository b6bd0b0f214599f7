import { afterEach, expect, it } from 'vitest';
import { type DrawnScreen, drawScreen } from '#tests/support/console-screen.tsx';
import { useState } from 'react';
import { useOpenRecord } from './use-list-screen.ts';

const all = [{ id: 7 }, { id: 8 }, { id: 9 }];
let screen: DrawnScreen;

afterEach(() => screen.leave());

/** A list with a panel; `Narrow` takes the open record out of it, as a search does. */
function List({ first }: { first: string | undefined }) {
  const [open, setOpen] = useState(first);
  const [rows, setRows] = useState<{ id: number }[] | undefined>(all);
  const { row, onPrevious, onNext } = useOpenRecord({ open, onOpen: setOpen }, { rows, rowKey: ({ id }) => id });
  return (
    <>
      <p>{`panel ${row?.id ?? 'none'}`}</p>
      <button disabled={onPrevious === undefined} onClick={onPrevious}>
        previous
      </button>
      <button disabled={onNext === undefined} onClick={onNext}>
        next
      </button>
      <button onClick={() => setRows([{ id: 7 }])}>narrow</button>
      <button onClick={() => setRows(undefined)}>load</button>
      <button onClick={() => setOpen(undefined)}>close</button>
      <button onClick={() => setOpen('8')}>open</button>
    </>
  );
}

it('open-record: has ways to its neighbours, and none beyond the page', () => {
  screen = drawScreen(<List first="8" />);
  expect(screen.text()).toContain('panel 8');
  screen.press('previous');
  expect(screen.text()).toContain('panel 7');
  expect(screen.button('previous').disabled).toBe(true);
  screen.press('next');
  screen.press('next');
  expect(screen.text()).toContain('panel 9');
  expect(screen.button('next').disabled).toBe(true);
});

it('open-record: stays what it was when a search takes it out of the list', () => {
  screen = drawScreen(<List first="8" />);
  screen.press('narrow');
  expect(screen.text()).toContain('panel 8');
  expect(screen.button('next').disabled).toBe(true);
  screen.press('load');
  expect(screen.text()).toContain('panel 8');
  screen.press('close');
  expect(screen.text()).toContain('panel none');
  screen.press('open');
  expect(screen.text()).toContain('panel none');
});

it('open-record: a record that never was on the list is none', () => {
  screen = drawScreen(<List first="70" />);
  expect(screen.text()).toContain('panel none');
});
