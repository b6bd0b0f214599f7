// Settings, one by one: a text that each kind refuses.
import { type Refusal, type RefusalRows, type Reported, reportedBy } from './refusal.ts';
import type { ConsoleDesk } from './console-desk.ts';

const save = async (desk: ConsoleDesk, key: string, value: unknown): Promise<Reported> =>
  reportedBy(await desk.root.put('/api/option/', { key, value }));

/** A value that is refused, and what the text names besides the key. */
const refuses =
  (key: string, value: unknown, details: NonNullable<Refusal['details']> = {}) =>
  async (desk: ConsoleDesk): Promise<Refusal> => ({ reported: await save(desk, key, value), details: { key, ...details } });

/** A switch without what it needs. */
const lacks =
  (key: string, ...needs: string[]) =>
  (desk: ConsoleDesk) =>
    desk.during({ [key]: 'false', ...Object.fromEntries(needs.map((need) => [need, ''])) }, () => save(desk, key, 'true'));

export const optionRefusals = {
  option_unknown: refuses('Nonsense', 'x'),
  option_denied: async (desk) => ({
    reported: reportedBy(await desk.admin.put('/api/option/', { key: 'SMTPServer', value: 'mail.example' })),
    details: { key: 'SMTPServer' },
  }),
  option_invalid_json: refuses('ModelRatio', '{"gpt-4o": 1,'),
  option_not_boolean: refuses('RegisterEnabled', 'perhaps'),
  option_empty: refuses('RetryTimes', ' '),
  option_not_integer: refuses('RetryTimes', '2.5'),
  option_not_number: refuses('Price', 'many'),
  option_out_of_range: refuses('RetryTimes', '-1', { min: 0, max: 100 }),
  option_not_url: refuses('ServerAddress', 'javascript:alert(1)'),
  option_not_link: refuses('Chats', '[{"Mine": "unheard://open"}]', { name: 'Mine' }),
  option_not_image: refuses('Logo', 'logo.png'),
  option_too_long: refuses('SystemName', 'x'.repeat(200_000), { limit: /\d+/ }),
  option_not_text: refuses('SystemName', 'two\r\nlines'),
  option_not_choice: refuses('DataExportDefaultTime', 'minute', { choices: 'hour, day, week' }),
  option_not_number_map: refuses('ModelRatio', '[1]'),
  option_not_text_map: refuses('UserUsableGroups', '{"default": 1}'),
  option_not_nested_map: refuses('GroupGroupRatio', '{"vip": 0.5}'),
  option_not_header_map: refuses('claude.model_headers_settings', '{"claude": {"x": ["a\\r\\nb: c"]}}'),
  option_not_chats: refuses('Chats', '{"name": "https://x"}'),
  option_not_list: refuses('SiteRateLimits', '[{"meter": "requests", "per": "minute", "amount": 0, "counted": "user"}]', {
    place: '0.amount',
  }),
  option_entry_out_of_range: refuses('ModelRatio', '{"gpt-4o": -1}', { name: 'gpt-4o', min: 0, max: /[\d,.e+]+/ }),
  option_entry_unknown: refuses('ToolPrice', '{"web_search": 10, "web_serch:gpt-5*": 1}', { name: 'web_serch:gpt-5*' }),
  option_entry_name: refuses('GroupRatio', '{"default": 1, "a,b": 1}', { name: 'a,b' }),
  option_change_not_found: async (desk) => reportedBy(await desk.root.post('/api/option/history/999999/undo')),
  async option_change_not_kept(desk) {
    await save(desk, 'SMTPToken', 'hidden');
    const { data } = await desk.root.get('/api/option/history?keys=SMTPToken');
    return reportedBy(await desk.root.post(`/api/option/history/${data.items[0].id}/undo`));
  },
  group_default_missing: refuses('GroupRatio', '{"vip": 1}'),
  group_taken: async (desk) => ({
    reported: reportedBy(await desk.root.post('/api/group/rename', { name: 'vip', to: 'svip' })),
    details: { group: 'svip' },
  }),
  group_in_use: (desk) =>
    desk.during({ GroupRatio: '{"default": 1, "moon": 1}' }, async () => {
      await desk.member({ group: 'moon' });
      const reported = reportedBy(await desk.root.post('/api/group/remove', { name: 'moon' }));
      return { reported, details: { group: 'moon', users: '1', keys: '0', channels: '0', invitations: '0' } };
    }),
  group_moving: (desk) =>
    desk.site({}, async (app) => {
      const root = await app.setup();
      root.setLanguage(desk.language);
      await root.post('/api/group/rename', { name: 'svip', to: 'best' });
      const reported = reportedBy(await root.post('/api/group/rename', { name: 'vip', to: 'better' }));
      return { reported, details: { group: 'svip', to: 'best' } };
    }),
  group_ratio_negative: refuses('GroupRatio', '{"default": 1, "vip": -0.5}', { group: 'vip' }),
  github_unconfigured: lacks('GitHubOAuthEnabled', 'GitHubClientId'),
  oidc_unconfigured: lacks('oidc.enabled', 'oidc.client_id'),
  linuxdo_unconfigured: lacks('LinuxDOOAuthEnabled', 'LinuxDOClientId'),
  email_domains_unconfigured: lacks('EmailDomainRestrictionEnabled', 'EmailDomainWhitelist'),
  wechat_unconfigured: lacks('WeChatAuthEnabled', 'WeChatServerAddress'),
  turnstile_unconfigured: lacks('TurnstileCheckEnabled', 'TurnstileSiteKey'),
  telegram_unconfigured: lacks('TelegramOAuthEnabled', 'TelegramBotToken'),
  server_address_required: (desk) =>
    desk.during({ PayAddress: '', ServerAddress: '' }, () => save(desk, 'PayAddress', 'https://pay.example')),
  setting_in_use: (desk) =>
    desk.during({ ServerAddress: 'https://gate.example', PayAddress: 'https://pay.example' }, async () => ({
      reported: await save(desk, 'ServerAddress', ''),
      details: { key: 'PayAddress' },
    })),
} satisfies RefusalRows<ConsoleDesk>;
