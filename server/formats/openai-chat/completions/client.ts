// Client dialect of OpenAI's completions, the predecessor of chat completions.
import { requestedByBody } from '../../call-address.ts';
import type { ClientDialect } from '../../client-dialect.ts';
import { criticalMembers } from '../../critical-members.ts';
import { limitsAt } from '../../token-limits.ts';
import { openaiChatClient } from '../client.ts';
import { callParameters, checkRequest, promptContent } from './check-request.ts';
import { readRequest } from './read-request.ts';
import { clientFields } from './format-fields.ts';
import { createStreamWriter, writeWhole } from './write-response.ts';

const limits = limitsAt('max_tokens');

export const openaiCompletionsClient = {
  ...openaiChatClient,
  name: 'openai-completions',
  title: 'OpenAI Completions',
  calls: {
    completions: {
      read: requestedByBody,
      check: checkRequest,
      parameters: callParameters,
      promptContent,
      names: criticalMembers(limits.names, [
        'model',
        'prompt',
        'suffix',
        'n',
        'best_of',
        'echo',
        'logprobs',
        'stream',
        'stream_options',
        'include_usage',
      ]),
    },
  },
  limits,
  clientFields,
  readRequest,
  writeWhole,
  createStreamWriter,
} satisfies ClientDialect;
