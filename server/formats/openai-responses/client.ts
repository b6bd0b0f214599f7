// Client dialect of OpenAI's Responses.
import { codexSurface } from '#server/surfaces/codex/surface.ts';
import { requestedByBody } from '../call-address.ts';
import type { ClientDialect } from '../client-dialect.ts';
import { beginningOf } from '../conversation-beginning.ts';
import { callParameters, checkPrompt, checkRequest } from './check-request.ts';
import { responsesNames } from './critical-members.ts';
import { jsonTexts } from './json-texts.ts';
import { limits } from './limits.ts';
import { withMedia } from './media-addresses.ts';
import { promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { responseFields } from './present-response.ts';
import { clientFields } from './format-fields.ts';
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
  surface: codexSurface,
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
  limits,
  clientFields,
  readRequest,
  jsonTexts,
  schemasIn,
  beginningOf: ({ instructions, input, tools }) => beginningOf({ system: instructions, turns: input, tools }),
  sessionIn,
  writeWhole,
  createStreamWriter,
  writeTokenCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  socket,
} satisfies ClientDialect;
