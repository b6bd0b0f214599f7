// Upstream dialect of Hunyuan's chat API. No client dialect, no token limits.
// https://cloud.tencent.com/document/product/1729/105701
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

export const hunyuanUpstream: UpstreamDialect = {
  name: 'hunyuan',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // Conversations contain no ids of the account.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  isEvent({ data }) {
    const event = parseObject(data);
    return event !== null && (Array.isArray(event['Choices']) || isObject(event['Usage']) || readError(event) !== null);
  },
  readError(text) {
    const error = text.includes('"Error') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};
