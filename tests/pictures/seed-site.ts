// A site as it looks after some weeks: channels of several providers, users, tokens, codes, calls of days.
import { type Api, chat, furnish, owner } from '#tests/e2e/support/furnish.ts';
import { seedCalls } from '#tests/e2e/support/seed-calls.ts';
import { seedPrices } from '#tests/e2e/support/seed-prices.ts';
import { seedSessions } from '#tests/e2e/support/seed-sessions.ts';
import { drawings, music, seedTasks } from '#tests/e2e/support/seed-tasks.ts';
import type { Tidegate } from '#tests/e2e/support/tidegate.ts';
import { seedBills } from './seed-bills.ts';
import { seedOrganisation } from './seed-organisation.ts';
import { seedOperations } from './seed-operations.ts';

/** A site that is being filled. */
export interface Site {
  api: Api;
  /** Of its database. */
  url: string;
  /** Address of the provider behind it. */
  upstream: string;
}

const channels = [
  {
    type: 14,
    name: 'Anthropic 直连 · 主',
    models: 'claude-3-5-sonnet,claude-3-5-haiku,claude-3-opus',
    priority: 10,
    weight: 5,
    tag: 'anthropic',
  },
  { type: 14, name: 'Anthropic 直连 · 备', models: 'claude-3-5-sonnet,claude-3-5-haiku', priority: 5, tag: 'anthropic' },
  { type: 3, name: 'Azure East US 2', models: 'gpt-4o,gpt-4o-mini,o3-mini', groups: ['default', 'vip'], tag: 'azure' },
  { type: 43, name: 'DeepSeek 官方', models: 'deepseek-chat,deepseek-reasoner' },
  { type: 1, name: 'A reseller with a rather long name that somebody typed in full, and then some', models: 'gpt-4o', priority: -5 },
];
/** Model ratios of the seeded channels. */
const seededRatios = {
  'claude-3-5-sonnet': 1.5,
  'claude-3-5-haiku': 0.4,
  'claude-3-opus': 7.5,
  'gpt-4o-mini': 0.075,
  'o3-mini': 0.55,
  'deepseek-chat': 0.14,
};
const people = [
  { username: 'zhang.wei', display_name: '张伟 · 数据平台' },
  { username: 'maria', display_name: 'María Fernández' },
  { username: 'batch-team', display_name: 'Batch evaluation' },
  { username: 'li.na', display_name: '李娜' },
];
const usd = 500_000;
const daily = { id: 'day', amount: 20 * usd, period: 'day', starts: 'calendar', time_zone: 'Asia/Shanghai', at_end: 'stop' };
const monthly = { id: 'month', amount: 120 * usd, period: 'month', starts: 'calendar', time_zone: 'Asia/Shanghai', at_end: 'warn' };
const tokens = [
  {
    name: 'prod-chat',
    unlimited_quota: true,
    expired_time: -1,
    budgets: [{ id: 'hours', amount: 8 * usd, period: 'five_hours', starts: 'first_call', at_end: 'stop' }, daily, monthly],
    rate_limits: [
      { meter: 'requests', per: 'minute', amount: 600 },
      { meter: 'tokens', per: 'minute', amount: 200_000 },
      { meter: 'parallel', amount: 20 },
    ],
  },
  { name: 'batch-eval', remain_quota: 12_000_000, expired_time: 1_893_456_000, budgets: [monthly] },
  { name: '客服机器人', remain_quota: 90_000, expired_time: -1, model_limits_enabled: true, model_limits: 'gpt-4o-mini,deepseek-chat' },
  { name: 'CI', remain_quota: 500_000, allow_ips: '10.0.0.0/8\n203.0.113.7', expired_time: -1 },
];
const options = {
  SystemName: '潮汐 API',
  Notice: '## 维护通知\n\n周六 02:00–03:00 升级数据库，期间可能短暂不可用。',
  About: '# 关于\n\n面向团队的模型网关。\n\n| 分组 | 倍率 |\n|---|---|\n| default | 1 |\n| vip | 0.9 |\n',
  Footer: '© 2026 潮汐 API',
  SiteRateLimits: JSON.stringify([
    { meter: 'requests', per: 'minute', amount: 60, groups: ['default'], counted: 'user' },
    { meter: 'tokens', per: 'day', amount: 2_000_000, models: ['claude-3-opus'], counted: 'token' },
  ]),
  SiteBudgets: JSON.stringify([
    {
      id: 'free',
      name: '免费额度',
      amount: 50 * usd,
      period: 'month',
      starts: 'calendar',
      at_end: 'stop',
      groups: ['default'],
      counted: 'user',
    },
  ]),
  GroupRatio: '{"default":1,"vip":0.9,"batch":0.5}',
  UserUsableGroups: '{"default":"默认分组","vip":"VIP 分组"}',
  ServerAddress: 'https://tide.example',
  PriceSyncUrl: 'https://models.dev/api.json',
  PriceSyncHours: '24',
  PayAddress: 'https://pay.example/gateway/',
  EpayId: '1042',
  EpayKey: 'a key of the aggregator',
  DrawingEnabled: 'true',
  TaskEnabled: 'true',
};

/** Returns the number of its organisation. */
export async function seedSite(tidegate: Tidegate, databaseUrl: string): Promise<number> {
  const { api, key } = await furnish(tidegate);
  for (const [name, value] of Object.entries(options)) await api.put('/api/option/', { key: name, value });
  for (const channel of channels) await api.post('/api/channel/', { key: 'sk-seed', base_url: tidegate.upstream.url, ...channel });
  for (const person of people) await api.post('/api/user/', { password: 'a password of theirs', ...person });
  for (const token of tokens) await api.post('/api/token/', token);
  await giveMoney(api);
  await seedCalls(databaseUrl, { userId: 1, username: owner.username, count: 1_800, days: 6 });
  await seedPrices(databaseUrl);
  // Of which the first is in the history of prices.
  for (const input of [1.5, 1.25])
    await api.put('/api/option/', { key: 'ModelRatio', value: JSON.stringify({ ...seededRatios, 'gpt-4o': input }) });
  await seedSessions(databaseUrl, { userId: 1, username: owner.username });
  await seedTasks(databaseUrl, { id: 1, username: owner.username }, [...drawings, ...music]);
  const site = { api, url: databaseUrl, upstream: tidegate.upstream.url };
  await seedOperations(site);
  const organisation = await seedOrganisation({ api, url: databaseUrl, site: tidegate.url });
  await seedBills(site, { daily: 5, named: 7 });
  for (const isStream of [true, false]) await chat(tidegate.url, key, { stream: isStream });
  return organisation;
}

/** Codes, two of them redeemed, and more for everybody. */
async function giveMoney(api: Api): Promise<void> {
  const keys = (await api.post('/api/redemption/', { name: '双十一活动', quota: 5_000_000, count: 6 })) as string[];
  await api.post('/api/redemption/', { name: 'Conference', quota: 1_000_000, count: 3, expired_time: 1_893_456_000 });
  for (const code of keys.slice(0, 2)) await api.post('/api/user/topup', { key: code });
  for (const [index] of people.entries()) await api.put('/api/user/', { id: index + 3, quota_change: 2_500_000 * (index + 1) });
  await api.post('/api/user/pay', { amount: 20, payment_method: 'wxpay' });
}
