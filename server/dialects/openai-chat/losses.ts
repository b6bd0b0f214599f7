// What other formats may have no place for, as this one says it and as it takes it. `docs/translation.md` is made from these.
import type { LossFields, LossRules } from '../loss.ts';

const userPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

export const lossFields: LossFields = {
  media: {
    field: 'messages.0.content',
    example: userPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
  },
  json_without_schema: { field: 'response_format', example: { response_format: { type: 'json_object' } } },
  effort: { field: 'reasoning_effort', example: { reasoning_effort: 'high' } },
  temperature: { field: 'temperature', example: { reasoning_effort: 'high', temperature: 0.2 } },
  unsigned_thoughts: {
    field: 'reasoning_content',
    example: {
      messages: [
        { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  image_detail: {
    field: 'image_url.detail',
    example: userPart({ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } }),
  },
  names: { field: 'messages.name', example: { messages: [{ role: 'user', name: 'ann', content: 'Hello' }] } },
};

export const lossRules: LossRules = {
  media: { treatment: 'refused', about: 'images and documents by id, documents by address' },
  top_k: { treatment: 'dropped', about: 'sampling' },
  thinking_budget: { treatment: 'dropped', about: 'for models that do not think; others get an effort by the budget' },
  effort: { treatment: 'dropped', about: 'for models that do not think' },
  thoughts: { treatment: 'dropped', about: 'thoughts of earlier turns' },
  tool_errors: { treatment: 'dropped', about: 'failure of a tool, beyond what its result says' },
};
