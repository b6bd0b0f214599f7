// Records as the console gets them from the server, for tests in its folders.
import type { Organisation } from '#shared/organisations.ts';
import { Channel } from '#shared/channels.ts';
import { Drawing } from '#shared/drawings.ts';
import { SiteStatus } from '#shared/site.ts';
import { Task } from '#shared/tasks.ts';
import { Token } from '#shared/tokens.ts';
import { User } from '#shared/user.ts';

export function buildConsoleChannel(fields: Partial<Channel> = {}): Channel {
  const texts =
    'key openai_organization test_model base_url other group model_mapping status_code_mapping setting param_override other_info tag';
  const numbers = 'weight priority created_time test_time response_time balance balance_updated_time used_quota max_input_tokens';
  return Channel.parse({
    ...each(texts, ''),
    ...each(numbers, 0),
    id: 7,
    name: 'east',
    type: 1,
    status: 1,
    models: 'gpt-4o',
    groups: ['default'],
    auto_ban: 1,
    revision: 3,
    ...fields,
  });
}

/** Builds a token as a list stored on the device has it: without its whole key. */
export function buildConsoleToken(fields: Partial<Token> = {}): Token {
  return Token.parse({
    id: 5,
    user_id: 7,
    key: 'abcd**********wxyz',
    name: 'phone',
    status: 1,
    created_time: 1,
    accessed_time: 0,
    expired_time: -1,
    remain_quota: 500_000,
    unlimited_quota: false,
    used_quota: 0,
    full_mark: 500_000,
    model_limits_enabled: false,
    model_limits: '',
    allow_ips: '',
    group: '',
    DeletedAt: null,
    revision: 3,
    ...fields,
  });
}

export function buildConsoleUser(fields: Partial<User> = {}): User {
  const texts = 'password email github_id oidc_id wechat_id telegram_id linux_do_id aff_code setting';
  const numbers = 'used_quota request_count full_mark aff_count aff_quota aff_history_quota inviter_id';
  return User.parse({
    ...each(texts, ''),
    ...each(numbers, 0),
    id: 7,
    username: 'alice',
    display_name: 'Alice',
    role: 1,
    status: 1,
    quota: 1_000_000,
    group: 'default',
    DeletedAt: null,
    created_time: 1,
    revision: 3,
    ...fields,
  });
}

function each<Value>(fields: string, value: Value): Record<string, Value> {
  return Object.fromEntries(fields.split(' ').map((field) => [field, value]));
}

/** Of an installation that has its address, without other ways to sign in. */
export function buildSiteStatus(fields: Partial<SiteStatus> = {}): SiteStatus {
  const texts =
    'version system_name logo footer_html docs_link chat_link top_up_link data_export_default_time turnstile_site_key github_client_id oidc_client_id oidc_authorization_endpoint wechat_qrcode telegram_bot_name linuxdo_client_id';
  const off =
    'enable_online_topup enable_batch_update enable_drawing enable_task enable_data_export default_collapse_sidebar mj_notify_enabled turnstile_check email_verification github_oauth oidc_enabled wechat_login telegram_oauth linuxdo_oauth self_use_mode_enabled demo_site_enabled';
  return SiteStatus.parse({
    ...each(texts, ''),
    ...each(off, false),
    ...each('display_in_currency register_enabled password_register password_login setup', true),
    start_time: 1_760_000_000,
    server_address: 'https://gateway.example',
    chats: [],
    quota_per_unit: 500_000,
    price: 7.3,
    min_topup: 1,
    ...fields,
  });
}

/** A drawing that is done. */
export function buildDrawing(fields: Partial<Drawing> = {}): Drawing {
  return Drawing.parse({
    ...each('username prompt_en description state image_url fail_reason buttons properties', ''),
    ...each('start_time finish_time channel_id quota refunded_quota', 0),
    id: 3,
    user_id: 7,
    code: 1,
    action: 'IMAGINE',
    mj_id: '1790000001',
    prompt: 'a harbour',
    submit_time: 1_790_000_000_000,
    status: 'SUCCESS',
    progress: '100%',
    ...fields,
  });
}

/** A piece of music that is done. */
export function buildMusic(fields: Partial<Task> = {}): Task {
  return Task.parse({
    ...each('username fail_reason', ''),
    ...each('channel_id quota refunded_quota start_time finish_time', 0),
    id: 4,
    created_at: 1_790_000_000,
    updated_at: 1_790_000_000,
    task_id: 'b1f0',
    platform: 'suno',
    user_id: 7,
    action: 'MUSIC',
    status: 'SUCCESS',
    submit_time: 1_790_000_000,
    progress: '100%',
    properties: { input: 'a shanty' },
    data: null,
    ...fields,
  });
}

export function buildOrganisation(fields: Partial<Organisation> = {}): Organisation {
  return {
    id: 5,
    name: 'Harbour Labs',
    role: 'owner',
    members: 2,
    tokens: 1,
    group: 'default',
    created_time: 1,
    policy: {},
    rate_limits: [],
    budgets: [],
    domains: [],
    domain_role: 'developer',
    scim_since: 0,
    status: 1,
    revision: 1,
    ...fields,
  };
}
