// Client dialect of OpenAI's Responses.
import { requestedByBody } from '../call-address.ts';
import type { ClientDialect } from '../client-dialect.ts';
import { beginningOf } from '../conversation-beginning.ts';
import { callParameters, checkPrompt, checkRequest } from './check-request.ts';
import { responsesNames } from './critical-members.ts';
import { codexModels } from './codex-models.ts';
import { errorBody } from './errors.ts';
import { jsonTexts } from './json-texts.ts';
import { limits } from './limits.ts';
import { writeModel } from './models.ts';
import { withMedia } from './media-addresses.ts';
import { promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { responseFields } from './present-response.ts';
import { saidFields } from './said-fields.ts';
import { schemasIn } from './schemas.ts';
import { sessionIn } from './session.ts';
import { socket } from './socket.ts';
import { title } from './title.ts';
import { leastMaxTokens } from './write-request.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

export const openaiResponsesClient = {
  name: 'openai-responses',
  namesFiles: true,
  title,
  calls: {
    chat: {
      read: requestedByBody,
      check: checkRequest,
      parameters: callParameters,
      promptContent,
      withMedia,
      names: responsesNames,
      responseFields,
      refersToStored: 'responses',
      probe: (model) => ({ model, input: 'hi', max_output_tokens: leastMaxTokens }),
    },
    count_tokens: {
      read: requestedByBody,
      check: checkPrompt,
      parameters: callParameters,
      promptContent,
      withMedia,
      names: responsesNames,
      refersToStored: 'responses',
    },
  },
  // Codex sends its version. OpenAI's other clients receive the list of chat completions.
  isSpokenWith: (_headers, query) => query.has('client_version'),
  modelTag: { header: 'x-models-etag', isWantedBy: (headers) => headers['session-id'] !== undefined },
  // Codex's headers for state shared by its turns and for its protocol variants.
  forwardedHeaders: [
    'openai-beta',
    'session-id',
    'thread-id',
    'x-codex-beta-features',
    'x-codex-turn-state',
    'x-openai-internal-codex-responses-lite',
  ],
  turnStateHeader: 'x-codex-turn-state',
  requestIdHeader: 'x-request-id',
  limits,
  saidFields,
  readRequest,
  jsonTexts,
  schemasIn,
  beginningOf: ({ instructions, input, tools }) => beginningOf({ system: instructions, turns: input, tools }),
  sessionIn,
  writeWhole,
  createStreamWriter,
  writeTokenCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  writeModel,
  writeModelList: codexModels,
  errorBody,
  socket,
} satisfies ClientDialect;
