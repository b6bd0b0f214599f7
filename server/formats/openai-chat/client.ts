// Client dialect of OpenAI's Chat Completions.
import { openaiSurface } from '#server/surfaces/openai/surface.ts';
import { requestedByBody } from '../call-address.ts';
import type { ClientDialect } from '../client-dialect.ts';
import { beginningOf } from '../conversation-beginning.ts';
import { checkRequest, callParameters } from './check-request.ts';
import { chatNames } from './critical-members.ts';
import { jsonTexts } from './json-texts.ts';
import { limits } from './limits.ts';
import { probeChat } from './probe.ts';
import { withMedia } from './media-addresses.ts';
import { promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { clientFields } from './format-fields.ts';
import { schemasIn } from './schemas.ts';
import { sessionIn } from './session.ts';
import { responseFields } from './text-tools.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

export const openaiChatClient = {
  name: 'openai-chat',
  namesFiles: true,
  title: 'OpenAI Chat Completions',
  surface: openaiSurface,
  calls: {
    chat: {
      read: requestedByBody,
      check: checkRequest,
      parameters: callParameters,
      promptContent,
      withMedia,
      names: chatNames,
      responseFields,
      probe: probeChat,
    },
  },
  limits,
  clientFields,
  readRequest,
  jsonTexts,
  schemasIn,
  beginningOf: ({ messages, tools }) => beginningOf({ turns: messages, tools }),
  sessionIn,
  writeWhole,
  createStreamWriter,
} satisfies ClientDialect;
