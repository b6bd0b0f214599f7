import { field, fields, type SettingPage } from './setting-entry.ts';

/** What connects the site with the world, and how it looks. */
export const systemPages: readonly SettingPage[] = [
  {
    name: 'server',
    group: 'system',
    sections: [{ entries: fields('ServerAddress', 'WorkerUrl', 'WorkerValidKey', 'WebhookAllowedHosts') }],
  },
  {
    name: 'payment',
    group: 'system',
    sections: [
      {
        entries: fields('PayAddress', 'EpayId', 'EpayKey', 'CustomCallbackAddress', 'Price', 'MinTopUp', 'TopUpLink', 'TopupGroupRatio'),
      },
    ],
  },
  {
    name: 'mail',
    group: 'system',
    sections: [{ entries: fields('SMTPServer', 'SMTPPort', 'SMTPSSLEnabled', 'SMTPAccount', 'SMTPFrom', 'SMTPToken') }],
  },
  {
    name: 'signin',
    group: 'system',
    sections: [
      { name: 'github', entries: fields('GitHubOAuthEnabled', 'GitHubClientId', 'GitHubClientSecret') },
      {
        name: 'oidc',
        entries: fields(
          'oidc.enabled',
          'oidc.well_known',
          'oidc.client_id',
          'oidc.client_secret',
          'oidc.authorization_endpoint',
          'oidc.token_endpoint',
          'oidc.user_info_endpoint',
        ),
      },
      { name: 'linuxdo', entries: fields('LinuxDOOAuthEnabled', 'LinuxDOClientId', 'LinuxDOClientSecret', 'LinuxDOMinimumTrustLevel') },
      {
        name: 'wechat',
        entries: fields('WeChatAuthEnabled', 'WeChatServerAddress', 'WeChatServerToken', 'WeChatAccountQRCodeImageURL'),
      },
      { name: 'telegram', entries: fields('TelegramOAuthEnabled', 'TelegramBotName', 'TelegramBotToken') },
    ],
  },
  {
    name: 'backup',
    group: 'system',
    sections: [
      { entries: fields('BackupIntervalHours', 'BackupKeep', 'BackupPassphrase', 'BackupPlace') },
      {
        name: 's3',
        entries: fields('BackupS3Endpoint', 'BackupS3Region', 'BackupS3Bucket', 'BackupS3Prefix', 'BackupS3AccessKey', 'BackupS3SecretKey'),
      },
    ],
  },
  {
    name: 'content',
    group: 'system',
    sections: [
      { entries: [field('SystemName'), field('Logo', { control: 'picture' }), ...fields('Notice', 'HomePageContent', 'About', 'Footer')] },
    ],
  },
];
