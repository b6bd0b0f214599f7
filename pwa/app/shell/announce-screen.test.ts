import { afterEach, expect, it } from 'vitest';
import { announceScreens } from './announce-screen.ts';
import { shows } from '#tests/support/shows.ts';

let stop: () => void = () => {};
afterEach(() => stop());

const said = (): string | null | undefined => document.querySelector('[role=status]')?.textContent;

it('announce-screen: a screen that opens is said once it has its title, and the first one is left to the browser', async () => {
  document.title = 'Home · Tidegate';
  stop = announceScreens();
  expect(said()).toBe('');
  document.title = 'Usage logs · Tidegate';
  await shows(() => expect(said()).toBe('Usage logs · Tidegate'));
  stop();
  expect(said()).toBeUndefined();
});
