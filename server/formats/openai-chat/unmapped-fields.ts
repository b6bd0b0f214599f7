// Response fields of chat completions that are not mapped to other formats, by reason.
import type { UnmappedFields } from '../unmapped-fields.ts';

const ofEverything = {
  'serving details: the log has the tier': ['system_fingerprint'],
  "the provider's moderation: refusals are mapped": ['moderation'],
  'tokens at the same price': [
    'usage.completion_tokens_details.accepted_prediction_tokens',
    'usage.completion_tokens_details.rejected_prediction_tokens',
    'usage.completion_tokens_details.text_tokens',
    'usage.prompt_tokens_details.text_tokens',
    'usage.total_tokens',
  ],
} as const;

export const unmappedFields: UnmappedFields = {
  whole: {
    ...ofEverything,
    'audio output, which only callers of the format can request': ['choices[].message.audio'],
    'repeated request fields': ['metadata'],
  },
  events: {
    ...ofEverything,
    'audio output, which only callers of the format can request': ['choices[].delta.audio'],
    'repeats a function call, which is mapped; mapped if alone': ['choices[].delta.tool_calls[function].custom'],
  },
};
