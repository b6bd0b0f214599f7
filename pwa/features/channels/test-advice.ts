// Advice after a failed test, by its stored message: a text alone, in the language of the tester.

export type TestAdvice =
  | 'key'
  | 'credit'
  | 'rights'
  | 'model'
  | 'request'
  | 'busy'
  | 'fault'
  | 'unreachable'
  | 'slow'
  | 'foreign'
  | 'unserved';

const byStatus: Readonly<Record<number, TestAdvice>> = {
  401: 'key',
  402: 'credit',
  403: 'rights',
  404: 'model',
  405: 'model',
  429: 'busy',
};

/** Copies of the texts in `shared/errors.ts`, which is too large to bundle; a test compares both. */
const sentences: readonly (readonly [TestAdvice, readonly string[]])[] = [
  ['unreachable', ['请求上游地址失败', 'The request to the upstream address failed']],
  ['slow', ['上游响应超时', 'The upstream did not answer in time']],
  ['unserved', ['该渠道不支持此接口格式', 'The channel does not support this API format']],
  ['foreign', ['上游返回了无法识别的内容', 'The upstream answered with something that cannot be understood']],
];

/** Undefined: what the provider said says it all. */
export function adviceOf(message: string): TestAdvice | undefined {
  const status = Number(/^status code (\d{3}): /.exec(message)?.[1] ?? 0);
  if (status >= 500) return 'fault';
  if (status >= 400) return byStatus[status] ?? 'request';
  return sentences.find(([, texts]) => texts.some((text) => message.startsWith(text)))?.[0];
}
