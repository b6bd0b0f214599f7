// Upstream dialect of Cohere's chat. No client dialect. https://docs.cohere.com/v2/reference/chat
import { parseObject } from '#server/framing/loose-json.ts';
import { limitsAt } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

export const cohereUpstream: UpstreamDialect = {
  name: 'cohere',
  title,
  limits: limitsAt('max_tokens'),
  carriedFields,
  identity: null,
  // Conversations contain no ids of the account's files.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  isEvent({ data }) {
    const type = parseObject(data)?.type;
    return typeof type === 'string' && types.has(type);
  },
  // A failed response reports its error at its end.
  readError: () => null,
};

const types: ReadonlySet<string> = new Set([
  'message-start',
  'content-start',
  'content-delta',
  'content-end',
  'tool-plan-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
  'citation-start',
  'citation-end',
  'message-end',
  'debug',
]);
