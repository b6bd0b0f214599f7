// Response fields of chat completions that are not mapped to other formats, by reason.
import type { UnmappedFields } from '../unmapped-fields.ts';

const ofEverything = {
  'where and how it was served: the log has the lane': ['system_fingerprint'],
  'what the provider thinks of it: what it refuses is heard': ['moderation'],
  'the price is the same for them': [
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
    'spoken responses, which only callers of the format can ask for': ['choices[].message.audio'],
    "the request's own, which its response repeats": ['metadata'],
  },
  events: {
    ...ofEverything,
    'spoken responses, which only callers of the format can ask for': ['choices[].delta.audio'],
    'stands beside a function, which is heard; alone it is heard as well': ['choices[].delta.tool_calls[function].custom'],
  },
};
