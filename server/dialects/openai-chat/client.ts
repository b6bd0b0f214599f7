// OpenAI's Chat Completions as a format that callers speak.
import { promptParts } from './prompt-parts.ts';
import type { ClientDialect } from '../client-dialect.ts';
import { checkRequest, factsOf } from './check-request.ts';
import { errorBody, errorEvent } from './errors.ts';
import { readRequest } from './read-request.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

export const openaiChatClient: ClientDialect = {
  name: 'openai-chat',
  forwardedHeaders: [],
  check: checkRequest,
  facts: factsOf,
  promptParts: (body, model) => promptParts(body, 'chat', model),
  readRequest,
  writeWhole,
  createStreamWriter,
  keepAlive: () => ': keep-alive\n\n',
  errorBody,
  errorEvent,
};
