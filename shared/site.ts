import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** What everybody may know of this installation. */
export const SiteStatus = z.object({
  version: z.string(),
  start_time: z.int(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  docs_link: z.string(),
  chat_link: z.string(),
  chats: z.array(z.record(z.string(), z.string())),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  price: z.number(),
  min_topup: z.number(),
  top_up_link: z.string(),
  enable_online_topup: z.boolean(),
  enable_batch_update: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  data_export_default_time: z.string(),
  /** Minutes after which the dashboard is brought up to date. */
  data_export_interval: z.optional(z.number()),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  email_verification: z.boolean(),
  /** Whether mails with links to this site can be sent: an SMTP server and the address of the site are set. Absent in earlier versions. */
  sends_mail: z.optional(z.boolean()),
  /** Whether anybody can register now: never before the set-up. */
  register_enabled: z.boolean(),
  /** Whether a name and a password are enough to register or to sign in. */
  password_register: z.boolean(),
  password_login: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  oidc_enabled: z.boolean(),
  oidc_client_id: z.string(),
  oidc_authorization_endpoint: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  self_use_mode_enabled: z.boolean(),
  demo_site_enabled: z.boolean(),
  setup: z.boolean(),
  /** Audience of the status page: `off`, `members` or `public`. Absent in earlier versions. */
  status_page: z.optional(z.string()),
});
export type SiteStatus = z.infer<typeof SiteStatus>;

export const siteApi = {
  status: endpoint('GET', '/api/status', { access: 'public', reply: SiteStatus, summary: 'Public facts of this installation' }),
  test: endpoint('GET', '/api/status/test', { access: 'admin', summary: 'Whether the database answers' }),
};
