import { priceKeys } from './price-rows.ts';
import { field, fields, type SettingPage } from './setting-entry.ts';

/** What an operator decides about users, money and calls. */
export const operationPages: readonly SettingPage[] = [
  {
    name: 'general',
    group: 'operation',
    sections: [
      {
        entries: fields('SelfUseModeEnabled', 'DemoSiteEnabled', 'RetryTimes', 'DefaultCollapseSidebar', 'general_setting.docs_link'),
      },
    ],
  },
  {
    name: 'access',
    group: 'operation',
    sections: [
      {
        name: 'password',
        entries: [
          ...fields('RegisterEnabled', 'PasswordRegisterEnabled', 'OrganisationFounders'),
          field('PasswordLoginEnabled', { confirmsOff: true }),
          ...fields('EmailVerificationEnabled'),
        ],
      },
      { name: 'email', entries: fields('EmailDomainRestrictionEnabled', 'EmailAliasRestrictionEnabled', 'EmailDomainWhitelist') },
      { name: 'turnstile', entries: fields('TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey') },
    ],
  },
  {
    name: 'quota',
    group: 'operation',
    sections: [
      {
        entries: [
          field('QuotaForNewUser', { control: 'quota' }),
          field('QuotaForInviter', { control: 'quota' }),
          field('QuotaForInvitee', { control: 'quota' }),
          field('QuotaRemindThreshold', { control: 'quota' }),
          ...fields('MaxTokensPerUser', 'DefaultMaxOutputTokens', 'PreConsumedQuota', 'StreamOverdraft'),
          field('QuotaPerUnit', { warns: true }),
          ...fields('DisplayInCurrencyEnabled', 'DisplayTokenStatEnabled'),
        ],
      },
    ],
  },
  {
    name: 'groups',
    group: 'operation',
    sections: [
      { entries: fields('GroupRatio', 'UserUsableGroups') },
      { name: 'auto', entries: fields('AutoGroups', 'DefaultUseAutoGroup') },
      { name: 'special', entries: fields('GroupGroupRatio', 'group_ratio_setting.group_special_usable_group') },
    ],
  },
  {
    name: 'prices',
    group: 'operation',
    sections: [
      {
        entries: fields(...priceKeys),
      },
    ],
  },
  {
    name: 'price_sync',
    group: 'operation',
    sections: [
      { entries: fields('PriceSyncUrl', 'PriceSyncToken', 'PriceSyncHours') },
      {
        name: 'price_sync_rules',
        entries: fields(
          'PriceSyncModels',
          'PriceSyncExcept',
          'PriceSyncFields',
          'PriceSyncProviders',
          'PriceSyncApply',
          'PriceSyncGuardPercent',
        ),
      },
      { name: 'price_list', entries: fields('PriceListPublic') },
    ],
  },
  {
    name: 'monitoring',
    group: 'operation',
    sections: [
      {
        entries: fields(
          'ChannelDisableThreshold',
          'CostDriftPercent',
          'BillDriftPercent',
          'BillDriftUsd',
          'ChannelAffinityEnabled',
          'PromptCachingEnabled',
          'AutomaticDisableChannelEnabled',
          'AutomaticEnableChannelEnabled',
          'AutomaticDisableKeywords',
        ),
      },
      { name: 'status_page', entries: fields('StatusPage', 'StatusPageHidden') },
    ],
  },
  {
    name: 'logs',
    group: 'operation',
    sections: [
      {
        entries: fields(
          'LogConsumeEnabled',
          'LogRetentionDays',
          'AuditRetentionDays',
          'DataExportEnabled',
          'DataExportInterval',
          'DataExportDefaultTime',
        ),
      },
    ],
  },
  {
    name: 'responses',
    group: 'operation',
    sections: [
      {
        entries: [
          field('ResponseStoreEnabled'),
          ...fields('ResponseRetentionDays', 'ResponsesPerUser', 'ResponseMegabytesPerUser', 'BackgroundResponsesPerUser'),
        ],
      },
      {
        entries: fields(
          'FilesPerUser',
          'FileMegabytesPerUser',
          'FileRetentionDays',
          'BatchesPerUser',
          'BatchRequestsPerUser',
          'FineTuningJobsPerUser',
        ),
      },
      { entries: fields('ContextCachesPerUser', 'ContextCachePrice') },
      { entries: fields('VectorStoresPerUser', 'VectorStoreMegabytesPerUser', 'VectorStorePrice', 'VectorSearchPrice') },
    ],
  },
  {
    name: 'words',
    group: 'operation',
    sections: [
      {
        entries: fields(
          'CheckSensitiveEnabled',
          'CheckSensitiveOnPromptEnabled',
          'SensitiveWords',
          'StopOnSensitiveEnabled',
          'StreamCacheQueueLength',
        ),
      },
    ],
  },
  { name: 'chats', group: 'operation', sections: [{ entries: fields('Chats') }] },
  {
    name: 'drawing',
    group: 'operation',
    sections: [
      {
        entries: fields(
          'DrawingEnabled',
          'TaskEnabled',
          'MjNotifyEnabled',
          'MjAccountFilterEnabled',
          'MjForwardUrlEnabled',
          'MjModeClearEnabled',
          'MjActionCheckSuccessEnabled',
        ),
      },
    ],
  },
];
