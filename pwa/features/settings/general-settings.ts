import type { SettingSection } from './setting-entry.ts';

/** The tab "general", top to bottom: what has an effect here. Other settings can be stored for features to come. */
export const generalSettings: readonly SettingSection[] = [
  {
    name: 'site',
    entries: [
      { key: 'SystemName', control: 'text' },
      { key: 'ServerAddress', control: 'text' },
      { key: 'general_setting.docs_link', control: 'text' },
      { key: 'SelfUseModeEnabled', control: 'switch' },
      { key: 'DemoSiteEnabled', control: 'switch' },
    ],
  },
  {
    name: 'access',
    entries: [
      { key: 'RegisterEnabled', control: 'switch' },
      { key: 'PasswordRegisterEnabled', control: 'switch' },
      { key: 'PasswordLoginEnabled', control: 'switch', asksBeforeOff: true },
    ],
  },
  {
    name: 'quota',
    entries: [
      { key: 'QuotaForNewUser', control: 'quota' },
      { key: 'MaxTokensPerUser', control: 'number' },
      { key: 'DefaultMaxOutputTokens', control: 'number' },
      { key: 'PreConsumedQuota', control: 'number' },
      { key: 'StreamOverdraft', control: 'choice' },
    ],
  },
  {
    name: 'calls',
    entries: [
      { key: 'RetryTimes', control: 'number' },
      { key: 'AutomaticDisableChannelEnabled', control: 'switch' },
      { key: 'LogConsumeEnabled', control: 'switch' },
    ],
  },
  {
    name: 'display',
    entries: [
      { key: 'QuotaPerUnit', control: 'number', warns: true },
      { key: 'DisplayInCurrencyEnabled', control: 'switch' },
      { key: 'DefaultCollapseSidebar', control: 'switch' },
    ],
  },
  {
    name: 'prices',
    entries: [
      { key: 'ModelRatio', control: 'json' },
      { key: 'ModelPrice', control: 'json' },
      { key: 'CompletionRatio', control: 'json' },
      { key: 'CacheRatio', control: 'json' },
      { key: 'GroupRatio', control: 'json' },
      { key: 'UserUsableGroups', control: 'json' },
    ],
  },
];
