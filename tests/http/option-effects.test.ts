// No option stands on a screen for nothing: the code reads it, or it is named here with what it waits for.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type SettingKey, settingKeys, settings } from '#shared/settings.ts';

/** Options whose effect is in the console, which receives them with the status: the field that it reads. */
const inConsole: Partial<Record<SettingKey, string>> = {
  Logo: 'logo',
  Footer: 'footer_html',
  Chats: 'chats',
  TopUpLink: 'top_up_link',
  TelegramBotName: 'telegram_bot_name',
  WeChatAccountQRCodeImageURL: 'wechat_qrcode',
  TurnstileSiteKey: 'turnstile_site_key',
  DefaultCollapseSidebar: 'default_collapse_sidebar',
  DemoSiteEnabled: 'demo_site_enabled',
  'general_setting.docs_link': 'docs_link',
  DataExportDefaultTime: 'data_export_default_time',
  DataExportInterval: 'data_export_interval',
};

/** Options without an effect yet, by the part that will have one. Remove the line when that part is built. */
const waiting: Record<string, readonly SettingKey[]> = {
  // Part of the status: the widget of other clients reads it. The console signs in by the bot's id, which is in the token.
  'other clients': ['TelegramBotName'],
  // Stored but never read, also in the product whose clients send them.
  nobody: ['StreamCacheQueueLength'],
};

describe('effects of options', () => {
  // Reporting or storing an option is no effect of it.
  const server = sourcesOf(
    'server/**/*.ts',
    /\/(site-status|console-headers)\.ts$|\/features\/options\/|\/settings\/(?!price-maps|site-address|sweep-audit-entries|usable-groups)/,
  );
  const pwa = sourcesOf('pwa/**/*.{ts,tsx}', /\/(features\/settings|i18n)\//);
  const isRead = (key: SettingKey) =>
    server.includes(`'${key}'`) || (inConsole[key] !== undefined && new RegExp(`\\.${inConsole[key]}\\b`).test(pwa));

  it('are there for every option that is not said to wait for its own', () => {
    const without = settingKeys.filter((key) => !isRead(key));
    expect(without.toSorted()).toEqual(Object.values(waiting).flat().toSorted());
  });

  it('are there for every switch', () => {
    const switches = settingKeys.filter((key) => settings[key].kind === 'boolean' && !isRead(key));
    expect(switches).toEqual([]);
  });
});

function sourcesOf(pattern: string, except: RegExp): string {
  const files = globSync(pattern).filter((file) => !except.test(file) && !/\.test\.tsx?$/.test(file));
  if (files.length < 50) throw new Error('These are not the sources');
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}
