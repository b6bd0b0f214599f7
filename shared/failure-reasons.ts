// Why a channel failed a test, has no balance to report, was disabled or cannot be used, and why a task failed, as it is stored: a code and
// its facts, which become words in the reader's language. What a provider says stays as it said it (`said`).

interface ReasonText {
  zh: string;
  en: string;
}

/** Reasons that are no errors of a call; other codes are those of `errors.ts`. `{name}` is filled from the facts. */
export const reasonTexts = {
  said: { zh: '{message}', en: '{message}' },
  network: { zh: '请求上游地址失败 ({message})', en: 'The request to the upstream address failed ({message})' },
  too_slow: {
    zh: '响应时间 {taken}s 超过阈值 {threshold}s',
    en: 'Took {taken} s, more than the threshold of {threshold} s',
  },
  balance_used_up: { zh: '余额不足', en: 'The balance is used up' },
  balance_address: { zh: '渠道的地址不是有效的网址', en: 'The base URL of the channel is not an address' },
  balance_price: {
    zh: '设置 Price（人民币兑美元的价格）为 0，无法换算余额',
    en: 'The option Price, by which yuan become dollars, is 0',
  },
  channel_problems: { zh: '{problems}', en: '{problems}' },
  channel_type_unknown: { zh: '没有类型为 {type} 的渠道', en: 'There is no provider of type {type}' },
  channel_key_unreadable: { zh: '密钥是用另一个 SESSION_SECRET 加密的', en: 'The key was encrypted with another SESSION_SECRET' },
  channel_without_keys: { zh: '渠道没有启用的密钥', en: 'No key of the channel is enabled' },
  channel_keys_refused: {
    zh: '所有密钥都已禁用，最后一个的原因：{message}',
    en: 'All keys are disabled; the last one because of: {message}',
  },
  channel_key_letters: { zh: '密钥含有请求头不能携带的字符', en: 'The key has characters that a header cannot carry' },
  channel_header_letters: { zh: '请求头 {header} 含有不能携带的字符', en: 'The header {header} has characters that cannot be sent' },
  channel_address_missing: { zh: '需要填写代理地址', en: 'A base URL is needed' },
  channel_address_invalid: { zh: '代理地址不是普通的 http 或 https 地址', en: 'The base URL is not a plain http or https address' },
  channel_address_of_model: { zh: '代理地址的主机名不能含有 {model}', en: 'The base URL has {model} in its host' },
  channel_override_invalid: { zh: '参数覆盖不是 JSON 对象', en: 'param_override is not a JSON object' },
  channel_setting_invalid: { zh: '渠道额外设置无效', en: 'setting is not valid' },
  channel_formats_unknown: { zh: '渠道额外设置没有指定该类型支持的格式', en: 'setting names no format of the provider' },
  channel_token_address: { zh: '密钥的 token_uri 不是 Google 的地址', en: 'The token_uri of the key is not an address of Google' },
  channel_private_key: { zh: '无法读取服务账号的 private_key', en: 'The private_key of the service account cannot be read' },
  task_timeout: { zh: '上游任务超时（超过{hours}小时）', en: 'The upstream did not finish within {hours} h' },
  task_channel_gone: {
    zh: '获取渠道信息失败，请联系管理员，渠道ID：{channel}',
    en: 'Channel {channel} is not known any more: ask the administrator',
  },
  task_without_video: { zh: '上游称已完成，但没有给出视频', en: 'The upstream said that it was done, but gave no video' },
  task_unexplained: { zh: '上游没有说明原因', en: 'The upstream gave no reason' },
  task_submission_lost: { zh: '提交被中断，未扣费', en: 'The submission was cut short, nothing was charged' },
} as const satisfies Record<string, ReasonText>;

/** Rules that differ by language are in both. */
export type ReasonFacts = Readonly<Record<string, string | number | ReasonText>>;

/** `code`: of `reasonTexts` or `errors.ts`. */
export interface FailureReason {
  code: string;
  facts?: ReasonFacts;
}

/** What a provider, or the network, says in its own words. */
export function saidReason(message: string): FailureReason {
  return { code: 'said', facts: { message } };
}

/** Characters of words that are stored. */
const longestSaid = 500;

/** The same, short enough to be stored. */
export function storedReason({ code, facts }: FailureReason): FailureReason {
  if (facts === undefined) return { code };
  const short = (fact: string | number | ReasonText) => (typeof fact === 'string' ? Array.from(fact).slice(0, longestSaid).join('') : fact);
  return { code, facts: Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, short(fact)])) };
}
