// Client dialect of Claude's Messages.
import { anthropicSurface } from '#server/surfaces/anthropic/surface.ts';
import { requestedByBody } from '../call-address.ts';
import type { ClientDialect } from '../client-dialect.ts';
import { beginningOf } from '../conversation-beginning.ts';
import { checkPrompt, checkRequest, callParameters } from './check-request.ts';
import { shorteningOf } from './compaction.ts';
import { promptEdits } from './context-edits.ts';
import { containerOf } from './containers.ts';
import { messagesNames } from './critical-members.ts';
import { jsonTexts } from './json-texts.ts';
import { limits } from './limits.ts';
import { withMedia } from './media-addresses.ts';
import { promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { clientFields } from './format-fields.ts';
import { schemasIn } from './schemas.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { sessionIn } from './session.ts';
import { threadOf, type ThreadRequest } from './threads.ts';
import { MessageCollector } from './collect-message.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

export const claudeClient = {
  name: 'claude',
  title: 'Claude Messages',
  surface: anthropicSurface,
  calls: {
    chat: {
      read: requestedByBody,
      check: checkRequest,
      parameters: callParameters,
      promptContent,
      withMedia,
      promptEdits,
      shortening: shorteningOf,
      refersToStored: 'threads',
      names: messagesNames,
    },
    count_tokens: {
      read: requestedByBody,
      check: checkPrompt,
      parameters: callParameters,
      promptContent,
      withMedia,
      promptEdits,
      refersToStored: 'threads',
      names: messagesNames,
    },
  },
  limits,
  clientFields,
  readRequest,
  jsonTexts,
  schemasIn,
  beginningOf: ({ system, messages, tools }) => beginningOf({ system, turns: messages, tools }),
  accountObjectOf: containerOf,
  sessionIn,
  writeWhole,
  createStreamWriter,
  writeTokenCount: (tokens, original) => ({
    input_tokens: tokens,
    ...(original === undefined ? {} : { context_management: { original_input_tokens: original } }),
  }),
  threadOf,
  collectMessage: () => new MessageCollector(),
} satisfies ClientDialect & { threadOf(body: Body): ThreadRequest | null; collectMessage(): MessageCollector };
