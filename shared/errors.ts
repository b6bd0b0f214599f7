// The closed list of error codes: HTTP status, and the text in each language. The zh texts are interface: existing clients
// match on them. `{name}` is filled from the error's details.
//
// On `/api` a refusal of what could be read is 200 with `success: false`, as existing clients expect; bodies that cannot be
// read, missing sessions and rights, limits and faults have their own status. On `/v1` the status is the one given here.

import { type FailureReason, reasonTexts, saidReason } from './failure-reasons.ts';

interface ErrorEntry {
  status: number;
  zh: string;
  en: string;
}

function entry(status: number, zh: string, en: string): ErrorEntry {
  return { status, zh, en };
}

export const errors = {
  // Session and rights
  not_logged_in: entry(401, '无权进行此操作，未登录且未提供 access token', 'You are not logged in and no access token was given'),
  access_token_invalid: entry(401, '无权进行此操作，access token 无效', 'The access token is invalid'),
  user_info_invalid: entry(403, '无权进行此操作，用户信息无效', 'The user information is invalid'),
  user_header_missing: entry(401, '无权进行此操作，未提供 New-Api-User', 'The New-Api-User header is missing'),
  user_header_malformed: entry(401, '无权进行此操作，New-Api-User 格式错误', 'The New-Api-User header is malformed'),
  user_header_mismatch: entry(401, '无权进行此操作，New-Api-User 与登录用户不匹配', 'The New-Api-User header does not match the session'),
  cross_site_refused: entry(403, '不能从其他网站退出登录', 'Another site cannot sign you out'),
  update_source_missing: entry(
    200,
    '未设置发布地址（环境变量 RELEASES_URL），无法检查更新',
    'No address of releases is set (environment variable RELEASES_URL), so updates cannot be checked',
  ),
  backup_running: entry(200, '已有一个备份正在进行', 'Another backup is being made'),
  backup_place_incomplete: entry(
    200,
    '对象存储的地址、区域、存储桶和密钥未填写完整',
    'Address, region, bucket and keys of the object storage are not complete',
  ),
  price_sync_running: entry(200, '正在与价格目录比对', 'Prices are already being compared with the catalogue'),
  status_incidents_full: entry(200, '未结束的事件已达上限 {limit} 个', 'There are {limit} open incidents already, which is the most'),
  status_updates_full: entry(200, '一个事件最多 {limit} 条更新', 'An incident has at most {limit} updates'),
  price_plans_full: entry(200, '计划中的价格变更已达上限 {limit} 项', 'There are {limit} planned price changes already, which is the most'),
  backup_gone: entry(200, '此备份的文件不在这台服务器上', 'The file of this backup is not on this server'),
  import_running: entry(200, '已有一个导入正在进行', 'Another import is running'),
  import_not_ready: entry(200, '此导入当前的状态不允许该操作', 'The import is in a state that does not allow this'),
  import_source_missing: entry(
    200,
    '请提供一个文件、一个数据库地址或一份 LiteLLM 配置',
    'Give one file, one address of a database, or a configuration of LiteLLM',
  ),
  import_address_form: entry(
    200,
    '地址必须是 mysql://…、postgres://… 或 SQL_DSN 的内容',
    'The address must be mysql://…, postgres://…, or the text of SQL_DSN',
  ),
  import_not_sqlite: entry(200, '这不是 SQLite 数据库文件；压缩包请先解压', 'This is not an SQLite database; unpack archives first'),
  import_too_large: entry(200, '文件超过 {limit} MB', 'The file is larger than {limit} MB'),
  import_disk_full: entry(200, '服务器磁盘空间不足，无法存放此文件', "The server's disk has not enough space for this file"),
  import_part_order: entry(200, '文件的这一部分不是接下来的部分', 'This part of the file is not the next one'),
  import_file_elsewhere: entry(200, '文件不在这台服务器上', 'The file is not on this server'),
  import_conflicts: entry(
    200,
    '有记录与此处的数据冲突，请先选择如何处理并重新试运行',
    'Rows conflict with what is here: choose what becomes of them, and repeat the dry run',
  ),
  bill_import_running: entry(200, '此账户已有一个账单正在导入', 'Another bill of this account is being imported'),
  bill_channel_taken: entry(
    200,
    '渠道 #{channel} 已属于上游账户「{name}」，不能重复计入',
    'Channel #{channel} belongs to the provider account “{name}” and cannot be counted twice',
  ),
  bill_no_usage_api: entry(200, '此账户没有用量接口或管理密钥', 'This account has no usage API, or no admin key'),
  bill_mappings_full: entry(200, '最多可保存 {count} 个列映射', 'At most {count} mappings can be remembered'),
  managed_by_file: entry(
    200,
    '{name} 由文件 {file} 管理：请在该文件中修改并重新应用',
    '{name} is managed by the file {file}: change it there and apply the file',
  ),
  document_invalid: entry(
    200,
    '文件有 {count} 处错误，未做任何更改。{detail}',
    'The files have errors ({count}), and nothing was changed. {detail}',
  ),
  document_nameless: entry(
    200,
    '多个文件需要共同的名称：在文件中写 name，或另行指定',
    'Several files need one name: write name in one of them, or give it besides',
  ),
  apply_running: entry(200, '另一个文件正在应用，请稍后再试', 'Another file is being applied, please try again later'),
  apply_outdated: entry(
    200,
    '自计划生成以来已有其他更改：请重新生成计划',
    'Something was changed since the plan was made: make the plan again',
  ),
  apply_stopped: entry(
    200,
    '已完成 {done} 项更改（共 {total} 项）后停止：{detail}。再次应用同一文件即可继续',
    'Stopped after {done} of {total} changes: {detail}. Apply the same file again to continue',
  ),
  update_check_failed: entry(200, '检查更新失败，请稍后再试', 'The check for updates failed, please try again later'),
  forbidden: entry(403, '无权进行此操作，权限不足', 'You do not have the right to do this'),
  user_banned: entry(403, '用户已被封禁', 'The user has been banned'),
  session_not_saved: entry(503, '无法保存会话信息，请重试', 'The session could not be saved, please retry'),

  // Any request
  invalid_parameter: entry(200, '无效的参数', 'Invalid parameters'),
  invalid_field: entry(200, '无效的参数：{sentence}', 'Invalid parameter: {sentence}'),
  body_empty: entry(400, '请求体为空，应为 JSON', 'The request body is empty, it must be JSON'),
  invalid_json: entry(
    400,
    '请求体不是合法的 JSON：第 {line} 行第 {column} 列',
    'The request body is not valid JSON: line {line}, column {column}',
  ),
  /** Of a text in which the place is not looked for. */
  invalid_json_long: entry(400, '请求体不是合法的 JSON', 'The request body is not valid JSON'),
  invalid_utf8: entry(400, '请求体不是合法的 UTF-8 文本', 'The request body is not valid UTF-8'),
  body_too_large: entry(413, '请求体过大，上限为 {limit} 字节', 'The request body is larger than {limit} bytes'),
  body_expands: entry(413, '请求体解压后膨胀过大', 'The request body expands too much when it is decompressed'),
  body_too_complex: entry(413, '请求体结构过于复杂', 'The request body has too many parts'),
  body_too_deep: entry(400, '请求体嵌套过深，上限为 {limit} 层', 'The request body is nested more than {limit} levels deep'),
  body_timeout: entry(408, '请求体接收超时', 'The request body did not arrive in time'),
  bodies_of_caller: entry(429, '您同时进行的请求体过大，请稍后再试', 'Your running requests are too large together, try again later'),
  bodies_of_server: entry(
    503,
    '服务器正在处理的请求体过大，请稍后再试',
    'The requests in progress are too large together, try again later',
  ),
  /** Its disk is full, or does not work. */
  spool_failed: entry(
    507,
    '服务器暂时无法保存请求体（{reason}），请稍后再试',
    'The server cannot store this body at the moment ({reason}), try again later',
  ),
  unsupported_media_type: entry(415, '请求体的类型（Content-Type）必须是 application/json', 'The Content-Type must be application/json'),
  broken_encoding: entry(400, '请求体无法按 {encoding} 解压', 'The request body cannot be decompressed as {encoding}'),
  bytes_expected: entry(
    415,
    '请求体的类型（Content-Type）必须是 application/octet-stream',
    'The Content-Type must be application/octet-stream',
  ),
  unsupported_encoding: entry(415, '不支持的内容编码', 'Unsupported content encoding'),
  not_found: entry(200, '记录不存在', 'The record does not exist'),
  log_not_found: entry(200, '这条记录不存在，或不属于你', 'This record does not exist, or is not yours'),
  refund_not_charged: entry(200, '这次调用没有扣费，无可退回', 'Nothing was charged for this call'),
  refund_of_task: entry(
    200,
    '绘图、音乐和视频任务失败时会自动退款，不能手动退款',
    'Drawings, music and videos are refunded when they fail, not by hand',
  ),
  refund_of_batch: entry(
    200,
    '批处理结束时会自动退回未使用的额度，不能手动退款',
    'What a batch does not use comes back when it ends, not by hand',
  ),
  refund_of_tuning: entry(
    200,
    '微调任务结束时会自动退回未使用的额度，不能手动退款',
    'What a fine-tuning job does not use comes back when it ends, not by hand',
  ),
  refund_of_cache: entry(
    200,
    '上下文缓存结束时会自动退回未使用的额度，不能手动退款',
    'The unused time of a context cache is refunded when the cache ends, not by hand',
  ),
  refund_too_large: entry(200, '最多还能退回 {quota} 额度', 'At most {quota} quota can be given back'),
  target_timestamp_required: entry(200, 'target timestamp is required', 'target timestamp is required'),
  exports_running: entry(429, '同时进行的导出过多，请等前一个完成', 'Too many exports are running: wait until one has ended'),
  log_deletion_running: entry(429, '正在删除日志，请稍后再试', 'Rows of the log are being deleted: try again later'),
  tails_open: entry(429, '同时跟随日志的窗口过多，请关闭一些', 'Too many windows follow the log: close some'),
  data_span_too_long: entry(200, '时间跨度不能超过 1 个月', 'The time span must not exceed 1 month'),
  invalid_url: entry(404, 'Invalid URL ({method} {path})', 'Invalid URL ({method} {path})'),
  host_missing: entry(400, '请求缺少 Host 请求头', 'The request has no Host header'),
  rate_limited: entry(429, '请求过于频繁，请稍后再试', 'Too many requests, try again later'),
  revision_conflict: entry(200, '内容已被他人修改', 'This has been changed by someone else'),
  internal_error: entry(500, '服务器内部错误，请联系管理员', 'Internal server error, please contact the administrator'),
  database_unavailable: entry(503, '数据库连接失败', 'The database is not available'),
  shutting_down: entry(503, '服务器正在关闭，请稍后重试', 'The server is shutting down, please retry'),

  // Set-up
  setup_missing: entry(200, '系统尚未初始化，请先完成初始化', 'This site is not set up yet: finish the set-up first'),
  setup_done: entry(200, '系统已经初始化完成', 'The system is already set up'),
  setup_username_required: entry(200, '请输入管理员用户名', 'Please enter the admin username'),
  setup_passwords_differ: entry(200, '两次输入的密码不一致', 'The two passwords entered do not match'),
  setup_secret_wrong: entry(200, '初始化密钥错误', 'The set-up secret is wrong'),
  setup_password_short: entry(200, '密码长度至少为8个字符', 'Password must be at least 8 characters long'),

  // Accounts
  password_login_disabled: entry(200, '管理员关闭了密码登录', 'The administrator has disabled password login'),
  registration_closed: entry(200, '管理员关闭了新用户注册', 'The administrator has closed registration'),
  password_registration_disabled: entry(
    200,
    '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    'The administrator has disabled registration with a password',
  ),
  invalid_input: entry(200, '输入不合法 {detail}', 'Invalid input: {detail}'),
  email_code_required: entry(
    200,
    '管理员开启了邮箱验证，请输入邮箱地址和验证码',
    'This site verifies e-mail addresses: enter yours and the verification code',
  ),
  username_taken: entry(200, '用户名已存在，或已注销', 'The username is taken or belonged to a deleted account'),
  login_empty: entry(200, '无效的参数', 'Enter your username and password'),
  login_failed: entry(200, '用户名或密码错误，或用户已被封禁', 'Wrong username or password, or the user has been banned'),
  login_locked: entry(429, '登录失败次数过多，请 {seconds} 秒后再试', 'Too many failed logins, try again in {seconds} seconds'),
  mail_unconfigured: entry(200, 'SMTP 服务器未配置', 'This site has no mail server yet'),
  mail_sender_invalid: entry(200, 'invalid SMTP account', 'The sender of mails (SMTPFrom, or else SMTPAccount) is no e-mail address'),
  mail_address_invalid: entry(200, '无效的邮箱地址', 'Not a valid e-mail address'),
  mail_failed: entry(200, '邮件发送失败，请稍后重试', 'The mail could not be sent, try again later'),
  webhook_url_required: entry(200, 'Webhook地址不能为空', 'Enter the address of the webhook'),
  webhook_url_invalid: entry(200, '无效的Webhook地址', 'The webhook must be a public address that begins with https://'),
  webhook_secret_invalid: entry(
    200,
    'Webhook 密钥只能包含英文字母、数字和符号',
    'The secret of the webhook may have letters, digits and signs of ASCII only',
  ),
  notification_failed: entry(200, '通知未送达：{reason}', 'The notice was not delivered: {reason}'),
  mail_test_failed: entry(200, '邮件发送失败：{reason}', 'The mail was not sent: {reason}'),
  notify_type_invalid: entry(200, '无效的预警类型', 'Not a kind of notice'),
  warning_threshold_invalid: entry(200, '预警阈值必须大于0', 'The warning threshold must be above 0'),
  notification_email_invalid: entry(200, '无效的邮箱地址', 'Not a valid e-mail address'),
  aff_transfer_small: entry(200, '划转失败 转移额度最小为{minimum}！', 'Not transferred: the least amount is {minimum}'),
  aff_transfer_unfunded: entry(200, '划转失败 邀请额度不足！', 'Not transferred: the invite earnings are not enough'),
  current_password_wrong: entry(200, '原密码错误', 'The current password is wrong'),
  user_not_found: entry(200, '用户不存在', 'The user does not exist'),
  user_read_denied: entry(200, '无权获取同级或更高等级用户的信息', 'You may not read users of the same or a higher level'),
  user_edit_denied: entry(200, '无权更新同权限等级或更高权限等级的用户信息', 'You may not change users of the same or a higher level'),
  user_raise_denied: entry(
    200,
    '无权将其他用户权限等级提升到大于等于自己的权限等级',
    'You may not raise a user to your own level or above',
  ),
  user_delete_denied: entry(200, '无权删除同权限等级或更高权限等级的用户', 'You may not delete users of the same or a higher level'),
  user_create_denied: entry(200, '无法创建权限大于等于自己的用户', 'You may not create a user of your own level or above'),
  root_not_disabled: entry(200, '无法禁用超级管理员用户', 'The super admin cannot be disabled'),
  root_not_deleted: entry(200, '无法删除超级管理员用户', 'The super admin cannot be deleted'),
  root_self_delete: entry(200, '不能删除超级管理员账户', 'The super admin account cannot be deleted'),
  root_not_demoted: entry(200, '无法降级超级管理员用户', 'The super admin cannot be demoted'),
  promote_denied: entry(200, '普通管理员用户无法提升其他用户为管理员', 'A regular admin cannot promote other users'),
  already_admin: entry(200, '该用户已经是管理员', 'This user is already an admin'),
  already_user: entry(200, '该用户已经是普通用户', 'This user is already a normal user'),
  enable_blocked: entry(200, '该用户无法启用', 'This user cannot be enabled'),
  group_unknown: entry(200, '分组 {group} 不存在', 'The group {group} does not exist'),
  balance_too_large: entry(200, '额度超出允许的最大值', 'The balance would exceed the largest amount allowed'),
  balance_too_small: entry(200, '额度不足，扣减后余额将为负数', 'The balance is too small for this deduction'),

  // Whether a person is there
  human_token_missing: entry(200, 'Turnstile token 为空', 'The human check is not done yet'),
  human_check_failed: entry(200, 'Turnstile 校验失败，请刷新重试！', 'The human check failed: reload the page and try again'),
  human_check_unreachable: entry(200, '无法连接至 Turnstile 服务器，请稍后重试！', 'The human check cannot be reached, try again later'),

  // E-mail addresses
  mail_too_soon: entry(429, '发送过于频繁，请 {seconds} 秒后再试', 'A mail has just been sent: try again in {seconds} seconds'),
  reset_link_invalid: entry(200, '重置链接非法或已过期', 'The reset link is not valid or has expired'),
  email_invalid: entry(200, '无效的邮箱地址', 'Not a valid e-mail address'),
  // In English in every language: clients translate by it.
  email_domain_refused: entry(
    200,
    "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist.",
    "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist.",
  ),
  email_alias_refused: entry(
    200,
    '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
    'This site takes no e-mail aliases: the part before the @ must not contain a + or a point',
  ),
  email_taken: entry(200, '邮箱地址已被占用', 'The e-mail address is in use'),

  // Sign-in through other providers
  state_mismatch: entry(403, 'state is empty or not same', 'The sign-in was begun elsewhere or has expired: please begin again'),
  foreign_mail_refused: entry(403, '不能从其他网站请求发送邮件', 'Another site cannot ask for mails'),
  foreign_page_refused: entry(403, '不能从其他网站登录或绑定', 'Another site cannot sign you in'),
  sign_in_banned: entry(200, '用户已被封禁', 'The user has been banned'),
  account_deleted: entry(200, '用户已注销', 'The account was deleted'),
  github_disabled: entry(200, '管理员未开启通过 GitHub 登录以及注册', 'The administrator has not enabled sign-in with GitHub'),
  oidc_disabled: entry(200, '管理员未开启通过 OIDC 登录以及注册', 'The administrator has not enabled sign-in with OIDC'),
  linuxdo_disabled: entry(200, '管理员未开启通过 Linux DO 登录以及注册', 'The administrator has not enabled sign-in with Linux DO'),
  wechat_disabled: entry(200, '管理员未开启通过微信登录以及注册', 'The administrator has not enabled sign-in with WeChat'),
  telegram_disabled: entry(200, '管理员未开启通过 Telegram 登录以及注册', 'The administrator has not enabled sign-in with Telegram'),
  provider_refused: entry(200, '登录被拒绝：{detail}', 'The sign-in was refused: {detail}'),
  github_unreachable: entry(200, '无法连接至 GitHub 服务器，请稍后重试！', 'GitHub cannot be reached, try again later'),
  github_user_empty: entry(200, '返回值非法，用户字段为空，请稍后重试！', 'GitHub did not say who you are, try again later'),
  oidc_unreachable: entry(200, '无法连接至 OIDC 服务器，请稍后重试！', 'The OIDC server cannot be reached, try again later'),
  oidc_token_failed: entry(200, 'OIDC 获取 Token 失败，请检查设置！', 'The OIDC server gave no valid token, check the settings'),
  oidc_user_failed: entry(200, 'OIDC 获取用户信息失败！请检查设置！', 'The OIDC server gave no user information, check the settings'),
  oidc_user_empty: entry(
    200,
    'OIDC 获取用户信息为空！请检查设置！',
    'The user information of the OIDC server is empty, check the settings',
  ),
  linuxdo_code_invalid: entry(200, 'invalid code', 'invalid code'),
  linuxdo_unreachable: entry(200, 'failed to connect to Linux DO server', 'failed to connect to Linux DO server'),
  linuxdo_token_failed: entry(200, 'failed to get access token: {detail}', 'failed to get access token: {detail}'),
  linuxdo_user_failed: entry(200, 'failed to get user info from Linux DO', 'failed to get user info from Linux DO'),
  linuxdo_user_empty: entry(200, 'invalid user info returned', 'invalid user info returned'),
  linuxdo_inactive: entry(200, 'Linux DO 账户未激活或已被禁言', 'The Linux DO account is not active or has been silenced'),
  linuxdo_trust_too_low: entry(
    200,
    'Linux DO 信任等级不足，至少需要 {minimum} 级，当前为 {level} 级',
    'The trust level at Linux DO is too low: {minimum} is needed, yours is {level}',
  ),
  wechat_unreachable: entry(200, '无法连接至微信登录服务器，请稍后重试！', 'The WeChat server cannot be reached, try again later'),
  wechat_refused: entry(200, '{detail}', '{detail}'),
  code_wrong: entry(200, '验证码错误或已过期', 'The verification code is wrong or has expired'),
  telegram_invalid: entry(200, '无效的请求', 'What Telegram said is not valid or too old'),
  telegram_unbound: entry(200, '该 Telegram 账户未绑定', 'This Telegram account is not bound to any account'),
  github_bound: entry(200, '该 GitHub 账户已被绑定', 'This GitHub account is bound to another user'),
  oidc_bound: entry(200, '该 OIDC 账户已被绑定', 'This OIDC account is bound to another user'),
  linuxdo_bound: entry(200, '该 Linux DO 账户已被绑定', 'This Linux DO account is bound to another user'),
  wechat_bound: entry(200, '该微信账号已被绑定', 'This WeChat account is bound to another user'),
  telegram_bound: entry(200, '该 Telegram 账户已被绑定', 'This Telegram account is bound to another user'),
  binding_missing: entry(200, '该账户未绑定', 'Nothing of this kind is bound'),
  last_way_in: entry(
    200,
    '这是您唯一的登录方式，请先设置密码或绑定其他账户',
    'This is your only way to sign in: set a password or bind another account first',
  ),

  // Options
  option_unknown: entry(200, '未知的配置项', 'Unknown setting'),
  option_denied: entry(403, '只有超级管理员可以修改配置项 {key}', 'Only the super admin may change {key}'),
  option_invalid_json: entry(200, '不是合法的 JSON 字符串', 'Not a valid JSON text'),
  option_not_boolean: entry(200, '配置项 {key} 只能是 true 或 false', '{key} must be true or false'),
  option_empty: entry(200, '请填写配置项 {key}', '{key} must not be empty'),
  option_not_integer: entry(200, '配置项 {key} 必须是整数', '{key} must be a whole number'),
  option_not_number: entry(200, '配置项 {key} 必须是数字', '{key} must be a number'),
  option_out_of_range: entry(200, '配置项 {key} 必须在 {min} 到 {max} 之间', '{key} must be between {min} and {max}'),
  option_not_url: entry(200, '配置项 {key} 必须以 http:// 或 https:// 开头', '{key} must begin with http:// or https://'),
  option_not_link: entry(
    200,
    '配置项 {key} 中 {name} 的链接必须以 http://、https:// 或已知客户端的协议（如 opencat://）开头',
    'In {key}, the link of {name} must begin with http://, https:// or the scheme of a known client, such as opencat://',
  ),
  option_not_image: entry(
    200,
    '配置项 {key} 必须是以 http:// 或 https:// 开头的网址、以 / 开头的站内路径，或 data:image/ 图片',
    '{key} must be an http:// or https:// address, a path of this site that begins with /, or a data:image/ picture',
  ),
  option_too_long: entry(200, '配置项 {key} 过长，最多 {limit} 个字符', '{key} is too long, at most {limit} characters'),
  option_not_text: entry(200, '配置项 {key} 含有不允许的字符', '{key} contains characters that are not allowed'),
  option_not_choice: entry(200, '配置项 {key} 只能是：{choices}', '{key} must be one of: {choices}'),
  option_not_number_map: entry(200, '配置项 {key} 必须是“名称: 数字”形式的 JSON 对象', '{key} must be a JSON object of names and numbers'),
  option_not_text_map: entry(200, '配置项 {key} 必须是“名称: 文本”形式的 JSON 对象', '{key} must be a JSON object of names and texts'),
  option_not_nested_map: entry(
    200,
    '配置项 {key} 必须是“分组: {分组: 值}”形式的 JSON 对象',
    '{key} must be a JSON object of groups, each with an object of groups and values',
  ),
  option_not_header_map: entry(
    200,
    '配置项 {key} 必须是“模型: {请求头: [值]}”形式的 JSON 对象',
    '{key} must be a JSON object of models, their headers and lists of values',
  ),
  option_not_chats: entry(
    200,
    '配置项 {key} 必须是“[{名称: 链接}]”形式的 JSON 数组',
    '{key} must be a JSON list of objects with one name and its link',
  ),
  option_not_list: entry(200, '配置项 {key} 的 {place} 格式不正确', '{key} is not in the right form at {place}'),
  option_entry_out_of_range: entry(
    200,
    '配置项 {key} 中 {name} 的值必须在 {min} 到 {max} 之间',
    'In {key}, the value of {name} must be between {min} and {max}',
  ),
  option_entry_name: entry(200, '配置项 {key} 中的名称不合法：{name}', '{key} contains a name that is not allowed: {name}'),
  option_entry_unknown: entry(
    200,
    '配置项 {key} 中的 {name} 不起作用：请检查拼写',
    '{key} has an entry {name} that would do nothing: check how it is spelled',
  ),
  option_change_not_found: entry(200, '改动记录不存在', 'There is no such change'),
  option_change_not_kept: entry(
    200,
    '这项改动没有保留原值，无法撤销',
    'The values of this change were not kept, so it cannot be taken back',
  ),
  group_default_missing: entry(200, '必须保留 default 分组', 'The group default must be kept'),
  group_taken: entry(200, '分组 {group} 已存在', 'The group {group} exists already'),
  group_in_use: entry(
    200,
    '分组 {group} 仍在使用：用户 {users} 个，令牌 {keys} 个，渠道 {channels} 个，邀请 {invitations} 个。请先指定它们迁移到的分组',
    'The group {group} is in use: users {users}, keys {keys}, channels {channels}, invitations {invitations}. Choose the group they move to',
  ),
  group_moving: entry(
    200,
    '分组 {group} 正在迁移至 {to}，请在几分钟后重试',
    'The group {group} is moving to {to}: try again in a few minutes',
  ),
  group_ratio_negative: entry(200, 'group ratio must be not less than 0: {group}', 'group ratio must be not less than 0: {group}'),
  github_unconfigured: entry(
    200,
    '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    'GitHub OAuth cannot be enabled before its client id and secret are set',
  ),
  oidc_unconfigured: entry(
    200,
    '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
    'OIDC login cannot be enabled before its client id and secret are set',
  ),
  linuxdo_unconfigured: entry(
    200,
    '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    'LinuxDO OAuth cannot be enabled before its client id and secret are set',
  ),
  email_domains_unconfigured: entry(
    200,
    '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    'The e-mail domain restriction cannot be enabled without a list of domains',
  ),
  wechat_unconfigured: entry(
    200,
    '无法启用微信登录，请先填入微信登录相关配置信息！',
    'WeChat login cannot be enabled before its settings are filled in',
  ),
  turnstile_unconfigured: entry(
    200,
    '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    'Turnstile cannot be enabled before its settings are filled in',
  ),
  telegram_unconfigured: entry(
    200,
    '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    'Telegram OAuth cannot be enabled before the bot token is set',
  ),
  server_address_required: entry(200, '请先填写服务器地址', 'Fill in the server address first'),
  setting_in_use: entry(200, '{key} 依赖此项，请先将其关闭或清空', '{key} depends on this setting: switch it off or clear it first'),

  // Channels
  channel_arguments: entry(200, '参数错误', 'Wrong parameters'),
  tag_empty: entry(200, 'tag不能为空', 'The tag must not be empty'),
  channels_partly_changed: entry(
    200,
    '只修改了 {total} 个渠道中的 {done} 个。{detail}',
    'Only {done} of {total} channels were changed. {detail}',
  ),
  channels_stopped: entry(
    503,
    '数据库暂时不可用，只修改了 {total} 个渠道中的 {done} 个，请重试',
    'The database does not answer: only {done} of {total} channels were changed, please retry',
  ),
  channel_incomplete: entry(200, '请填写渠道名称和渠道密钥！', 'Enter the name and the key of the channel'),
  channel_without_models: entry(200, '请至少选择一个模型！', 'Choose at least one model'),
  channel_model_too_long: entry(200, '模型名称过长: {model}', 'The model name is too long: {model}'),
  channel_mapping_invalid: entry(200, '模型映射必须是合法的 JSON 格式！', 'The model mapping must be valid JSON'),
  channel_json_invalid: entry(200, '{field} 必须是合法的 JSON 格式！', '{field} must be valid JSON'),
  channel_key_invalid: entry(200, '渠道密钥含有不允许的字符', 'The key contains characters that are not allowed'),
  channel_key_needed: entry(
    200,
    '渠道密钥将被发送到新的地址或经过新的代理，请重新填写密钥（超级管理员除外）',
    'The key would be sent to a new address or through a new proxy: enter the key again (the super admin need not)',
  ),
  channel_key_google: entry(
    200,
    '渠道密钥必须是 API Key，或服务账号的 JSON，或带 quota_project_id 的 ADC 文件',
    'The key must be an API key, the JSON of a service account, or an ADC file with a quota_project_id',
  ),
  channel_key_aws: entry(
    200,
    '渠道密钥必须是 AccessKeyId|SecretAccessKey|Region（临时凭证再加 |SessionToken），或 ApiKey|Region',
    'The key must be AccessKeyId|SecretAccessKey|Region (with |SessionToken behind it for temporary credentials), or ApiKey|Region',
  ),
  channel_key_codex: entry(
    200,
    '渠道密钥必须是含 access_token 和 account_id 的 JSON，例如 Codex 的 auth.json',
    'The key must be JSON with an access_token and an account_id, such as auth.json of Codex',
  ),
  channel_key_form: entry(200, '渠道密钥的格式必须是 {forms}', 'The key must have the form {forms}'),
  channel_regions_required: entry(200, '部署地区不能为空', 'Enter the region'),
  channel_regions_default: entry(200, '部署地区必须包含default字段', 'The regions must have one for default'),
  channel_regions_invalid: entry(
    200,
    '部署地区必须是地区名称，或模型到地区的 JSON',
    'The region must be the name of one, or a JSON object of regions by model',
  ),
  channel_account_required: entry(200, '请填写 Account ID', 'Enter the account ID'),
  channel_library_required: entry(200, '请填写知识库 ID', 'Enter the library ID'),
  channel_app_invalid: entry(
    200,
    '应用类型无效，应为 completion 或 workflow，可加 :变量名',
    'The application must be completion or workflow, with :variable behind it',
  ),
  channel_format_foreign: entry(
    200,
    '该类型的渠道没有 {name} 格式，可用的有：{formats}',
    'A channel of this type has no format {name}, but has: {formats}',
  ),
  channel_keys_many: entry(200, '一次最多创建 {limit} 个渠道', 'At most {limit} channels can be created at once'),
  channel_text_invalid: entry(200, '{field} 含有不允许的字符或过长', '{field} is too long or contains characters that are not allowed'),
  channel_status_invalid: entry(200, '只能手动启用或禁用渠道', 'A channel can only be enabled or disabled by hand'),
  channel_base_url_invalid: entry(200, '渠道地址必须以 http:// 或 https:// 开头', 'The base URL must begin with http:// or https://'),
  channel_base_url_required: entry(200, '该类型的渠道必须填写渠道地址', 'A channel of this type needs a base URL'),
  channel_type_unsupported: entry(200, '暂不支持该类型的渠道：{type}', 'Channels of type {type} are not supported'),
  channel_not_found: entry(200, '渠道未找到，请刷新页面后重试。', 'The channel was not found, please reload the page'),
  channel_has_keys: entry(200, '该渠道有多个密钥，请在“密钥”页中更改', 'This channel has several keys: change them on its Keys page'),
  channel_key_not_found: entry(200, '密钥不存在', 'There is no such key'),
  channel_key_known: entry(200, '该渠道已有这个密钥', 'The channel has this key already'),
  channel_key_one: entry(200, '请输入一个密钥', 'Enter one key'),
  channel_key_sole: entry(200, '渠道至少要保留一个密钥', 'A channel retains at least one key'),
  channel_keys_full: entry(200, '一个渠道最多 {limit} 个密钥', 'A channel has at most {limit} keys'),
  channel_key_type: entry(200, '新密钥不适用于渠道 {name}', 'The new key cannot be used in the channel {name}'),
  key_replacement_late: entry(
    200,
    '无法撤销：已超过 24 小时，或已撤销',
    'Nothing to take back: it is more than 24 hours ago, or was taken back already',
  ),
  key_replacement_moved: entry(
    200,
    '无法撤销：渠道 {name} 的地址或代理已更改（超级管理员除外）',
    'Not taken back: the channel {name} has another address or proxy by now (the super admin may)',
  ),
  channel_restore_late: entry(
    200,
    '无法撤销：渠道删除已超过一分钟，或已被撤销',
    'Nothing to take back: the channels were deleted more than a minute ago, or are there already',
  ),
  channel_test_unsupported: entry(200, '{name} channel test is not supported', '{name} channel test is not supported'),
  channel_test_unsupported_plus: entry(
    200,
    'midjourney plus channel test is not supported!!!',
    'midjourney plus channel test is not supported!!!',
  ),
  channel_test_orders: entry(
    200,
    '{model} 只接受视频任务：每次生成都会计费，且需要几分钟，因此不支持测试',
    '{model} only takes orders of videos, each of which costs and takes minutes, so it is not tested',
  ),
  channel_test_failed: entry(200, '{detail}', '{detail}'),
  channel_models_failed: entry(200, '{detail}', '{detail}'),
  channel_balance_failed: entry(200, '{detail}', '{detail}'),
  channel_balance_unsupported: entry(200, '尚未实现', 'Channels of this type do not report a balance'),
  channel_tests_running: entry(200, '测试已在运行中', 'A test is already running'),
  channel_balances_running: entry(200, '余额更新已在运行中', 'Balances are already being updated'),
  channel_models_unlisted: entry(
    200,
    '该类型的渠道不提供模型列表，请手动填写模型',
    'Providers of this type do not tell which models they have: enter them by hand',
  ),

  // Tokens
  token_name_long: entry(200, '令牌名称过长', 'The token name is too long'),
  token_name_required: entry(200, '请输入令牌名称', 'Enter a name for the token'),
  token_expiry_invalid: entry(200, '过期时间格式错误！', 'The expiry is not a valid time'),
  token_ips_invalid: entry(200, '允许的 IP 格式错误：{line}', 'Not an IP address or CIDR range: {line}'),
  token_group_denied: entry(200, '无权访问该分组', 'You may not use this group'),
  token_expired_enable: entry(
    200,
    '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
    'The token has expired and cannot be enabled: change its expiry or let it never expire',
  ),
  token_exhausted_enable: entry(
    200,
    '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    'The token is used up and cannot be enabled: raise its quota or make it unlimited',
  ),
  token_blocked: entry(
    200,
    '该令牌已被管理员禁用，无法自行启用：{reason}',
    'An administrator has disabled this token, so you cannot enable it: {reason}',
  ),
  token_limit_held: entry(
    200,
    '令牌“{name}”的这项限制由管理员设置，无法自行修改',
    'An administrator has set this limit of the token "{name}", so you cannot change it',
  ),
  token_limit_bound: entry(
    200,
    '令牌“{name}”的这项限制由组织管理员 {by} 设置：可以收紧，不能放宽',
    '{by}, who manages the organisation, has set this limit of the token "{name}": you can narrow it, not widen it',
  ),
  token_stopped: entry(
    200,
    '该令牌已被组织管理员 {name} 禁用，无法自行启用',
    '{name}, who manages the organisation, has disabled this token, so you cannot enable it',
  ),
  token_owner_same: entry(200, '该令牌已属于此用户', 'This user has the token already'),
  token_moving: entry(200, '该令牌正在迁移到其他用户，请稍后再试', 'The token is being moved to another user, try again in a moment'),
  token_id_empty: entry(200, 'id 或 userId 为空！', 'The id is empty'),
  token_limit_reached: entry(200, '令牌数量已达上限，最多 {limit} 个', 'The limit of {limit} tokens is reached'),
  invitation_invalid: entry(
    200,
    '邀请链接无效或已过期，请联系管理员重新发送',
    'The invitation is not valid any more: ask an administrator for a new one',
  ),
  invitation_used: entry(200, '该邀请已被使用，请用设置的密码登录', 'The invitation was used: sign in with the password that was set'),
  user_code_invalid: entry(200, '设备代码不正确或已过期', 'The code is wrong, used or expired'),
  tokens_missing: entry(
    200,
    '其中 {count} 个令牌已不存在，请刷新列表后重试',
    '{count} of these tokens do not exist any more: reload the list and try again',
  ),
  tokens_unlimited: entry(200, '无限额度的令牌不能充值：{names}', 'Tokens without a quota limit cannot be refilled: {names}'),
  tokens_stopped: entry(
    503,
    '数据库暂时不可用，已修改 {total} 个令牌中的 {done} 个，请重试，已完成的不会重复修改',
    'The database does not answer: {done} of {total} tokens were changed. Try again: what is done is not done twice',
  ),
  token_count_invalid: entry(200, '令牌个数必须在 1 到 {limit} 之间', 'The number of tokens must be between 1 and {limit}'),

  // Redemption codes
  redemption_name_length: entry(200, '兑换码名称长度必须在1-20之间', 'The name of a redemption code must have 1 to 20 characters'),
  redemption_quota_low: entry(200, '兑换码额度必须大于0', 'The quota of a redemption code must be above 0'),
  redemption_count_low: entry(200, '兑换码个数必须大于0', 'The number of redemption codes must be above 0'),
  redemption_count_high: entry(200, '一次兑换码批量生成的个数不能大于 {limit}', 'At most {limit} redemption codes at once'),
  redemption_expiry_past: entry(200, '过期时间必须晚于现在', 'The expiry must be later than now'),
  redemption_id_empty: entry(200, 'id 为空！', 'The id is empty'),
  redemption_used: entry(200, '该兑换码已被使用', 'This code has been redeemed already'),
  redemption_disabled: entry(200, '该兑换码已被禁用，请先启用再修改', 'This code is disabled: enable it first'),
  redeem_key_missing: entry(200, '未提供兑换码', 'No redemption code was given'),
  redeem_invalid: entry(200, '兑换失败，无效的兑换码', 'Redeeming failed: this code is not valid'),
  redeem_used: entry(200, '兑换失败，该兑换码已被使用', 'Redeeming failed: this code has been used already'),
  redeem_expired: entry(200, '兑换失败，该兑换码已过期', 'Redeeming failed: this code has expired'),

  // Top-up
  payment_input: entry(200, '参数错误', 'Wrong parameters'),
  payment_method_unknown: entry(200, '不支持的支付方式', 'This way of paying is not offered'),
  topup_below_minimum: entry(200, '充值数量不能小于 {minimum}', 'The amount must not be below {minimum}'),
  topup_price_low: entry(200, '充值金额过低', 'The price is too low'),
  payment_unconfigured: entry(200, '当前管理员未配置支付信息', 'The administrator has not configured payment'),
  payment_not_started: entry(200, '拉起支付失败', 'The payment could not be started'),
  order_not_created: entry(200, '创建订单失败', 'The order could not be created'),
  order_finished: entry(200, '该订单已支付', 'This order has been paid'),

  organisation_unknown: entry(403, '组织不存在，或您不是其成员', 'There is no such organisation, or you are not a member of it'),
  mismatched_organization: entry(
    401,
    'OpenAI-Organization 请求头指定的组织与 API Key 所属的组织不一致',
    'The OpenAI-Organization header must name the organization of the API key',
  ),
  organisation_disabled: entry(403, '该组织已被停用', 'The organisation is disabled'),
  organisation_ownerless: entry(
    403,
    '该组织没有可用的所有者，令牌已暂停，请联系站点管理员指定新的所有者',
    'The organisation has no active owner, so its keys are stopped: administrators of the site can name a new owner',
  ),
  organisation_not_here: entry(403, '此操作只能以个人身份进行', 'This can only be done in your own name, not on behalf of an organisation'),
  organisation_creation_denied: entry(403, '当前站点未开放创建组织', 'Organisations cannot be created here by you'),
  organisation_limit_reached: entry(200, '您最多可以拥有 {limit} 个组织', 'You can own at most {limit} organisations'),
  organisation_has_balance: entry(
    200,
    '组织仍有余额，请先转出余额再删除',
    'The organisation still has a balance. Move it out before you delete the organisation',
  ),
  organisation_domain_taken: entry(200, '域名 {domain} 已属于另一个组织', 'The domain {domain} belongs to another organisation'),
  organisation_last_owner: entry(200, '组织必须至少有一名所有者', 'An organisation must have at least one owner'),
  organisation_members_limit: entry(200, '组织成员已达上限 {limit}', 'The organisation has reached its limit of {limit} members'),
  organisation_invites_limit: entry(200, '未接受的邀请最多 {limit} 个', 'At most {limit} invitations can be open'),
  organisation_invite_invalid: entry(200, '邀请链接无效、已使用或已过期', 'The invitation is invalid, used or expired'),
  member_unknown: entry(200, '组织中没有该成员', 'The organisation has no such member'),
  team_limit_reached: entry(200, '组织最多可有 {limit} 个团队', 'An organisation can have at most {limit} teams'),
  team_name_taken: entry(200, '团队名称已被使用', 'A team of this name exists'),
  team_unknown: entry(200, '团队不存在', 'There is no such team'),
  organisation_right_missing: entry(403, '您在该组织中的角色无权进行此操作', 'Your role in the organisation does not allow this'),

  // Relay: gate
  key_missing: entry(401, '未提供令牌', 'No token was given'),
  key_invalid: entry(401, '无效的令牌', 'Invalid token'),
  key_exhausted: entry(401, '该令牌额度已用尽', "This token's quota is used up"),
  key_expired: entry(401, '该令牌已过期', 'This token has expired'),
  key_replaced: entry(401, '该令牌已更换密钥，旧密钥已失效', 'The secret of this token was renewed, and the old one has ended'),
  key_disabled: entry(401, '该令牌状态不可用', 'This token is not enabled'),
  channel_pin_denied: entry(403, '普通用户不支持指定渠道', 'Regular users cannot choose a channel'),
  channel_pin_invalid: entry(400, '无效的渠道 Id', 'Invalid channel id'),
  channel_disabled: entry(403, '该渠道已被禁用', 'The channel is disabled'),
  ip_denied: entry(403, '您的 IP 不在令牌允许访问的列表中', 'Your IP address is not in the list that this token allows'),
  token_group_disabled: entry(403, '令牌分组 {group} 已被禁用', 'The token group {group} has been disabled'),
  group_deprecated: entry(403, '分组 {group} 已被弃用', 'The group {group} is no longer in use'),
  access_token_not_supported: entry(400, '暂不支持使用 access token', 'Access tokens are not supported here'),
  group_not_allowed: entry(403, '无权访问该分组', 'No access to this group'),
  storing_denied: entry(403, '该令牌所属组织不允许存储内容', 'The organisation of this key stores nothing of its calls'),
  model_denied: entry(403, '该令牌无权访问模型 {model}', 'This token may not use the model {model}'),
  session_budget_reached: entry(
    402,
    '本次会话已花费 {spent}，达到令牌“{token}”的单会话预算 {budget}。请开始新的会话，或提高该令牌的预算',
    "This session has spent {spent}, which reaches the budget of {budget} per session of the key '{token}'. Start a new session, or raise the budget of the key",
  ),
  budget_reached: entry(
    402,
    '{owner}的预算“{budget}”共 {amount}，剩余 {left}，不足以支付本次调用；{resets} 重新开始',
    "The budget '{budget}' of {owner} has {left} of {amount} left, too little for this call. It begins again at {resets}",
  ),
  /** Without an end. */
  budget_used_up: entry(
    402,
    '{owner}的预算“{budget}”共 {amount}，剩余 {left}，不足以支付本次调用',
    "The budget '{budget}' of {owner} has {left} of {amount} left, too little for this call",
  ),
  /** What is left may be used up by calls that run. */
  session_budget_held: entry(
    429,
    '本次会话已花费 {spent}，正在进行的调用可能用完令牌“{token}”的单会话预算 {budget}，请稍后再试',
    "This session has spent {spent}, and its running calls may use up the budget of {budget} per session of the key '{token}'. Try again when they have ended",
  ),
  idempotency_key_invalid: entry(
    400,
    'Idempotency-Key 须为 1 到 255 个可见 ASCII 字符',
    'Idempotency-Key must have 1 to 255 visible ASCII characters',
  ),
  idempotency_key_reused: entry(
    422,
    '此 Idempotency-Key 已用于另一个请求，请为每个请求使用新的键',
    'This Idempotency-Key was used for another request. Use a new key for each request',
  ),
  idempotency_key_running: entry(
    409,
    '使用此 Idempotency-Key 的首次调用仍在进行，请稍后再试',
    'The first call with this Idempotency-Key is still running. Try again later',
  ),
  idempotency_response_lost: entry(
    409,
    '使用此 Idempotency-Key 的首次调用已计费（请求 ID：{id}），但其响应未能保存。如需再次调用，请使用新的键',
    'The first call with this Idempotency-Key was charged (request id: {id}), but its response is not stored. Use a new key to call again',
  ),
  no_channel: entry(
    503,
    '当前分组 {group} 下对于模型 {model} 无可用渠道',
    'No available channel for the model {model} in the group {group}',
  ),

  // Relay: request
  model_required: entry(400, 'model is required', 'model is required'),
  invalid_text_request: entry(400, 'field messages is required', 'field messages is required'),
  invalid_embedding_request: entry(400, 'input is empty', 'input is empty'),
  invalid_query: entry(400, 'query is empty', 'query is empty'),
  invalid_documents: entry(400, 'documents is empty', 'documents is empty'),
  invalid_image_request: entry(400, '{detail}', '{detail}'),
  invalid_request: entry(400, '无效的请求：{detail}', 'Invalid request: {detail}'),
  model_not_found: entry(404, '模型 {model} 不存在', "The model '{model}' does not exist"),
  responses_not_kept: entry(
    400,
    '此网关不保存响应，因此不支持 {field}：请在 input 中发送完整对话',
    'Responses are not kept here, so {field} is not supported: send the whole conversation in input',
  ),
  threads_not_kept: entry(
    400,
    '此网关不保存会话线程，因此不支持 thread：请在 messages 中发送完整对话',
    'Threads are not kept here, so thread is not supported: send the whole conversation in messages',
  ),
  thread_not_found: entry(
    404,
    '找不到 ID 为 {id} 的线程，或其已过期：请在 messages 中发送完整对话并新建线程',
    "No thread was found that '{id}' belongs to, or it is kept no longer: send the whole conversation in messages and create a new one",
  ),
  thread_mismatch: entry(
    400,
    '{field} 与线程创建时不同：请省略它，或新建线程',
    '{field} differs from what the thread was created with: leave it out, or create a new thread',
  ),
  previous_response_not_found: entry(400, '找不到 ID 为 {id} 的上一个响应', "Previous response with id '{id}' not found."),
  previous_response_running: entry(
    400,
    '响应 {id} 尚未完成，无法在其后继续',
    "Response '{id}' is still in progress and cannot be continued.",
  ),
  response_not_found: entry(404, '找不到 ID 为 {id} 的响应', "Response with id '{id}' not found."),
  file_not_found: entry(404, '找不到文件 {id}', 'No such File object: {id}'),
  video_not_found: entry(404, '找不到视频 {id}', 'No such video: {id}'),
  video_not_ready: entry(400, '视频 {id} 尚未完成', 'The video {id} is not completed'),
  video_running: entry(
    400,
    '视频 {id} 仍在生成，完成或失败后才能删除',
    'The video {id} is still being made: it can be deleted once it is completed or has failed',
  ),
  video_content_missing: entry(
    404,
    '视频 {id} 没有此内容，或上游不再保存',
    'The video {id} has no such content, or its provider keeps it no more',
  ),
  files_full: entry(
    403,
    '最多可保存 {count} 个文件，共 {megabytes} MB：请先删除一些',
    'You may keep {count} files of {megabytes} MB together: delete some first',
  ),
  no_file_channel: entry(503, '分组 {group} 没有可保存文件的渠道', 'No channel of the group {group} keeps files at the moment'),
  batch_not_found: entry(404, '找不到批处理 {id}', 'No batch found with id {id}'),
  batches_full: entry(
    429,
    '最多可同时进行 {batches} 个批处理，共 {requests} 个请求：请等待其中一些完成',
    'You may have {batches} batches of {requests} requests together under way: wait until some have ended',
  ),
  cached_content_not_found: entry(404, '找不到缓存 {id}，或者它已过期', 'No cached content found with id {id}, or it has expired'),
  context_caches_full: entry(
    429,
    '最多可保留 {caches} 个缓存：请先删除其中一些',
    'You may keep {caches} cached contents: delete some first',
  ),
  context_cache_busy: entry(409, '缓存 {id} 正在更改，请稍后再试', 'The cached content {id} is being changed: try again'),
  batch_not_ended: entry(400, '批处理 {id} 尚未结束', 'The batch {id} has not ended yet'),
  batch_not_cancellable: entry(409, '批处理 {id} 的状态为 {status}，不能取消', "Cannot cancel the batch {id} with status '{status}'"),
  vector_store_not_found: entry(404, '找不到向量库 {id}', "No vector store found with id '{id}'."),
  vector_stores_full: entry(
    403,
    '最多可保存 {count} 个向量库，共 {megabytes} MB：请先删除一些',
    'You may keep {count} vector stores of {megabytes} MB together: delete some first',
  ),
  vector_store_of_other_key: entry(
    403,
    '此向量库由创建它的令牌付费：其他有额度上限的令牌不能向其中添加文件',
    'This vector store is paid by the key that created it: another key with a limit of its own cannot put files into it',
  ),
  named_file_out_of_reach: entry(
    400,
    '{id} 所在的渠道不向您提供模型 {model}：请换一个该渠道提供的模型，或去掉它',
    '{id} lies at a channel that does not serve the model {model} to you: choose a model that is served there, or leave it out',
  ),
  no_vector_store_channel: entry(
    503,
    '分组 {group} 没有可保存向量库的渠道',
    'No channel of the group {group} keeps vector stores at the moment',
  ),
  tuning_job_not_found: entry(404, '找不到微调任务 {id}', 'Could not find fine tune: {id}'),
  tuning_jobs_full: entry(
    429,
    '最多可同时进行 {jobs} 个微调任务：请等待其中一些结束',
    'You may have {jobs} fine-tuning jobs under way: wait until some have ended',
  ),
  tuning_not_priced: entry(
    400,
    '模型 {model} 没有微调价格，不能训练',
    'The model {model} has no price for training and cannot be fine-tuned',
  ),
  tuning_not_possible: entry(
    409,
    '微调任务 {id} 的状态为 {status}，不能执行此操作',
    "The fine-tuning job {id} with status '{status}' does not allow this",
  ),
  tuning_out_of_reach: entry(
    410,
    '微调任务 {id} 所在的渠道已不可用',
    'The fine-tuning job {id} ran at a channel that cannot be reached any more',
  ),
  own_model_gone: entry(
    404,
    '模型 {model} 所在的渠道或其密钥已不可用',
    'The model {model} lies behind a channel or key that is not there any more',
  ),
  no_tuning_channel: entry(
    503,
    '分组 {group} 没有可训练模型 {model} 的渠道',
    'No channel of the group {group} trains the model {model} at the moment',
  ),
  conversation_not_found: entry(404, '找不到 ID 为 {id} 的对话', "Conversation with id '{id}' not found."),
  conversation_locked: entry(
    409,
    '另一个请求正在使用此对话，请稍后重试',
    'Another process is currently operating on this conversation. Please retry in a few seconds.',
  ),
  background_not_kept: entry(400, '后台响应必须保存（store 不能为 false）', "Background responses are kept: 'store' cannot be false."),
  too_many_background: entry(
    429,
    '同时进行的后台响应过多，上限为 {count} 个，请稍后再试',
    'Too many background responses are running, at most {count} may be: try again later',
  ),
  response_not_background: entry(400, '只有后台响应可以取消', 'Cannot cancel a synchronous response.'),
  response_item_not_found: entry(404, '找不到 ID 为 {id} 的条目', "Item with id '{id}' not found."),
  conversation_too_long: entry(
    400,
    '对话过长，无法继续：请压缩对话（/v1/responses/compact）或开始新的对话',
    'The conversation is too long to be continued: compact it (/v1/responses/compact) or begin a new one',
  ),
  verb_unknown: entry(501, '此网关不支持该方法：{path}', 'This method is not supported here: {path}'),
  websocket_missing: entry(426, '此地址不支持 WebSocket，请使用 POST', 'There is no WebSocket at this address, use POST'),
  // Relay: sockets. OpenAI's clients know the first three by their codes.
  invalid_stream_id: entry(
    400,
    'stream_id 必须是 1 到 256 个字母、数字、下划线、连字符或句点',
    'The stream_id must have 1 to 256 letters, digits, underscores, hyphens or periods.',
  ),
  websocket_stream_limit_reached: entry(
    400,
    '此连接已使用 {limit} 个不同的 stream_id：请重复使用其中之一，或打开新连接',
    'This connection has used {limit} different stream ids: use one of them again, or open another connection.',
  ),
  websocket_connection_limit_reached: entry(
    400,
    '此连接已达到时长上限（{minutes} 分钟）：请打开新连接',
    'Responses websocket connection limit reached ({minutes} minutes). Create a new websocket connection to continue.',
  ),
  too_many_sockets: entry(429, '您已打开 {limit} 个 WebSocket 连接', 'You have {limit} WebSocket connections open already'),
  sockets_full: entry(
    429,
    '服务器的 WebSocket 连接数已达上限：请改用 HTTP 或稍后再试',
    'All WebSocket connections of this server are in use: go on over HTTP, or try again later',
  ),
  realtime_session_expired: entry(
    400,
    '会话已达到时长上限（{minutes} 分钟）：请打开新会话',
    'The session has reached its limit of {minutes} minutes: open a new one',
  ),
  too_many_turns: entry(429, '此连接上等待的请求太多', 'Too many requests wait on this connection'),
  account_object_refused: entry(
    400,
    '参数 {field} 引用了提供商账户中的文件、缓存或容器，此处不予接受：请直接发送其内容',
    "The field {field} names a file, a cache or a container in the provider's account, which is not taken here: send the content itself",
  ),
  format_unsupported: entry(501, '该渠道不支持此接口格式', 'The channel does not support this API format'),
  untranslatable: entry(
    400,
    '参数 {field} 无法转换为 {dialect} 的格式，请去掉它或换一个模型',
    'The field {field} cannot be carried over to {dialect}: leave it out or choose another model',
  ),
  media_not_fetched: entry(
    400,
    '无法下载 {url}：{reason}。请直接发送文件内容',
    'The file at {url} cannot be fetched: {reason}. Send its content itself',
  ),
  sensitive_words_detected: entry(400, 'sensitive words detected', 'sensitive words detected'),
  request_rate_limited: entry(
    429,
    '您已达到请求数限制：{minutes}分钟内最多请求{count}次',
    'Request limit reached: at most {count} requests in {minutes} minutes',
  ),
  total_rate_limited: entry(
    429,
    '您已达到总请求数限制：{minutes}分钟内最多请求{count}次，包括失败次数，请检查您的请求是否正确',
    'Total request limit reached: at most {count} requests in {minutes} minutes, failed ones included',
  ),
  rate_limit_exceeded: entry(
    429,
    '已达到{subject}的速率限制：{per}最多 {amount} {unit}。{seconds} 秒后重置',
    'Rate limit reached for {subject}: at most {amount} {unit} per {per}. It resets in {seconds} s',
  ),
  parallel_limit_exceeded: entry(
    429,
    '已达到{subject}的并发限制：最多同时进行 {amount} 个请求',
    'Limit of parallel requests reached for {subject}: at most {amount} at the same time',
  ),
  rate_limit_too_small: entry(
    400,
    '此请求至少需要 {count} {unit}，超过{subject}{per} {amount} {unit}的限制，无法执行',
    'The request needs at least {count} {unit}, more than the limit of {amount} {unit} per {per} for {subject} ever allows',
  ),
  context_length_exceeded: entry(
    400,
    '输入有 {tokens} 个 token，超过{subject}的上限 {limit} 个 token',
    'The input has {tokens} tokens, more than the limit of {limit} tokens for {subject}',
  ),
  output_limit_unsupported: entry(
    400,
    '模型 {model} 的渠道无法限制回答长度（上限 {limit} 个 token），请换一个模型',
    'The channels of the model {model} cannot limit the length of answers (limit: {limit} tokens): choose another model',
  ),

  // Relay: money
  model_price_error: entry(
    403,
    '模型 {model} 倍率或价格未配置, 请联系管理员设置；Model {model} ratio or price not set, please contact administrator to set',
    'Model {model} ratio or price not set, please contact administrator to set',
  ),
  model_price_error_admin: entry(
    403,
    '模型 {model} 倍率或价格未配置，请设置或开始自用模式；Model {model} ratio or price not set, please set or start self-use mode',
    'Model {model} ratio or price not set, please set or start self-use mode',
  ),
  model_makes_no_videos: entry(
    400,
    '模型 {model} 按 token 计费，不生成视频；视频模型按次或按秒计费',
    'The model {model} is priced by tokens and makes no videos; models that do are priced per second or call',
  ),
  // Clients translate by these texts, whatever the language; see `reserve-call.ts`.
  insufficient_user_quota: entry(403, '{detail}', '{detail}'),
  pre_consume_token_quota_failed: entry(
    403,
    'token quota is not enough, token remain quota: {remain}, need quota: {need}',
    'token quota is not enough, token remain quota: {remain}, need quota: {need}',
  ),

  // Relay: upstream
  do_request_failed: entry(502, '请求上游地址失败', 'The request to the upstream address failed'),
  upstream_timeout: entry(504, '上游响应超时', 'The upstream did not answer in time'),
  upstream_content_unreachable: entry(
    504,
    '内容已生成，但无法从上游给出的地址取回',
    'What the upstream made could not be fetched from the address that it gave',
  ),
  bad_response_status_code: entry(502, '上游返回了错误状态码 {status}', 'bad response status code {status}'),
  upstream_saturated: entry(429, '当前分组上游负载已饱和，请稍后再试', 'The upstream of this group is saturated, try again later'),
  channel_refused: entry(502, '上游服务商拒绝了该渠道', 'The provider refused the channel'),
  invalid_upstream_response: entry(502, '上游返回了无法识别的内容', 'The upstream answered with something that cannot be understood'),
  upstream_truncated: entry(502, '上游响应中断', 'The answer of the upstream broke off'),
  upstream_too_large: entry(502, '上游响应过大', 'The answer of the upstream is too large'),
  upstream_too_deep: entry(502, '上游响应的嵌套层数过多', 'The answer of the upstream is nested too deep'),
  drawing_saturated: entry(
    429,
    '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。',
    'The drawing channels of this group are busy, try again later, or upgrade your account for better service.',
  ),
  drawing_disabled: entry(403, '管理员未启用绘图功能', 'Drawing is switched off on this site'),
  tasks_disabled: entry(403, '管理员未启用任务功能', 'Tasks are switched off on this site'),
  tasks_in_progress: entry(429, '进行中的任务过多：最多 {most} 个', 'Too many tasks in progress: at most {most}'),
  client_closed: entry(499, '客户端已断开连接', 'The client closed the connection'),
  output_blocked: entry(400, '回答含有敏感词，已停止', 'The answer holds blocked words and was stopped'),
  overdraft_stopped: entry(403, '额度已用尽，生成已停止', 'The quota is used up, the generation was stopped'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;
export type Language = 'zh' | 'en';
/** A detail that is said differently in each language. */
export type LocalText = Readonly<Record<Language, string>>;
/** A reason as a detail is said in its own words. */
export type ErrorDetails = Record<string, string | number | LocalText | FailureReason>;

/**
 * A failure that a caller can do something about. `details` fill the text's placeholders; `field` names the input at fault; `retryAfter` is in
 * seconds; `data` becomes the envelope's `data` (the current value on `revision_conflict`), `extra` its further keys.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;
  readonly field: string | undefined;
  readonly retryAfter: number | undefined;
  readonly data: unknown;
  readonly extra: Readonly<Record<string, string | number>> | undefined;

  constructor(
    code: ErrorCode,
    details: ErrorDetails = {},
    options: {
      cause?: unknown;
      field?: string;
      retryAfter?: number;
      data?: unknown;
      extra?: Readonly<Record<string, string | number>>;
      /** Where it is another one than the code's. */
      status?: number;
    } = {},
  ) {
    super(errorText(code, 'en', details), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? errors[code].status;
    this.details = details;
    this.field = options.field;
    this.retryAfter = options.retryAfter;
    this.data = options.data;
    this.extra = options.extra;
  }
}

