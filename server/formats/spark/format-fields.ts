// Fields that this format carries. Tools are supported over the vendor's HTTP API only.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  token_limit: 'by_parts',
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  presence_penalty: (value) => inChat({ presence_penalty: value }),
  frequency_penalty: (value) => inChat({ frequency_penalty: value }),
};

function inChat(fields: Record<string, unknown>): Record<string, unknown> {
  return { parameter: { chat: fields } };
}
