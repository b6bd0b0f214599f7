import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { RedeemBlock } from './redeem-block.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let answer: object;

beforeAll(async () => {
  await startScreenTexts('wallet');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  answer = { success: true, message: '', data: 2_500_000 };
  server.answer(({ url }, response) => sendJson(response, url === '/api/user/topup' ? answer : { success: false, message: 'not here' }));
  screen = drawScreen(<RedeemBlock shared="" onSharedTaken={() => {}} />);
});
afterEach(() => screen.leave());

const sent = () => server.requested.filter(({ url }) => url === '/api/user/topup').map(({ body }) => body);

describe('redeem-block', () => {
  test('a code is sent without the blanks around it, and says what it brought', async () => {
    screen.type('Redemption code', '  a1b2c3 \n');
    screen.press('Redeem');
    await shows(() => expect(screen.text()).toContain('Redeemed: $5.00 credited'));
    expect(sent()).toEqual([{ key: 'a1b2c3' }]);
    expect(screen.field('Redemption code').value).toBe('');
  });

  test('of a message that was pasted whole, the code is sent', async () => {
    screen.type('Redemption code', 'Your gift: 0123456789abcdef0123456789abcdef, have fun');
    screen.press('Redeem');
    await shows(() => expect(sent()).toEqual([{ key: '0123456789abcdef0123456789abcdef' }]));
  });

  test('nothing is no code', () => {
    expect(screen.button('Redeem').disabled).toBe(true);
    screen.type('Redemption code', '   ');
    expect(screen.button('Redeem').disabled).toBe(true);
  });

  test('a refusal stands at the field, keeps the code, and goes with the next letter', async () => {
    answer = { success: false, message: '兑换失败，该兑换码已被使用', code: 'redeem_used', field: 'key' };
    screen.type('Redemption code', 'used');
    screen.press('Redeem');
    await shows(() => expect(screen.problem('Redemption code')).toBe('兑换失败，该兑换码已被使用'));
    expect(screen.field('Redemption code').value).toBe('used');
    screen.type('Redemption code', 'used2');
    expect(screen.problem('Redemption code')).toBe('');
  });

  test('what is in the clipboard is pasted; what cannot be read is left to the hand', async () => {
    const clipboard = vi.spyOn(navigator.clipboard, 'readText').mockResolvedValue(' from-mail ');
    screen.press('Paste');
    await shows(() => expect(screen.field('Redemption code').value).toBe('from-mail'));
    clipboard.mockRejectedValue(new Error('not allowed'));
    screen.press('Paste');
    await shows(() => expect(document.activeElement).toBe(screen.field('Redemption code')));
    expect(screen.field('Redemption code').value).toBe('from-mail');
    clipboard.mockRestore();
  });

  test('what another app shares is filled in once, not redeemed, and can be changed', async () => {
    screen.leave();
    let taken = 0;
    const code = '0123456789abcdef0123456789abcdef';
    screen = drawScreen(<RedeemBlock shared={`For you: ${code}.`} onSharedTaken={() => (taken += 1)} />);
    await shows(() => expect(screen.field('Redemption code').value).toBe(code));
    expect(taken).toBe(1);
    expect(sent()).toEqual([]);
    screen.type('Redemption code', 'another');
    screen.press('Redeem');
    await shows(() => expect(sent()).toEqual([{ key: 'another' }]));
  });

  test('a code that is pressed twice is sent once', async () => {
    let release = (): void => {};
    server.answer(({ url }, response) => {
      if (url === '/api/user/topup') release = () => sendJson(response, answer);
      else sendJson(response, { success: false, message: 'not here' });
    });
    screen.type('Redemption code', 'a1b2c3');
    screen.press('Redeem');
    await shows(() => expect(sent()).toHaveLength(1));
    document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
    release();
    await shows(() => expect(screen.text()).toContain('credited'));
    expect(sent()).toHaveLength(1);
  });
});
