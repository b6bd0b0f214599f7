// What input has to be like, as sentences for people: which field it is, and what is allowed in it. The console's names of
// fields come first, the name on the wire in brackets, because callers without a console know only that one.
import { AppError, type LocalText } from './errors.ts';

/** What a field must be; reads on from the field's name. */
export const fieldRules = {
  required: { zh: '不能缺少', en: 'is required' },
  text: { zh: '必须是文本', en: 'must be a text' },
  number: { zh: '必须是数字', en: 'must be a number' },
  integer: { zh: '必须是整数', en: 'must be a whole number' },
  boolean: { zh: '只能是 true 或 false', en: 'must be true or false' },
  list: { zh: '必须是数组', en: 'must be a list' },
  object: { zh: '必须是对象', en: 'must be an object' },
  scalar: { zh: '必须是文本、数字或 true / false', en: 'must be a text, a number, or true or false' },
  invalid: { zh: '格式不正确', en: 'is not in the right form' },
  once: { zh: '只能给出一个值', en: 'must be given as one plain value' },
  noControls: { zh: '不能包含控制字符', en: 'must not contain control characters' },
  characters: { zh: '含有不允许的字符', en: 'contains characters that are not allowed' },
  url: { zh: '不是有效的网址', en: 'is not a valid address' },
  noCredentials: { zh: '不能包含用户名或密码', en: 'must not contain a username or a password' },
  modelInHost: { zh: '的主机名中不能使用 {model}', en: 'must not have {model} in its host' },
  noFragment: { zh: '不能包含 # 部分', en: 'must not contain a # part' },
  proxyUrl: {
    zh: '必须是以 http://、https:// 或 socks5:// 开头的有效网址',
    en: 'must be a valid address that begins with http://, https:// or socks5://',
  },
  headerName: { zh: '不是可以设置的请求头名称', en: 'is not the name of a header that can be set' },
  headerValue: { zh: '只能包含可见的 ASCII 字符', en: 'must consist of visible ASCII characters' },
  operations: {
    zh: '包含不支持的操作、条件或缺少的字段',
    en: 'has an operation or condition that is not supported, or lacks a field',
  },
  headerNames: { zh: '最多 50 个请求头，且名称不能重复', en: 'must have at most 50 headers, and none of them twice' },
  statusFrom: { zh: '不是 100 到 599 的状态码', en: 'is not a status from 100 to 599' },
  statusTo: { zh: '只能改为 400 到 599 的状态码', en: 'must be a status from 400 to 599' },
  onOrOff: { zh: '只能改为启用（1）或禁用（2）', en: 'can only be changed to enabled (1) or disabled (2)' },
  byManaging: {
    zh: '不能在这里修改，请使用用户管理的提升、降级、启用或禁用操作',
    en: 'cannot be changed here: promote, demote, enable or disable the user',
  },
  anotherUse: { zh: '已用于另一个请求', en: 'was used for another request' },
  notHere: { zh: '不能在这里修改', en: 'cannot be changed here' },
  notWithQuota: { zh: '不能与额度（quota）同时给出', en: 'cannot be given together with the quota' },
  atLeast: (minimum: number | bigint) => ({ zh: `不能小于 ${grouped(minimum)}`, en: `must be at least ${grouped(minimum)}` }),
  atMost: (maximum: number | bigint) => ({ zh: `不能大于 ${grouped(maximum)}`, en: `must be at most ${grouped(maximum)}` }),
  wholeBetween: (minimum: number, maximum: number) => ({
    zh: `必须是 ${minimum} 到 ${maximum} 之间的整数`,
    en: `must be a whole number from ${minimum} to ${maximum}`,
  }),
  moreThan: (minimum: number | bigint) => ({ zh: `必须大于 ${grouped(minimum)}`, en: `must be more than ${grouped(minimum)}` }),
  lessThan: (maximum: number | bigint) => ({ zh: `必须小于 ${grouped(maximum)}`, en: `must be less than ${grouped(maximum)}` }),
  longest: (limit: number | bigint) => ({
    zh: `最多 ${grouped(limit)} 个字符`,
    en: `must have at most ${grouped(limit)} ${limit === 1 ? 'character' : 'characters'}`,
  }),
  shortest: (limit: number | bigint) => ({
    zh: `至少 ${grouped(limit)} 个字符`,
    en: `must have at least ${grouped(limit)} ${limit === 1 ? 'character' : 'characters'}`,
  }),
  fewest: (limit: number | bigint) => ({
    zh: `至少要有 ${grouped(limit)} 项`,
    en: `must have at least ${grouped(limit)} ${limit === 1 ? 'entry' : 'entries'}`,
  }),
  most: (limit: number | bigint) => ({
    zh: `最多 ${grouped(limit)} 项`,
    en: `must have at most ${grouped(limit)} ${limit === 1 ? 'entry' : 'entries'}`,
  }),
  listTooLong: { zh: '内容过长，合计不能超过 20000 个字符', en: 'must not have more than 20,000 characters in all' },
  memberListTooLong: { zh: '内容过长，合计不能超过 4000 个字符', en: 'must not have more than 4,000 characters in all' },
  listsTooLong: {
    zh: '内容过长：组织的全部同类内容合计不能超过 500000 个字符',
    en: 'is too long: policies, rate limits and budgets of all teams, or of all invitations, must not have more than 500,000 characters',
  },
  limitTwice: { zh: '同一项限制不能出现两次', en: 'must not have the same limit twice' },
  timeZone: { zh: '不是有效的时区名称，如 Asia/Shanghai', en: 'is not the name of a time zone, such as Europe/Berlin' },
  cheaperModels: {
    zh: '仅在用完后改用更便宜的模型时给出：最多 50 项“模型: 替代模型”，替代模型本身不能再被替代',
    en: 'is given only with cheaper models at the end: up to 50 models and their replacements, none of which is replaced itself',
  },
  standsOnce: { zh: '只能出现一次', en: 'may stand only once' },
  unescaped: { zh: '必须不带转义地写出', en: 'must be written without escapes' },
  spelled: (name: string) => ({ zh: `必须写作 ${name}`, en: `must be written ${name}` }),
  oneOf: (values: readonly string[]) => ({ zh: `只能是 ${values.join('、')}`, en: `must be one of ${values.join(', ')}` }),
  anyOf: (rules: readonly LocalText[]) => ({
    zh: rules.map(({ zh }) => zh).join('，或'),
    en: rules.map(({ en }) => en).join(', or '),
  }),
} as const;

