// Fields of completion requests other than the prompt. https://platform.openai.com/docs/api-reference/completions/create
import type { ClientFields } from '../../request-fields.ts';
import { clientFields as chatFields } from '../format-fields.ts';

const fields = ['choices', 'seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'user_id', 'stop'] as const;

export const clientFields: ClientFields = {
  ...Object.fromEntries(fields.map((field) => [field, chatFields[field]])),
  best_of: { name: 'best_of', neutral: [1], example: { best_of: 3 } },
  suffix: { name: 'suffix', neutral: [''], example: { suffix: ' and so on.' } },
  logprobs: { name: 'logprobs', example: { logprobs: 2 } },
};
