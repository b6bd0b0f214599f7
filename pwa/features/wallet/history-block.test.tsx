import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WalletEntry } from '#shared/wallet.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { HistoryBlock } from './history-block.tsx';
import type { WalletSearch } from './wallet-search.ts';

let server: FixtureServer;
let screen: DrawnScreen;
let entries: WalletEntry[];
let total: number;
let changes: Partial<WalletSearch>[];

beforeAll(async () => {
  await startScreenTexts('wallet');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  changes = [];
  total = 1;
  entries = [{ id: 1, created_at: 1_770_000_000, kind: 'redemption', amount: 5_000_000, code: 'a1b2' }];
  server.answer((_asked, response) =>
    sendJson(response, { success: true, message: '', data: { items: entries, total, page: 1, page_size: 20 } }),
  );
});
afterEach(() => screen.leave());

const open = (page = 1, kind?: string) =>
  (screen = drawScreen(<HistoryBlock page={page} kind={kind} onSearch={(change) => changes.push(change)} />));
const queries = () => server.requested.map(({ url }) => new URLSearchParams(url.split('?')[1]));

describe('history-block', () => {
  test('each entry says where it came from and what it changed', async () => {
    entries = [
      { id: 3, created_at: 1_770_000_300, kind: 'order', amount: 10_000_000, order: { trade_no: 'x', method: 'wxpay', money: '146.00' } },
      { id: 4, created_at: 1_770_000_250, kind: 'refund', amount: 50_000 },
      { id: 2, created_at: 1_770_000_200, kind: 'edit', amount: -2_500_000 },
      { id: 1, created_at: 1_770_000_100, kind: 'redemption', amount: 5_000_000, code: 'a1b2' },
      { id: 0, created_at: 1_770_000_000, kind: 'of a newer server', amount: 500_000 },
      { id: 5, created_at: 1_769_000_000, kind: 'setup', amount: 100_000_000 },
    ];
    open();
    await shows(() => expect(document.querySelectorAll('li')).toHaveLength(6));
    const rows = [...document.querySelectorAll('li')].map((row) => row.textContent ?? '');
    expect(rows[0]).toContain('Top-up by WeChat Pay');
    expect(rows[0]).toContain('+$20.00');
    expect(rows[0]).toContain('paid ¥146.00');
    expect(rows[1]).toContain('Refund');
    expect(rows[1]).toContain('+$0.10');
    expect(rows[2]).toContain('−$5.00');
    expect(rows[3]).toContain('Code a1b2…');
    expect(rows[4]).toContain('Other');
    expect(rows[5]).toContain('Opening balance');
  });

  test('older and newer pages, without a number for the first', async () => {
    total = 45;
    open(2);
    await shows(() => screen.press('Older'));
    screen.press('Newer');
    expect(changes).toEqual([{ p: 3 }, { p: undefined }]);
    expect(queries()[0]?.get('p')).toBe('2');
  });

  test('the first of several pages leads to the second, and to nothing newer', async () => {
    total = 21;
    open();
    await shows(() => screen.press('Older'));
    expect(changes).toEqual([{ p: 2 }]);
    expect(screen.button('Newer').disabled).toBe(true);
  });

  test('one page has no pager; the last one has nothing older', async () => {
    open();
    await shows(() => expect(document.querySelectorAll('li')).toHaveLength(1));
    expect([...document.querySelectorAll('button')].map((button) => button.textContent)).not.toContain('Older');
    screen.leave();
    total = 45;
    open(3);
    await shows(() => expect(screen.button('Older').disabled).toBe(true));
  });

  test('a kind in the address is asked for, one that nobody knows is not', async () => {
    open(1, 'order');
    await shows(() => expect(queries()[0]?.get('kind')).toBe('order'));
    screen.leave();
    server.requested.length = 0;
    open(1, 'nonsense');
    await shows(() => expect(queries()).toHaveLength(1));
    expect(queries()[0]?.has('kind')).toBe(false);
  });

  test('nothing says what there would be, of a kind that there is none of it', async () => {
    entries = [];
    total = 0;
    open();
    await shows(() => expect(screen.text()).toContain('No top-ups or codes yet.'));
    screen.leave();
    open(1, 'transfer');
    await shows(() => expect(screen.text()).toContain('Nothing of this kind.'));
  });
});
