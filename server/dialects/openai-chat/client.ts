// OpenAI's Chat Completions, and its embeddings, as a format that callers speak.
import type { ClientDialect } from '../client-dialect.ts';
import { checkEmbeddings } from './check-embeddings.ts';
import { checkRequest, factsOf } from './check-request.ts';
import { chatNames, embeddingsNames } from './deciding-names.ts';
import { errorBody, errorEvent } from './errors.ts';
import { limitFields } from './limit-fields.ts';
import { lossFields } from './losses.ts';
import { writeModel, writeModelList } from './models.ts';
import { onlyFields } from './only-fields.ts';
import { probeChat, probeEmbeddings } from './probe.ts';
import { embeddingsParts, promptParts } from './prompt-parts.ts';
import { readRequest } from './read-request.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

export const openaiChatClient = {
  name: 'openai-chat',
  title: 'OpenAI Chat Completions',
  calls: {
    chat: { check: checkRequest, facts: factsOf, promptParts, names: chatNames, probe: probeChat },
    embeddings: {
      check: checkEmbeddings,
      facts: () => ({ isStream: false, maxTokens: 0, choices: 1, wantsUsage: false }),
      promptParts: embeddingsParts,
      names: embeddingsNames,
      responseFields: ['encoding_format', 'dimensions'],
      probe: probeEmbeddings,
    },
  },
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  limitFields,
  onlyFields,
  lossFields,
  readRequest,
  writeWhole,
  createStreamWriter,
  writeModel,
  writeModelList,
  keepAlive: () => ': keep-alive\n\n',
  errorBody,
  errorEvent,
} satisfies ClientDialect;
