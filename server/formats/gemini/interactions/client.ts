// Client dialect of Gemini's Interactions.
import { interactionsSurface } from '#server/surfaces/interactions/surface.ts';
import type { ClientDialect } from '../../client-dialect.ts';
import { beginningOf } from '../../conversation-beginning.ts';
import { sessionInMetadata } from '../../session-headers.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { requestedCall } from './requested-model.ts';
import { callParameters, checkRequest } from './check-request.ts';
import { interactionsNames } from './critical-members.ts';
import { stepsOf } from './items.ts';
import { jsonTexts } from './json-texts.ts';
import { limits } from './limits.ts';
import { withMedia } from './media-addresses.ts';
import { promptContent } from './prompt-content.ts';
import { readRequest } from './read-request.ts';
import { clientFields } from './format-fields.ts';
import { schemasIn } from './schemas.ts';
import { title } from './title.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

/** Steps searched for the start of a conversation. */
const mostSteps = 32;

export const geminiInteractionsClient = {
  name: 'gemini-interactions',
  title,
  surface: interactionsSurface,
  calls: {
    chat: {
      read: requestedCall,
      check: checkRequest,
      parameters: callParameters,
      promptContent,
      withMedia,
      names: interactionsNames,
      refersToStored: 'interactions',
    },
  },
  limits,
  clientFields,
  readRequest,
  jsonTexts,
  schemasIn,
  beginningOf({ system_instruction: system, input, tools }) {
    const steps = stepsOf(input);
    const first = steps.slice(0, mostSteps).findIndex(({ type }) => type === 'user_input');
    // Steps have a type instead of a role: the first user step gets one.
    const turns = first < 0 ? steps : steps.with(first, { role: 'user', content: steps[first]?.['content'] });
    return beginningOf({ system, turns, tools });
  },
  sessionIn: ({ labels }) => sessionInMetadata(labels),
  writeWhole,
  createStreamWriter,
  /** Normalizes `input` to steps, as they are stored. */
  stepsOf,
} satisfies ClientDialect & { stepsOf(input: unknown): readonly Body[] };
