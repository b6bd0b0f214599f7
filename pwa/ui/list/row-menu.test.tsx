import { afterEach, expect, it } from 'vitest';
import { type DrawnScreen, drawScreen, shows } from '#tests/support/console-screen.tsx';
import { RowMenu } from './row-menu.tsx';

let screen: DrawnScreen;

afterEach(() => screen.leave());

function openMenu(): void {
  screen = drawScreen(
    <RowMenu label="more" width={200} content={() => ({ actions: [{ key: 'save', label: 'save', onClick: () => {} }] })} />,
  );
  screen.press('more');
  expect(isOpen()).toBe(true);
}

function isOpen(): boolean {
  return document.querySelector('[role=menu]') !== null;
}

/** Pixels from the top of the window. */
function placeButton(top: number): void {
  const button = screen.button('more');
  button.getBoundingClientRect = () => new DOMRect(10, top, 20, 20);
}

it('row-menu: stays open while something else scrolls', async () => {
  openMenu();
  document.body.dispatchEvent(new Event('scroll'));
  await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(isOpen()).toBe(true);
});

it('row-menu: is closed by what moves its button', async () => {
  openMenu();
  placeButton(300);
  document.body.dispatchEvent(new Event('scroll'));
  await shows(() => expect(isOpen()).toBe(false));
});
