// Upstream dialect of iFlytek's Spark over WebSocket: one request message, streamed response messages. No client dialect.
// https://www.xfyun.cn/doc/spark/Web.html, https://www.xfyun.cn/doc/spark/X1ws.html
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { limitsAt } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { createStreamReader, gathering, isLast, isMessage, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { applyTraits, writeRequest } from './write-request.ts';

export const sparkUpstream: UpstreamDialect = {
  name: 'spark',
  title,
  limits: limitsAt('parameter.chat.max_tokens'),
  carriedFields,
  identity: null,
  // Conversations contain no ids of the account.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits,
  effortOf: () => undefined,
  socket: { isLast },
  readWhole,
  createStreamReader,
  gathering,
  isEvent: ({ data }) => isMessage(parseObject(data)),
  readError(text) {
    const error = readError(parseObject(text));
    return error === null ? null : errorInResponse(error);
  },
};
