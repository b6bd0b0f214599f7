import { criticalMembers, messageNames, openBelow } from '../../critical-members.ts';
import { limits } from './limits.ts';

/** Critical members of a request, and everything below `input`, which contains the conversation. */
export const interactionsNames = openBelow(
  criticalMembers(messageNames, limits.names, [
    'model',
    'agent',
    'input',
    'system_instruction',
    'stream',
    'store',
    'background',
    'previous_interaction_id',
    'continuation_token',
    'cached_content',
    'service_tier',
    'response_format',
    'response_modalities',
    'response_mime_type',
    'schema',
    'thinking_level',
    'thinking_summaries',
    'tool_choice',
    'allowed_tools',
    'description',
    'parameters',
    'arguments',
    'result',
    'signature',
    'summary',
    'uri',
    'mime_type',
  ]),
  'input',
);
