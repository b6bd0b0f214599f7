import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropUndos } from '#pwa/ui/frame/toast.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { RemoveUsed } from './remove-used.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let swept: { data: number; ids: number[] | null };
/** How many restorations are answered before the server is gone for one. */
let answered: number;

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const restored = () => server.requested.filter(({ url }) => url === '/api/redemption/batch').map(({ body }) => body);
const hasUndo = () => [...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Undo');

describe('remove-used', () => {
  beforeAll(async () => {
    await startScreenTexts('redemptions');
    server = await startFixtureServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.requested.length = 0;
    answered = Infinity;
    server.answer(({ url, body }, response) => {
      if (url === '/api/redemption/used') return sendJson(response, { success: true, message: '', ...swept });
      answered -= 1;
      if (answered < 0) {
        answered = Infinity;
        response.destroy();
        return;
      }
      const ids = typeof body === 'object' && body !== null && 'ids' in body && Array.isArray(body.ids) ? body.ids : [];
      sendJson(response, { success: true, message: '', data: ids.length });
    });
    screen = drawScreen(<RemoveUsed />);
  });
  afterEach(() => {
    dropUndos();
    screen.leave();
  });
  async function sweep(): Promise<void> {
    screen.press('Delete all used');
    await shows(() => expect(document.querySelector('dialog')?.textContent).toContain('more than 10,000'));
    [...document.querySelectorAll<HTMLButtonElement>('dialog button')]
      .find(({ textContent }) => textContent === 'Delete all used')
      ?.click();
  }

  test('an undo that broke off goes on where it was', async () => {
    swept = { data: 1500, ids: numbers(1, 1500) };
    answered = 1;
    await sweep();
    await shows(() => screen.press('Undo'));
    await shows(() => expect(restored()).toHaveLength(2));
    await shows(() => screen.press('Undo'));
    await shows(() => expect(screen.text()).toContain('Undone'));
    const rest = { ids: numbers(1001, 1500), action: 'restore' };
    expect(restored()).toEqual([{ ids: numbers(1, 1000), action: 'restore' }, rest, rest]);
  });

  test('of too many nothing is offered', async () => {
    swept = { data: 10_001, ids: null };
    await sweep();
    await shows(() => expect(screen.text()).toMatch(/10,?001/));
    expect(hasUndo()).toBe(false);
  });
});
