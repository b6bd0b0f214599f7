import type { SiteStatus } from '#shared/site.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Env } from '#server/env.ts';
import type { Settings } from '#server/settings/settings.ts';
import { logoAddress } from '#server/settings/site-logo.ts';
import { canTakePayments, siteAddress, siteAddressOrLocal } from '#server/settings/site-address.ts';

/**
 * What clients know before anybody signs in: they draw a button for each way to sign in that is on here, and a menu entry for drawings and tasks.
 * @param startTime Unix seconds
 */
export function siteStatus(
  settings: Settings,
  { startTime, isSetUp, env }: { startTime: number; isSetUp: boolean; env: Pick<Env, 'PORT' | 'TLS_CERT'> },
): SiteStatus {
  return {
    version: `v${packageJson.version}`,
    start_time: startTime,
    system_name: settings.get('SystemName'),
    logo: logoAddress(settings),
    footer_html: settings.get('Footer'),
    server_address: siteAddressOrLocal(settings, env),
    docs_link: settings.get('general_setting.docs_link'),
    chat_link: '',
    chats: [...settings.get('Chats')],
    quota_per_unit: settings.get('QuotaPerUnit'),
    display_in_currency: settings.get('DisplayInCurrencyEnabled'),
    price: settings.get('Price'),
    min_topup: settings.get('MinTopUp'),
    top_up_link: settings.get('TopUpLink'),
    enable_online_topup: canTakePayments(settings),
    enable_batch_update: false,
    enable_drawing: settings.get('DrawingEnabled'),
    enable_task: settings.get('TaskEnabled'),
    enable_data_export: settings.get('DataExportEnabled'),
    data_export_default_time: settings.get('DataExportDefaultTime'),
    data_export_interval: settings.get('DataExportInterval'),
    default_collapse_sidebar: settings.get('DefaultCollapseSidebar'),
    mj_notify_enabled: settings.get('MjNotifyEnabled'),
    turnstile_check: settings.get('TurnstileCheckEnabled'),
    turnstile_site_key: settings.get('TurnstileSiteKey'),
    email_verification: settings.get('EmailVerificationEnabled'),
    sends_mail: settings.get('SMTPServer') !== '' && siteAddress(settings) !== undefined,
    register_enabled: isSetUp && settings.get('RegisterEnabled'),
    password_register: settings.get('PasswordRegisterEnabled'),
    password_login: settings.get('PasswordLoginEnabled'),
    github_oauth: settings.get('GitHubOAuthEnabled'),
    github_client_id: settings.get('GitHubClientId'),
    oidc_enabled: settings.get('oidc.enabled'),
    oidc_client_id: settings.get('oidc.client_id'),
    oidc_authorization_endpoint: settings.get('oidc.authorization_endpoint'),
    wechat_login: settings.get('WeChatAuthEnabled'),
    wechat_qrcode: settings.get('WeChatAccountQRCodeImageURL'),
    telegram_oauth: settings.get('TelegramOAuthEnabled'),
    telegram_bot_name: settings.get('TelegramBotName'),
    linuxdo_oauth: settings.get('LinuxDOOAuthEnabled'),
    linuxdo_client_id: settings.get('LinuxDOClientId'),
    self_use_mode_enabled: settings.get('SelfUseModeEnabled'),
    demo_site_enabled: settings.get('DemoSiteEnabled'),
    setup: isSetUp,
    status_page: settings.get('StatusPage'),
  };
}
