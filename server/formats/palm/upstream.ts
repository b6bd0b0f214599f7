// Upstream dialect of Google's PaLM. No client dialect, no streams, no token limits. The service has ended.
// https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta2/discuss_service.proto
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { largestCount, noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createStreamReader, readError, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

export const palmUpstream: UpstreamDialect = {
  name: 'palm',
  title,
  limits: noLimits,
  choicesIn: ({ candidateCount, candidate_count: spelled }) => largestCount(candidateCount, spelled),
  carriedFields,
  identity: null,
  // Prompts contain no ids of the account.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  isEvent({ data }) {
    const event = parseObject(data);
    return event !== null && (isObject(event['error']) || Array.isArray(event['candidates']) || event['isFinished'] === true);
  },
  readError(text) {
    const error = readError(parseObject(text));
    return error === null ? null : errorInResponse(error);
  },
};
