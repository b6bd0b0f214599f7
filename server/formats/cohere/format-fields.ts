// Fields that this format carries.
import type { CarriedFields } from '../request-fields.ts';

const plain = 'command-a-03-2025';
/** Limits a penalty to the range of 0 to 1. */
const penalty = (name: string) => (value: unknown) => ({ [name]: typeof value === 'number' ? Math.min(1, Math.max(0, value)) : value });

/** https://docs.cohere.com/v2/reference/chat */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  media: { treatment: 'refused', about: 'everything except images and texts; files by id' },
  token_limit: 'by_parts',
  stop: 'by_parts',
  forced_tool: 'by_parts',
  json_without_schema: 'by_parts',
  effort: { treatment: 'dropped', about: 'only a token budget or none is supported' },
  thinking_budget: { treatment: 'dropped', about: 'for models without thinking', model: plain },
  unsigned_thoughts: { treatment: 'dropped', about: 'for models without thinking, unless tool calls follow', model: plain },
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  image_detail: 'by_parts',
  seed: (value) => ({ seed: value }),
  frequency_penalty: penalty('frequency_penalty'),
  presence_penalty: penalty('presence_penalty'),
};
