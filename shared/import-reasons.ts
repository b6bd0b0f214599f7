// Why rows of another gateway's database are left out of an import, or changed by it. `{detail}` is filled from the note.
import type { LocalText } from './errors.ts';
import type { ImportNote } from './imports.ts';

export const importReasons = {
  // Any row
  unreadable: { zh: '无法读取：{detail}', en: 'Cannot be read: {detail}' },
  amount_unreadable: { zh: '金额超出可存储的范围', en: 'Its amount cannot be stored exactly' },
  deleted: { zh: '在来源中已标记为删除', en: 'Marked as deleted in the source' },
  owner_left_out: { zh: '所属用户未导入', en: 'Its owner is left out' },
  no_place: { zh: 'Tidegate 没有对应的字段：{detail}', en: 'Tidegate has no field for {detail}' },
  table_no_place: { zh: 'Tidegate 没有对应的数据：{detail}', en: 'Tidegate has nothing that corresponds to {detail}' },
  changed_in_source: {
    zh: '导入之后来源中的余额有变动，未再次导入',
    en: 'The balance in the source has changed since its import; the change is not imported',
  },

  // Users
  name_taken: { zh: '用户名已属于此处的用户 {detail}', en: 'The name already belongs to user {detail} here' },
  name_missing: { zh: '没有用户名', en: 'Has no name' },
  renamed: { zh: '以新名称导入：{detail}', en: 'Imported under a new name: {detail}' },
  joined_root: {
    zh: '并入您的超级管理员账号：余额、用量与令牌加入，名称、密码和设置保持不变',
    en: 'Joined with the super administrator here: balance, usage and tokens are added; name, password and settings stay',
  },
  second_root: {
    zh: '此处已有超级管理员：导入后成为第二个超级管理员，密码不变',
    en: 'Becomes a second super administrator here; its password is unchanged',
  },
  name_case: { zh: '与另一用户名只有大小写不同', en: 'Differs from another name by letter case only' },
  display_name_cut: {
    zh: '显示名称过长或含有不可用的字符，已调整',
    en: 'The display name was too long or had unusable characters; adjusted',
  },
  role_guest: { zh: '访客角色变为普通用户', en: 'The guest role becomes the user role' },
  role_no_place: { zh: '角色 {detail} 变为普通用户', en: 'The role {detail} becomes the user role' },
  password_none: { zh: '没有可用的密码：需用邮箱或其他方式登录', en: 'Has no usable password: sign-in by e-mail or another way' },
  password_form: { zh: '密码的格式无法识别：需重设密码', en: 'The password is stored in an unknown form: it must be reset' },
  email_taken: {
    zh: '邮箱已属于其他用户，仅保留显示，不能用于登录',
    en: 'The e-mail address belongs to another user: shown, but not used to sign in',
  },
  email_unconfirmed: {
    zh: '来源未验证邮箱，仅保留显示，不能用于登录',
    en: 'The source did not verify e-mail addresses: shown, but not used to sign in',
  },
  identity_taken: { zh: '{detail} 身份已绑定其他用户', en: 'The {detail} identity is bound to another user' },
  identity_by_name: {
    zh: 'GitHub 绑定只有登录名，不能证明身份，需重新绑定',
    en: 'The GitHub binding is a login name, which does not prove an identity: bind again',
  },
  invite_code_taken: { zh: '邀请码已被占用，将另行生成', en: 'The invite code is taken; a new one is generated' },
  access_token_taken: { zh: '系统访问令牌已属于其他用户', en: 'The system access token belongs to another user' },
  group_unknown: { zh: '分组 {detail} 没有倍率，按 1 计', en: 'The group {detail} has no ratio: 1 is used' },
  second_factor: {
    zh: '两步验证未导入，仅凭密码即可登录，请通知用户',
    en: 'Two-factor sign-in is not imported: the password alone signs in; inform the user',
  },
  setting_part: { zh: '个人设置 {detail} 没有对应项', en: 'The personal setting {detail} has no counterpart' },

  // Tokens
  key_taken: { zh: '密钥已属于此处的其他令牌', en: 'The key already belongs to another token here' },
  key_missing: { zh: '没有密钥', en: 'Has no key' },
  key_kind: { zh: '{detail} 类型的密钥不能用于调用', en: 'Keys of type {detail} cannot be used for calls' },
  console_session: { zh: '控制台会话', en: 'Session of its console' },
  name_cut: { zh: '名称过长，已截短', en: 'The name was too long; cut' },
  addresses_unreadable: {
    zh: '允许的地址无法识别，令牌已禁用而不是开放',
    en: 'An allowed address cannot be read: the token is disabled rather than opened',
  },
  owner_missing: { zh: '没有所属用户', en: 'Has no owner' },
  owner_chosen: { zh: '归属于 {detail}', en: 'Belongs to {detail} now' },
  models_no_place: {
    zh: '模型限制 {detail} 无法对应，令牌已禁用',
    en: 'The model limit {detail} cannot be resolved: the token is disabled',
  },
  limit_no_place: { zh: '限制 {detail} 没有对应项', en: 'The limit {detail} has no counterpart' },
  budget_window: { zh: '预算周期 {detail} 变为一次性余额', en: 'The budget window {detail} becomes a one-time balance' },

  // Channels
  type_unsupported: { zh: '不支持的渠道类型 {detail}', en: 'Channels of type {detail} are not supported' },
  type_mapped: { zh: '渠道类型编号变为 {detail}', en: 'The number of its type changes: {detail}' },
  channel_invalid: { zh: '已禁用：{detail}', en: 'Disabled: {detail}' },
  key_empty: { zh: '没有密钥', en: 'Has no key' },
  key_environment: {
    zh: '环境变量 {detail} 未提供，渠道已禁用',
    en: 'The environment variable {detail} is missing: the channel is disabled',
  },
  key_encrypted: {
    zh: '已加密，未提供正确的 LITELLM_SALT_KEY',
    en: 'Encrypted; LITELLM_SALT_KEY is missing or wrong',
  },
  text_no_json: { zh: '{detail} 不是合法的 JSON，未导入', en: '{detail} is not valid JSON; not imported' },
  mapping_followed: { zh: '模型映射链已展开', en: 'The chain of its model mapping is resolved' },
  wildcard: { zh: '通配模型 {detail} 没有对应项', en: 'The wildcard {detail} has no counterpart' },
  address_plan: { zh: '地址变为 {detail}', en: 'The address becomes {detail}' },
  override_conditions: {
    zh: '参数覆盖含有没有对应项的操作，渠道已禁用',
    en: 'Operations of its parameter overrides have no counterpart: the channel is disabled',
  },

  // Settings and prices
  setting_unknown: { zh: 'Tidegate 没有对应的设置', en: 'Tidegate has no such setting' },
  setting_refused: { zh: '值不被接受：{detail}', en: 'The value is not accepted: {detail}' },
  setting_kept: { zh: '此处已设为其他值，保持不变', en: 'Set to another value here; unchanged' },
  setting_merged: {
    zh: '此处已有的值保持不变，仅加入此处没有的模型或分组',
    en: 'Values here stay; models and groups that are not here are added',
  },
  setting_needs: { zh: '缺少 {detail}', en: '{detail} is missing' },
  setting_payment: { zh: '付款将到达 Tidegate 的地址', en: "Payments will arrive at Tidegate's address" },
  price_none: { zh: '没有价格：调用会被拒绝', en: 'Has no price: calls are refused' },
  price_default: { zh: '来源未保存价格，使用 Tidegate 的价格', en: "The source has saved no prices: Tidegate's apply" },
  price_expression: { zh: '按表达式计价，没有对应项', en: 'Priced by an expression that has no counterpart' },
  price_differs: { zh: '同名部署价格不同，使用最高价', en: 'Deployments of this name have several prices: the highest applies' },
  units_differ: {
    zh: '来源的 QuotaPerUnit（{detail}）与此处不同',
    en: 'The QuotaPerUnit of the source ({detail}) differs from the one here',
  },

  // Codes, orders, tasks, log rows
  code_taken: { zh: '兑换码已存在', en: 'The code already exists here' },
  order_taken: { zh: '订单号已存在', en: 'The order number already exists here' },
  order_of_plan: { zh: '套餐的订单', en: 'The order of a plan' },
  task_running: { zh: '仍在进行：不再查询其结果', en: 'Was running: its result is no longer polled' },
  task_kind: { zh: '平台 {detail} 没有对应项', en: 'The platform {detail} has no counterpart' },
  log_kind: { zh: '登录等记录', en: 'Sign-ins and other events' },
  log_older: { zh: '早于所选天数', en: 'Older than the chosen days' },
  user_gone: { zh: '用户已不存在：归于“无用户”', en: 'Its user no longer exists: the row belongs to no user here' },

  // Data without a counterpart
  plan_unlimited: { zh: '不限额度的套餐未导入，到期时间见明细', en: 'A plan without a limit is not imported' },
  plan_left: { zh: '套餐剩余额度未导入，到期时间见明细', en: 'The unused rest of a plan is not imported' },
  unlimited: {
    zh: '没有上限，此处同样没有上限；原余额没有意义，记为 0',
    en: 'Unlimited in the source and here: its balance has no meaning and becomes 0',
  },
  budget_of_team: {
    zh: '以团队预算的剩余额度为上限：每个密钥各自拥有，不再共用',
    en: "Limited to the rest of its team's budget: each key of the team has that limit; it is no longer shared",
  },
} as const satisfies Record<string, LocalText>;

