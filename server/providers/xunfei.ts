// iFlytek Spark by HTTP, in OpenAI's shape. https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html
import { sparkStatuses } from '#server/formats/spark-statuses.ts';
import type { ProviderRecord } from './spec.ts';

const baseUrl = 'https://spark-api-open.xf-yun.com';

/** Socket paths by the vendor's model name. https://www.xfyun.cn/doc/spark/Web.html */
const socketPaths: ReadonlyMap<string, string> = new Map(
  Object.entries({
    lite: 'v1.1/chat',
    generalv2: 'v2.1/chat',
    generalv3: 'v3.1/chat',
    'generalv3.5': 'v3.5/chat',
    '4.0Ultra': 'v4.0/chat',
    'pro-128k': 'chat/pro-128k',
    'max-32k': 'chat/max-32k',
    x1: 'v1/x1',
  }),
);

/** Model names by version. */
const domainOf: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'v1.1': 'lite',
    'v2.1': 'generalv2',
    'v3.1': 'generalv3',
    'v3.5': 'generalv3.5',
    'v4.0': '4.0Ultra',
  }),
);

export const xunfei: ProviderRecord = {
  type: 18,
  name: 'Xunfei',
  baseUrl,
  formats: {
    'openai-chat': {
      paths: { chat: [{ modelPrefix: 'x1', path: '{base}/v2/chat/completions' }, { path: '{base}/v1/chat/completions' }] },
      drop: ['n'],
      adapt(edit) {
        // Without it, tool calls are an object instead of a list.
        if (edit.has('tools') && !edit.has('tool_calls_switch')) edit.set('tool_calls_switch', true);
      },
      responses: { tunedModel: true },
      errors: {
        marker: '"code"',
        code: 'code',
        message: 'message',
        ok: 0,
        statuses: sparkStatuses,
      },
    },
    // HTTP supports everything that sockets do, and tools.
    spark: {
      use: 'by_choice',
      baseUrl: 'https://spark-api.xf-yun.com',
      paths: { chat: '{base}/{socketPath}' },
      auth: { kind: 'spark-socket' },
      streamsOnly: true,
    },
  },
  auth: { kind: 'spark' },
  // A socket URL serves one model. If the model's name does not identify it, the version in the channel's free field
  // does.
  locate: ({ other, clientModel, model }) => {
    const named = clientModel === 'SparkDesk' ? domainOf.get(other.trim()) : undefined;
    const domain = named ?? model;
    const path = socketPaths.get(domain);
    const values: Record<string, string> = path === undefined ? {} : { socketPath: path };
    return { base: baseUrl, model: domain, values };
  },
  // Models by version, as for sockets.
  modelNames: {
    SparkDesk: 'lite',
    'SparkDesk-v1.1': 'lite',
    'SparkDesk-v2.1': 'generalv2',
    'SparkDesk-v3.1': 'generalv3',
    'SparkDesk-v3.5': 'generalv3.5',
    'SparkDesk-v4.0': '4.0Ultra',
    'SparkDesk-X1': 'x1',
  },
  // https://www.xfyun.cn/doc/spark/Web.html
  refusals: { codesOfLength: ['10907'] },
  models: ['SparkDesk', 'SparkDesk-v1.1', 'SparkDesk-v3.1', 'SparkDesk-v3.5', 'SparkDesk-v4.0'],
};
