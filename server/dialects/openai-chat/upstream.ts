// OpenAI's Chat Completions, and its embeddings, as a format that providers speak.
import { parseObject } from '#server/framing/loose-json.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { isDone } from './done-event.ts';
import { writeRequest as passRequest } from './identity-request.ts';
import { readWhole as passWhole } from './identity-response.ts';
import { ChatIdentityStream } from './identity-stream.ts';
import { limitFields } from './limit-fields.ts';
import { lossRules } from './losses.ts';
import { readLong } from './long-response.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { applyQuirks } from './request-quirks.ts';
import { errorIn } from './response-errors.ts';
import { isInvalidUsage } from './token-usage.ts';
import { writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-response.ts';

export const openaiChatUpstream: UpstreamDialect = {
  name: 'openai-chat',
  limitFields,
  lossRules,
  identity: {
    writeRequest: passRequest,
    readWhole: passWhole,
    readLong,
    openStream: (input) => new ChatIdentityStream(input),
  },
  writeRequest,
  adapt: applyQuirks,
  effortOf: ({ reasoning_effort: effort }) => (typeof effort === 'string' ? effort : undefined),
  readWhole,
  isInvalidUsage,
  createStreamReader,
  createStreamWriter,
  isEvent: (data) => isDone(data) || parseObject(data) !== null,
  readError: errorIn,
};
