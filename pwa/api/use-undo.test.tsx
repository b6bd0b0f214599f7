import { act, useEffect } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { dropUndos, undoLast } from '#pwa/ui/frame/toast.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { CallFailure } from './failure.ts';
import { useUndo } from './use-undo.ts';

let screen: DrawnScreen;
const reported: { offer?: ReturnType<typeof useUndo> } = {};

function Part() {
  const offer = useUndo();
  useEffect(() => {
    reported.offer = offer;
  });
  return null;
}
const offer: ReturnType<typeof useUndo> = (text, undo) => reported.offer?.(text, undo);
const offered = () => [...document.querySelectorAll('button')].some((button) => button.textContent === 'Undo');
const failure = (code: string) => new CallFailure({ code, message: `failed: ${code}`, details: '' });

beforeAll(() => startScreenTexts());
beforeEach(() => {
  screen = drawScreen(<Part />);
});
afterEach(() => {
  act(() => {
    for (const close of document.querySelectorAll<HTMLElement>('[aria-label="Close"]')) close.click();
  });
  screen.leave();
});

it('use-undo: what was taken back is said, and offered once', async () => {
  let times = 0;
  act(() =>
    offer('Gone', async () => {
      times += 1;
      return true;
    }),
  );
  screen.press('Undo');
  await shows(() => expect(screen.text()).toContain('Undone'));
  expect(times).toBe(1);
  expect(offered()).toBe(false);
  expect(undoLast()).toBe(false);
});

it('use-undo: the last comes first, and nothing is left of it for the next account', async () => {
  const undone: string[] = [];
  const undo = (name: string) => async () => {
    undone.push(name);
    return true;
  };
  act(() => {
    offer('One', undo('one'));
    offer('Two', undo('two'));
    offer('Three', undo('three'));
  });
  act(() => void undoLast());
  act(() => void undoLast());
  await shows(() => expect(undone).toEqual(['three', 'two']));
  act(() => dropUndos());
  expect(undoLast()).toBe(false);
  expect(undone).not.toContain('one');
});

it('use-undo: what came too late, or was refused, is said and not offered again', async () => {
  act(() => offer('Gone', () => Promise.resolve(false)));
  screen.press('Undo');
  await shows(() => expect(screen.text()).toContain('Too late to undo'));
  expect(offered()).toBe(false);
  act(() => offer('Gone', () => Promise.reject(failure('revision_conflict'))));
  screen.press('Undo');
  await shows(() => expect(screen.text()).toContain('failed: revision_conflict'));
  expect(offered()).toBe(false);
});

it('use-undo: while nobody can be reached it is offered again', async () => {
  let isReached = false;
  act(() => offer('Gone', () => (isReached ? Promise.resolve(true) : Promise.reject(failure('offline')))));
  screen.press('Undo');
  await shows(() => expect(screen.text()).toContain('failed: offline'));
  await shows(() => expect(offered()).toBe(true));
  isReached = true;
  screen.press('Undo');
  await shows(() => expect(screen.text()).toContain('Undone'));
});
