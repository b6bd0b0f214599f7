import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { forgetUser, storeUser } from '#pwa/api/stored-user.ts';
import { chooseLanguage } from '#pwa/i18n/setup.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { Palette } from './palette.tsx';

const pricedModel = {
  model_name: 'gpt-4o-mini',
  quota_type: 0,
  model_ratio: 0.075,
  completion_ratio: 4,
  cache_ratio: 0.5,
  model_price: 0,
  owner_by: 'openai',
  enable_groups: ['default'],
  has_price: true,
};

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('palette', 'shell');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.answer((request, response) =>
    sendJson(response, {
      success: true,
      message: '',
      data: request.url.startsWith('/api/pricing') ? [pricedModel] : [],
      group_ratio: {},
      usable_group: {},
    }),
  );
});
afterEach(() => {
  screen.leave();
  forgetUser();
});

const open = (role: number): void => {
  storeUser(buildConsoleUser({ role }));
  screen = drawScreen(<Palette onClose={() => {}} onSignOut={() => {}} />);
};
const chosen = () => document.querySelector('[role=option][aria-selected=true]')?.textContent ?? '';

/** Typed text, and what Enter opens then: its name in English and in Chinese. */
const table: readonly [typed: string, en: string, zh: string][] = [
  ['api key', 'Tokens', '令牌'],
  ['apikey', 'Tokens', '令牌'],
  ['密钥', 'Tokens', '令牌'],
  ['balance', 'Wallet', '钱包'],
  ['recharge', 'Wallet', '钱包'],
  ['top up', 'Wallet', '钱包'],
  ['充值', 'Wallet', '钱包'],
  ['invoice', 'Wallet', '钱包'],
  ['order', 'Wallet', '钱包'],
  ['订单', 'Wallet', '钱包'],
  ['provider bill', 'Provider bills', '上游账单'],
  ['upstream', 'Channels', '渠道'],
  ['statement', 'Statement', '对账单'],
  ['流水', 'Statement', '对账单'],
  ['refund', 'Usage logs', '使用日志'],
  ['who has this key', "Users' tokens", '用户令牌'],
  ['谁的', "Users' tokens", '用户令牌'],
  ['price sync', 'Price updates', '价格更新'],
  ['调价', 'Price updates', '价格更新'],
  ['by month', 'Accounts by month', '账户月表'],
  ['outbox', 'Edits that wait', '待发送的修改'],
  ['gpt-4o-mini', 'gpt-4o-mini', 'gpt-4o-mini'],
  ['bill', 'Provider bills', '数据看板'],
  ['账单', 'Dashboard', '上游账单'],
  ['price', 'Price updates', '定价'],
  ['rates', 'Pricing', '定价'],
  ['password', 'Personal settings', '个人设置'],
  ['voucher', 'Redemption codes', '兑换码'],
  ['卡密', 'Redemption codes', '兑换码'],
  ['configuration', 'System settings', '系统设置'],
  ['logout', 'Sign out', '退出登录'],
  ['hotkeys', 'Show keyboard shortcuts', '显示键盘快捷键'],
  ['reload', 'Refresh what is shown', '刷新当前内容'],
  ['day', 'Light theme', '浅色主题'],
  ['night', 'Dark theme', '深色主题'],
];

describe('palette: other words', () => {
  test.each(['en', 'zh'] as const)('%s: lead to the screen or action in either language', async (language) => {
    await chooseLanguage(language);
    open(Role.root);
    const label = document.querySelector('[role=combobox]')?.getAttribute('aria-label') ?? '';
    for (const [typed, en, zh] of table) {
      screen.type(label, typed);
      await shows(() => expect(chosen(), typed).toContain(language === 'en' ? en : zh));
    }
    await chooseLanguage('en');
  });

  test('lead nobody to what is closed to them', async () => {
    open(Role.user);
    screen.type('Go to, find or do', 'upstream');
    await shows(() => expect(screen.text()).toContain('Nothing was found.'));
    screen.type('Go to, find or do', '卡密');
    await shows(() => expect(chosen()).toContain('Redeem a code'));
  });
});
