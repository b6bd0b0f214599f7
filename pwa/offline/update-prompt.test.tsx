import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { act } from 'react';
import { markUnsaved } from '#pwa/ui/form/unsaved-store.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { outboxLock, publishOutbox, type QueuedEdit } from './outbox-store.ts';
import { UpdatePrompt } from './update-prompt.tsx';

const waiting: QueuedEdit = {
  id: 1,
  userId: 1,
  optionKey: 'SystemName',
  base: { value: 'a', revision: 1 },
  mine: 'b',
  editedAt: 1,
  state: 'waiting',
};
let screen: DrawnScreen;
let updates: number;

beforeAll(() => startScreenTexts());
beforeEach(() => {
  updates = 0;
  screen = drawScreen(<UpdatePrompt onUpdate={() => (updates += 1)} />);
});
afterEach(() => {
  screen.leave();
  markUnsaved('form', false);
  publishOutbox([]);
  Reflect.deleteProperty(navigator, 'locks');
});

it('update-prompt: under unsaved edits it cannot be pressed, and says what to do', async () => {
  act(() => markUnsaved('form', true));
  expect(screen.text()).toContain('Save your changes first');
  expect(screen.button('Update now').disabled).toBe(true);
  screen.press('Update now');
  expect(updates).toBe(0);
  act(() => markUnsaved('form', false));
  screen.press('Update now');
  await shows(() => expect(updates).toBe(1));
});

it('update-prompt: says that edits which wait stay, and lets one that is on its way be answered first', async () => {
  const released: (() => Promise<void>)[] = [];
  const locks = {
    request: (name: string, work: () => void) => {
      expect(name).toBe(outboxLock);
      return new Promise<void>((resolve) => {
        released.push(async () => {
          work();
          resolve();
        });
      });
    },
  };
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  act(() => publishOutbox([waiting]));
  expect(screen.text()).toContain('Your 1 pending edit is kept');
  screen.press('Update now');
  await shows(() => expect(released).toHaveLength(1));
  expect(updates).toBe(0);
  await act(async () => released[0]?.());
  expect(updates).toBe(1);
});

it('update-prompt: put off, it is gone', () => {
  screen.press('Later');
  expect(screen.text()).not.toContain('new version');
});
