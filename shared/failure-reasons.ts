// Why a channel failed a test, has no balance to report or was disabled, as it is stored: a code and its facts, which become words in
// the reader's language. What a provider says stays as it said it (`said`).

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