export type ImportReason = keyof typeof importReasons;

export function isImportReason(code: string): code is ImportReason {
  return Object.hasOwn(importReasons, code);
}

/** Details of `channel_invalid`; codes without a text are shown as they are. */
const channelProblems: Readonly<Record<string, LocalText>> = {
  base_url_required: { zh: '该类型的渠道必须填写地址', en: 'a channel of its type needs a base URL' },
  key_form: { zh: '密钥的格式与渠道类型不符', en: 'the key does not have the form that its type needs' },
  key_aws: { zh: '密钥不是 AWS 的格式', en: 'the key is neither AccessKeyId|SecretAccessKey|Region nor ApiKey|Region' },
  key_google: { zh: '密钥不是 Google 的格式', en: 'the key is neither an API key nor the JSON of a service account' },
  key_codex: { zh: '密钥不是 Codex 的 auth.json', en: 'the key is not JSON with access_token and account_id' },
  key_characters: { zh: '密钥含有不可见或非 ASCII 字符', en: 'the key has characters other than visible ASCII' },
  app_invalid: { zh: '应用类型只能是 completion 或 workflow', en: 'the kind of app is neither completion nor workflow' },
  account_required: { zh: '缺少账号 ID', en: 'the account ID is missing' },
  library_required: { zh: '缺少知识库 ID', en: 'the ID of the library is missing' },
  regions_required: { zh: '缺少区域', en: 'the region is missing' },
  format: { zh: '渠道类型不支持所设的格式', en: 'its type does not support one of its formats' },
};

/** The reason of a remark as a text. */
export function importReasonText(
  { reason, detail, detail_texts: texts }: Pick<ImportNote, 'reason' | 'detail' | 'detail_texts'>,
  language: 'zh' | 'en',
): string {
  if (!isImportReason(reason)) return reason;
  const shown = texts ?? (reason === 'channel_invalid' ? channelProblems[detail] : undefined);
  return importReasons[reason][language].replace('{detail}', () => shown?.[language] ?? detail);
}
