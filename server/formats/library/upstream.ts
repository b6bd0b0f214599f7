// Upstream dialect of AI Proxy's document libraries. No client dialect, no token limits, no usage. Undocumented: known from its clients
// (`relay/adaptor/aiproxy` of https://github.com/songquanpeng/one-api).
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createStreamReader, isEvent, readError, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

export const libraryUpstream: UpstreamDialect = {
  name: 'library',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // The channel chooses the library.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits: (body, { route }) => ({ body: { ...body, libraryId: route.nameThere }, dropped: [] }),
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  isEvent: ({ data }) => isEvent(parseObject(data)),
  readError(text) {
    const error = text.includes('"success"') || text.includes('"errCode"') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};
