import { Select, TagsInput } from '@mantine/core';
import { act } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { BottomSheet } from '#pwa/ui/frame/bottom-sheet.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { closeListFirst } from './close-list-first.ts';

let screen: DrawnScreen;
let closed: number;
let stop: () => void;

beforeAll(async () => {
  await startScreenTexts();
  stop = closeListFirst();
});
afterAll(() => stop());
beforeEach(() => (closed = 0));
afterEach(() => screen.leave());

const fields = (
  <>
    <Select label="Type" data={['OpenAI', 'Claude']} />
    <TagsInput label="Groups" data={['default']} />
  </>
);
const close = () => (closed += 1);
const homes = {
  panel: () => (
    <SidePanel title="Channel" onClose={close}>
      {fields}
    </SidePanel>
  ),
  sheet: () => (
    <BottomSheet opened title="Channel" onClose={close}>
      {fields}
    </BottomSheet>
  ),
};

const isOpen = (label: string) => screen.field(label).hasAttribute('data-expanded');
function open(label: string): void {
  act(() => {
    screen.field(label).focus();
    screen.field(label).click();
  });
  expect(isOpen(label)).toBe(true);
}
function escape(label: string): boolean {
  const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
  act(() => void screen.field(label).dispatchEvent(event));
  return event.defaultPrevented;
}

test.each([
  ['Type', 'panel'],
  ['Groups', 'panel'],
  ['Type', 'sheet'],
  ['Groups', 'sheet'],
] as const)('Escape closes the open list of %s alone, and the %s with the next one', (label, home) => {
  screen = drawScreen(homes[home]());
  open(label);
  // A dialog of the browser's stays open by that.
  expect(escape(label)).toBe(true);
  expect([isOpen(label), closed]).toEqual([false, 0]);
  escape(label);
  expect(closed).toBe(1);
});

test('a list that nothing is left in is not seen: the panel closes', () => {
  screen = drawScreen(homes.panel());
  open('Groups');
  screen.type('Groups', 'nothing like it');
  escape('Groups');
  expect(closed).toBe(1);
});
