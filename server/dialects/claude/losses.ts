// What other formats may have no place for, as this one says it and as it takes it. `docs/translation.md` is made from these.
import type { LossFields, LossRules } from '../loss.ts';

const userPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

export const lossFields: LossFields = {
  media: {
    field: 'messages.0.content',
    example: userPart({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
  },
  top_k: { field: 'top_k', example: { top_k: 5 } },
  thinking_budget: { field: 'thinking', example: { thinking: { type: 'enabled', budget_tokens: 2048 } } },
  effort: { field: 'output_config.effort', example: { output_config: { effort: 'high' } } },
  thoughts: {
    field: 'thinking blocks',
    example: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'text', text: 'Hi' },
          ],
        },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  tool_errors: {
    field: 'is_error',
    example: userPart({ type: 'tool_result', tool_use_id: 't1', content: 'Not found', is_error: true }),
  },
  cache_hints: {
    field: 'cache_control',
    example: userPart({ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }),
  },
};

export const lossRules: LossRules = {
  media: { treatment: 'refused', about: 'spoken input, files by id, and files that are not PDF' },
  json_without_schema: {
    treatment: 'dropped',
    about: '`json_object` only: there is no JSON without a schema, and the prompt has to ask for it',
  },
  effort: {
    treatment: 'dropped',
    about: 'for models that do not think, with a forced tool, and where the thoughts behind tool calls are missing',
    model: 'claude-3-5-haiku-20241022',
  },
  temperature: { treatment: 'dropped', about: 'while the model thinks, like `top_p` and `top_k`; otherwise values above 1 become 1' },
  unsigned_thoughts: { treatment: 'dropped', about: 'thoughts without a signature (`reasoning_details` carries it)' },
  image_detail: { treatment: 'dropped', about: 'size of images' },
  names: { treatment: 'dropped', about: 'names of people' },
};
