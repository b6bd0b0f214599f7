// Upstream dialect of Bedrock's Converse. No client dialect. Model and stream flag are in the path.
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { limitsAt } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createStreamReader, readError, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

export const converseUpstream: UpstreamDialect = {
  name: 'converse',
  title,
  limits: limitsAt('inferenceConfig.maxTokens'),
  carriedFields,
  identity: null,
  // The gateway writes no locations in the account's storage.
  findAccountObject: () => undefined,
  addressUse: () => 'bytes',
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  // A channel's override may add fields that are in the path.
  normalize: ({ model: _model, stream: _stream, ...body }) => body,
  effortOf({ additionalModelRequestFields: fields }) {
    const { reasoning_effort: effort, reasoningConfig: config } = isObject(fields) ? fields : {};
    const reported = isObject(config) ? config.maxReasoningEffort : effort;
    return typeof reported === 'string' ? reported : undefined;
  },
  readWhole,
  createStreamReader,
  isEvent: ({ name, data }) => names.has(name) && parseObject(data) !== null,
  readError(text) {
    const body = text.includes('"error"') ? parseObject(text) : null;
    const error = body === null ? null : readError(body);
    return error === null ? null : errorInResponse(error);
  },
};

const names: ReadonlySet<string> = new Set([
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
  'error',
]);
