// Upstream dialect of ERNIE on Baidu's first platform. No client dialect. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { limitsAt } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { leastMaxTokens, writeRequest } from './write-request.ts';

export const ernieUpstream: UpstreamDialect = {
  name: 'ernie',
  title,
  limits: limitsAt('max_output_tokens'),
  leastMaxTokens,
  carriedFields,
  identity: null,
  // Conversations contain no ids of the account.
  findAccountObject: () => undefined,
  parsesResults: true,
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  // A channel's override may add a model, which is in the path.
  normalize: ({ model: _model, ...body }) => body,
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  isEvent({ data }) {
    const frame = parseObject(data);
    return frame !== null && (typeof frame.result === 'string' || typeof frame.is_end === 'boolean' || readError(frame) !== null);
  },
  readError(text) {
    const error = text.includes('"error_code"') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};
