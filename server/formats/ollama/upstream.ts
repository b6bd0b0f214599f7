// Upstream dialect of Ollama's chat API. No client dialect. https://docs.ollama.com/api/chat
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { limitsAt } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { gatherOptions } from './options.ts';
import { createStreamReader, isLine, readError, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

export const ollamaUpstream: UpstreamDialect = {
  name: 'ollama',
  title,
  limits: limitsAt('options.num_predict'),
  carriedFields,
  identity: null,
  // There is no account.
  findAccountObject: () => undefined,
  addressUse: () => 'bytes',
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  normalize: gatherOptions,
  effortOf: ({ think }) => (typeof think === 'string' ? think : undefined),
  readWhole,
  createStreamReader,
  isEvent({ data }) {
    const line = parseObject(data);
    return line !== null && isLine(line);
  },
  readError(text) {
    const body = text.includes('"error"') ? parseObject(text) : null;
    const error = body === null ? null : readError(body);
    return error === null ? null : errorInResponse(error);
  },
};
