// AI Proxy's libraries of documents as a format that providers speak; no caller does. What is known of it is what programs send that ask them
// (`relay/adaptor/aiproxy` of https://github.com/songquanpeng/one-api). It cannot be told a limit of tokens and tells no usage.
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createStreamReader, isEvent, readError, readWhole } from './read-response.ts';
import { carriedFields } from './said-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-stream.ts';

export const libraryUpstream: UpstreamDialect = {
  name: 'library',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // Which library is asked is the channel's to say.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits: (body, { route }) => ({ body: { ...body, libraryId: route.nameThere }, dropped: [] }),
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  createStreamWriter,
  isEvent: ({ data }) => isEvent(parseObject(data)),
  readError(text) {
    const error = text.includes('"success"') || text.includes('"errCode"') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};