/**
 * How long to wait, in the words by which programs find it; people of either language read them behind the text of the error.
 * https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/sse/responses.rs
 */
export function waitText(seconds: number): string {
  return `Please try again in ${Math.ceil(seconds * 1000) / 1000}s.`;
}

/** The text of an error in a language, its placeholders filled. */
export function errorText(code: ErrorCode, language: Language, details: ErrorDetails = {}): string {
  return errors[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const detail = details[name] ?? whole;
    return typeof detail === 'object' ? detailText(detail, language) : String(detail);
  });
}

/** What a detail that has texts says in a language. */
export function detailText(detail: LocalText | FailureReason, language: Language): string {
  return 'code' in detail ? reasonText(detail, language) : detail[language];
}

/** A reason in a language. A code that this version does not know is its own text. */
export function reasonText({ code, facts = {} }: FailureReason, language: Language): string {
  if (isErrorCode(code)) return errorText(code, language, facts);
  const text = isReasonCode(code) ? reasonTexts[code][language] : code;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const fact = facts[name] ?? whole;
    return typeof fact === 'object' ? fact[language] : String(fact);
  });
}

/** The reason of a failure as it is stored. */
export function reasonOf({ code, details }: AppError): FailureReason {
  const { detail } = details;
  // These are nothing but what they hold.
  if (errors[code].en === '{detail}') {
    if (typeof detail === 'object' && 'code' in detail) return detail;
    return saidReason(typeof detail === 'object' ? detail.zh : String(detail ?? ''));
  }
  const facts = Object.entries(details).flatMap(([name, fact]): [string, string | number | LocalText][] =>
    typeof fact === 'object' && 'code' in fact ? [] : [[name, fact]],
  );
  return facts.length === 0 ? { code } : { code, facts: Object.fromEntries(facts) };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

function isReasonCode(code: string): code is keyof typeof reasonTexts {
  return Object.hasOwn(reasonTexts, code);
}