/** A rule without figures of its own. */
export type PlainRule = {
  [Name in keyof typeof fieldRules]: (typeof fieldRules)[Name] extends LocalText ? Name : never;
}[keyof typeof fieldRules];

/** The rule that `ruleCheck` gave; undefined for checks without. */
export function checkedRule(params: Readonly<Record<string, unknown>> | undefined): LocalText | undefined {
  const rule = Object.entries(fieldRules).find(([name]) => name === params?.['rule'])?.[1];
  return typeof rule === 'function' ? undefined : rule;
}

/** Fields as the console calls them. What is not here is called by its name on the wire. */
const fieldNames: ReadonlyMap<string, LocalText> = new Map(
  Object.entries({
    access_token: { zh: '访问令牌', en: 'access token' },
    action: { zh: '操作', en: 'action' },
    allow_ips: { zh: 'IP 白名单', en: 'allowed addresses' },
    auto_ban: { zh: '自动禁用', en: 'automatic disabling' },
    base_url: { zh: '渠道地址', en: 'base URL' },
    channel: { zh: '渠道', en: 'channel' },
    confirmPassword: { zh: '确认密码', en: 'password confirmation' },
    count: { zh: '数量', en: 'count' },
    cursor: { zh: '分页位置', en: 'page cursor' },
    display_name: { zh: '显示名称', en: 'display name' },
    end_timestamp: { zh: '结束时间', en: 'end of the time range' },
    email: { zh: '邮箱', en: 'e-mail address' },
    expired_time: { zh: '过期时间', en: 'expiry' },
    group: { zh: '分组', en: 'group' },
    groups: { zh: '分组', en: 'groups' },
    id: { zh: '编号', en: 'number' },
    id_sort: { zh: '按编号排序', en: 'order by number' },
    ids: { zh: '编号列表', en: 'list of numbers' },
    keyword: { zh: '关键词', en: 'keyword' },
    key: { zh: '密钥', en: 'key' },
    max_input_tokens: { zh: '最大输入', en: 'largest input' },
    model_limits: { zh: '可用模型', en: 'allowed models' },
    model_limits_enabled: { zh: '限制模型', en: 'model limit' },
    model_mapping: { zh: '模型重定向', en: 'model mapping' },
    model_name: { zh: '模型', en: 'model' },
    model: { zh: '模型', en: 'model' },
    models: { zh: '模型', en: 'models' },
    name: { zh: '名称', en: 'name' },
    original_password: { zh: '原密码', en: 'current password' },
    p: { zh: '页码', en: 'page' },
    page_size: { zh: '每页条数', en: 'rows per page' },
    param_override: { zh: '参数覆盖', en: 'parameter override' },
    password: { zh: '密码', en: 'password' },
    password2: { zh: '确认密码', en: 'password confirmation' },
    priority: { zh: '优先级', en: 'priority' },
    quota: { zh: '额度', en: 'quota' },
    quota_change: { zh: '额度变动', en: 'quota change' },
    quota_reason: { zh: '变动原因', en: 'reason' },
    remain_quota: { zh: '剩余额度', en: 'remaining quota' },
    remark: { zh: '备注', en: 'note' },
    request_id: { zh: '请求 ID', en: 'request id' },
    result: { zh: '结果', en: 'result' },
    revision: { zh: '版本', en: 'revision' },
    role: { zh: '角色', en: 'role' },
    SelfUseModeEnabled: { zh: '自用模式', en: 'self-use mode' },
    DemoSiteEnabled: { zh: '演示站点模式', en: 'demo site mode' },
    setting: { zh: '额外设置', en: 'extra settings' },
    size: { zh: '每页条数', en: 'rows per page' },
    start_timestamp: { zh: '开始时间', en: 'start of the time range' },
    status: { zh: '状态', en: 'status' },
    status_code_mapping: { zh: '状态码映射', en: 'status mapping' },
    tag: { zh: '标签', en: 'tag' },
    test_model: { zh: '测试模型', en: 'test model' },
    token_name: { zh: '令牌', en: 'token' },
    type: { zh: '类型', en: 'type' },
    unlimited_quota: { zh: '无限额度', en: 'unlimited quota' },
    username: { zh: '用户名', en: 'username' },
    value: { zh: '值', en: 'value' },
    verification_code: { zh: '验证码', en: 'verification code' },
    weight: { zh: '权重', en: 'weight' },
  }),
);

/**
 * `剩余额度（remain_quota）不能小于 0`, `remaining quota (remain_quota) must be at least 0`.
 * @param path the field on the wire; of a field within another, the names joined by points
 */
export function fieldSentence(path: string, rule: LocalText): LocalText {
  const known = fieldNames.get(path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path);
  if (known === undefined) return { zh: `${path} ${rule.zh}`, en: `${path} ${rule.en}` };
  return {
    zh: `${known.zh}（${path}）${rule.zh}`,
    en: known.en === path ? `${path} ${rule.en}` : `${known.en} (${path}) ${rule.en}`,
  };
}

/** The refusal of one field of the input. */
export function invalidField(path: string, rule: LocalText): AppError {
  return new AppError('invalid_field', { sentence: fieldSentence(path, rule) }, { field: path });
}

/** Refuses a value that the user chose: a name, a password. */
export function invalidInput(field: string, rule: LocalText): AppError {
  const name = fieldNames.get(field);
  const detail = name === undefined ? fieldSentence(field, rule) : { zh: `${name.zh}${rule.zh}`, en: `${name.en} ${rule.en}` };
  return new AppError('invalid_input', { detail }, { field });
}

function grouped(value: number | bigint): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 });
}
