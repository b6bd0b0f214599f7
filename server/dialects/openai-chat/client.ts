// OpenAI's Chat Completions, and its embeddings, as a format that callers speak.
import type { ClientDialect } from '../client-dialect.ts';
import { checkEmbeddings } from './check-embeddings.ts';
import { checkRequest, callParameters } from './check-request.ts';
import { chatNames, embeddingsNames } from './deciding-names.ts';
import { errorBody } from './errors.ts';
import { limits } from './limits.ts';
import { writeModel, writeModelList } from './models.ts';
import { probeChat, probeEmbeddings } from './probe.ts';
import { embeddingsContent, promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { saidFields } from './said-fields.ts';
import { sessionIn } from './session.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

export const openaiChatClient = {
  name: 'openai-chat',
  title: 'OpenAI Chat Completions',
  calls: {
    chat: { check: checkRequest, parameters: callParameters, promptContent, names: chatNames, probe: probeChat },
    embeddings: {
      check: checkEmbeddings,
      parameters: () => ({ isStream: false, maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
      promptContent: embeddingsContent,
      names: embeddingsNames,
      responseFields: ({ encoding_format, dimensions }) => ({ encoding_format, dimensions }),
      probe: probeEmbeddings,
    },
  },
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  limits,
  saidFields,
  readRequest,
  sessionIn,
  writeWhole,
  createStreamWriter,
  writeModel,
  writeModelList,
  errorBody,
} satisfies ClientDialect;
