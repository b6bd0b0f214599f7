// iFlytek Spark by HTTP, in OpenAI's shape. https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html
import type { Provider } from './spec.ts';

export const xunfei: Provider = {
  type: 18,
  name: 'Xunfei',
  baseUrl: 'https://spark-api-open.xf-yun.com',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: { chat: [{ modelPrefix: 'x1', path: '{base}/v2/chat/completions' }, { path: '{base}/v1/chat/completions' }] },
      quirks: {
        drop: ['n'],
        // Without it a call of a tool is told as an object, not in a list.
        withTools: { tool_calls_switch: true },
      },
      responses: { ownModel: true },
      errors: {
        marker: '"code"',
        code: 'code',
        message: 'message',
        ok: 0,
        statuses: {
          10003: 400,
          10004: 400,
          10005: 400,
          10163: 400,
          10907: 400,
          10013: 400,
          10014: 400,
          10019: 400,
          10015: 401,
          10016: 401,
          11200: 401,
          10006: 429,
          10007: 429,
          10008: 429,
          11201: 429,
          11202: 429,
          11203: 429,
        },
      },
    },
  },
  auth: { kind: 'spark' },
  // By version, as its sockets are asked.
  modelNames: {
    SparkDesk: 'lite',
    'SparkDesk-v1.1': 'lite',
    'SparkDesk-v3.1': 'generalv3',
    'SparkDesk-v3.5': 'generalv3.5',
    'SparkDesk-v4.0': '4.0Ultra',
    'SparkDesk-X1': 'x1',
  },
  models: ['SparkDesk', 'SparkDesk-v1.1', 'SparkDesk-v3.1', 'SparkDesk-v3.5', 'SparkDesk-v4.0'],
};
