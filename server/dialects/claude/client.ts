// Claude's Messages as a format that callers speak.
import type { ClientDialect } from '../client-dialect.ts';
import { checkPrompt, checkRequest, factsOf } from './check-request.ts';
import { messagesNames } from './deciding-names.ts';
import { errorBody, errorEvent } from './errors.ts';
import { limitFields } from './limit-fields.ts';
import { lossFields } from './losses.ts';
import { writeModel, writeModelList } from './models.ts';
import { onlyFields } from './only-fields.ts';
import { promptParts } from './prompt-parts.ts';
import { readRequest } from './read-request.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

export const claudeClient = {
  name: 'claude',
  title: 'Claude Messages',
  calls: {
    chat: { check: checkRequest, facts: factsOf, promptParts, names: messagesNames },
    count_tokens: { check: checkPrompt, facts: factsOf, promptParts, names: messagesNames },
  },
  isSpokenWith: (headers) => headers.has('anthropic-version') || headers.has('x-api-key'),
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
  requestIdHeader: 'request-id',
  limitFields,
  onlyFields,
  lossFields,
  readRequest,
  writeWhole,
  createStreamWriter,
  writeTokenCount: (tokens) => ({ input_tokens: tokens }),
  writeModel,
  writeModelList,
  // Clients pass over a comment everywhere; a ping may stand only after the message has begun.
  keepAlive: (hasBegun: boolean) => (hasBegun ? ping : ': keep-alive\n\n'),
  errorBody,
  errorEvent,
} satisfies ClientDialect;
