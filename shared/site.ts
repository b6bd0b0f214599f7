import { z } from 'zod';
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
  data_export_interval: z.number().optional(),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  email_verification: z.boolean(),
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
});
export type SiteStatus = z.infer<typeof SiteStatus>;

/** The newest published release, as its page describes it. */
export const Release = z.object({
  version: z.string(),
  /** Of its page; `""` when none was told. */
  url: z.string(),
  /** Markdown. */
  notes: z.string(),
  /** ISO 8601; `""` when none was told. */
  published_at: z.string(),
  is_newer: z.boolean(),
});
export type Release = z.infer<typeof Release>;

const Text = z.string();
export const siteApi = {
  status: endpoint('GET', '/api/status', { access: 'public', reply: SiteStatus, summary: 'Public facts of this installation' }),
  test: endpoint('GET', '/api/status/test', { access: 'admin', summary: 'Whether the database answers' }),
  update: endpoint('GET', '/api/status/update', { access: 'admin', reply: Release, summary: 'Whether a newer version is published' }),
  notice: endpoint('GET', '/api/notice', { access: 'public', reply: Text, summary: 'Site notice' }),
  about: endpoint('GET', '/api/about', { access: 'public', reply: Text, summary: 'About text' }),
  home: endpoint('GET', '/api/home_page_content', { access: 'public', reply: Text, summary: 'Home page text' }),
};
