// Client dialect of Gemini's `generateContent`. Model and stream flag are in the path.
import { geminiSurface } from '#server/surfaces/gemini/surface.ts';
import type { ClientDialect } from '../client-dialect.ts';
import { beginningOf } from '../conversation-beginning.ts';
import { requestedCall, isList } from './requested-model.ts';
import { callParameters, checkCount, checkRequest } from './check-request.ts';
import { generateNames } from './critical-members.ts';
import { jsonTexts } from './json-texts.ts';
import { limits } from './limits.ts';
import { withMedia } from './media-addresses.ts';
import { promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { clientFields } from './format-fields.ts';
import { schemasIn } from './schemas.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

const generate = { read: requestedCall, parameters: callParameters, promptContent, withMedia, names: generateNames };

export const geminiClient = {
  name: 'gemini',
  title: 'Gemini',
  surface: geminiSurface,
  calls: {
    chat: { ...generate, check: checkRequest, responseFields: (_body, { query }) => ({ isList: isList(query) }) },
    count_tokens: { ...generate, check: checkCount },
  },
  limits,
  clientFields,
  beginningOf: ({ systemInstruction, system_instruction, contents, tools }) =>
    beginningOf({ system: systemInstruction ?? system_instruction, turns: contents, tools }),
  readRequest,
  jsonTexts,
  schemasIn,
  writeWhole,
  createStreamWriter,
  writeTokenCount: (tokens) => ({ totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] }),
  reportsBlockedPrompts: true,
  namesCaches: true,
} satisfies ClientDialect;
