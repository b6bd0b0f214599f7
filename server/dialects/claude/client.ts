// Claude's Messages as a format that callers speak.
import type { ClientDialect } from '../client-dialect.ts';
import { checkRequest, factsOf } from './check-request.ts';
import { errorBody, errorEvent } from './errors.ts';
import { promptParts } from './prompt-parts.ts';
import { readRequest } from './read-request.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

export const claudeClient: ClientDialect = {
  name: 'claude',
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
  check: checkRequest,
  facts: factsOf,
  promptParts,
  readRequest,
  writeWhole,
  createStreamWriter,
  // Clients pass over a comment everywhere; a ping may stand only after the message has begun.
  keepAlive: (hasBegun) => (hasBegun ? ping : ': keep-alive\n\n'),
  errorBody,
  errorEvent,
};
