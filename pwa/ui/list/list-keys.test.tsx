import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { useRegisteredShortcuts } from '#pwa/ui/frame/shortcuts.ts';
import { isElsewhere, useListKeys } from './list-keys.ts';
import { fillingPageSize, ListSearch, rememberedPageSize, rememberPageSize, SearchInt, windowPageSize } from './list-search.ts';
import { useSelection } from './selection.ts';

let screen: DrawnScreen;
let reported: string[];
beforeAll(() => startScreenTexts());
beforeEach(() => (reported = []));
afterEach(() => screen.leave());

interface At {
  cursor?: string;
  open?: string;
  canTick?: boolean;
}

function draw({ cursor, open, canTick = true }: At = {}): void {
  function Rows() {
    useListKeys({
      keys: ['a', 'b', 'c'],
      cursor,
      open,
      onCursor: (key) => reported.push(`cursor ${key}`),
      onOpen: (key) => reported.push(`open ${key ?? 'nothing'}`),
      onToggle: canTick ? (key) => reported.push(`tick ${key}`) : undefined,
      onClear: canTick ? () => reported.push('clear') : undefined,
    });
    return (
      <>
        <button type="button" data-row-key="b">
          row
        </button>
        <input aria-label="search" />
      </>
    );
  }
  screen = drawScreen(<Rows />);
}

/** True: the browser's own meaning of the key is off. */
function press(key: string, { on = document.body, ...modifiers }: { on?: Element; ctrlKey?: boolean } = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  on.dispatchEvent(event);
  return event.defaultPrevented;
}
const row = () => document.querySelector('[data-row-key]') ?? document.body;

describe('list-keys', () => {
  test('J and K walk, from nowhere to the first, and not beyond the ends', () => {
    draw();
    expect(press('j')).toBe(true);
    screen.leave();
    draw({ cursor: 'a' });
    press('j');
    press('k');
    screen.leave();
    draw({ cursor: 'c' });
    press('j');
    expect(reported).toEqual(['cursor a', 'cursor b', 'cursor a', 'cursor c']);
  });

  test('an open record walks along', () => {
    draw({ cursor: 'b', open: 'b' });
    press('j');
    expect(reported).toEqual(['cursor c', 'open c']);
  });

  test('arrows and Enter and Space mean something on a row only', () => {
    draw({ cursor: 'b' });
    for (const key of ['ArrowDown', 'Enter', ' ']) expect(press(key)).toBe(false);
    expect(reported).toEqual([]);
    press('ArrowDown', { on: row() });
    press('Enter', { on: row() });
    press(' ', { on: row() });
    expect(reported).toEqual(['cursor c', 'open b', 'tick b']);
  });

  test('Esc closes what is open, then unticks; without either it is left to others', () => {
    draw({ open: 'b' });
    press('Escape');
    screen.leave();
    draw();
    press('Escape');
    screen.leave();
    draw({ canTick: false });
    expect(press('Escape')).toBe(false);
    expect(reported).toEqual(['open nothing', 'clear']);
  });

  test('nobody who types, holds a modifier or looks at a dialog is disturbed', () => {
    draw({ cursor: 'a' });
    press('j', { on: document.querySelector('input') ?? document.body });
    press('j', { ctrlKey: true });
    const dialog = document.createElement('div');
    dialog.setAttribute('role', 'dialog');
    dialog.setAttribute('aria-modal', 'true');
    document.body.append(dialog);
    press('j');
    expect(isElsewhere(document.body)).toBe(true);
    dialog.remove();
    expect(isElsewhere(document.body)).toBe(false);
    expect(reported).toEqual([]);
    press('j');
    expect(reported).toEqual(['cursor b']);
  });

  test('the keys that work are told to whoever lists them, while the list is there', () => {
    function Reported() {
      const heard = useRegisteredShortcuts();
      return <output>{heard.map(({ text }) => text).join(' ')}</output>;
    }
    function Keys() {
      useListKeys({
        keys: [],
        cursor: undefined,
        open: undefined,
        onCursor: () => {},
        onOpen: undefined,
        onToggle: () => {},
        onClear: undefined,
      });
      return null;
    }
    screen = drawScreen(
      <>
        <Keys />
        <Keys />
        <Reported />
      </>,
    );
    expect(document.querySelector('output')?.textContent).toBe('common.keys.walk common.keys.open common.keys.close common.keys.tick');
    screen.leave();
    screen = drawScreen(<Reported />);
    expect(document.querySelector('output')?.textContent).toBe('');
  });
});

describe('selection', () => {
  test('ticks of several pages stay together; all of a page go at once', async () => {
    let selection: ReturnType<typeof useSelection<number>> | undefined;
    function Ticks() {
      selection = useSelection<number>();
      return null;
    }
    screen = drawScreen(<Ticks />);
    const keys = () => [...(selection?.keys ?? [])];
    selection?.toggle(1);
    selection?.set([2, 3], true);
    selection?.set([3, 4], true);
    await shows(() => expect(keys()).toEqual([1, 2, 3, 4]));
    selection?.toggle(2);
    selection?.set([3, 9], false);
    await shows(() => expect(keys()).toEqual([1, 4]));
    selection?.clear();
    await shows(() => expect(keys()).toEqual([]));
  });
});

describe('list-search', () => {
  test.each([
    [{}, {}],
    [
      { p: '3', size: '50', open: 'x' },
      { p: 3, size: 50, open: 'x' },
    ],
    [{ p: '0', size: '7' }, {}],
    [{ p: '-1' }, {}],
    [{ p: '1.5' }, {}],
    [{ p: 'many' }, {}],
    [{ p: '99999999' }, {}],
    [{ open: 42 }, { open: '42' }],
    [{ open: '' }, {}],
    [{ open: { $ne: '' } }, {}],
    [{ size: 100 }, { size: 100 }],
  ])('%j in the address is read as %j', (address, read) => {
    screen = drawScreen(null);
    const parsed = ListSearch.parse(address);
    expect(Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined))).toEqual(read);
  });

  test('a size once chosen is the size of every list, one that is not offered is none', () => {
    screen = drawScreen(null);
    localStorage.removeItem('page-size');
    expect(rememberedPageSize()).toBe(fillingPageSize({ width: innerWidth, height: innerHeight }));
    rememberPageSize(50);
    expect(rememberedPageSize()).toBe(50);
    localStorage.setItem('page-size', '7');
    expect(rememberedPageSize()).toBe(fillingPageSize({ width: innerWidth, height: innerHeight }));
    // Another window is filled by another size.
    rememberPageSize(windowPageSize());
    expect(localStorage.getItem('page-size')).toBeNull();
  });

  test('numbers in the address are whole and not negative', () => {
    screen = drawScreen(null);
    expect([SearchInt.parse('5'), SearchInt.parse('-5'), SearchInt.parse('x'), SearchInt.parse(undefined)]).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
