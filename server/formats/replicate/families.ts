// What the inputs of text models are called: each vendor has names of its own. https://replicate.com/collections/language-models
export interface Family {
  limit: string;
  /** Fewer tokens are refused. */
  leastLimit?: number;
  /** Missing: there is none, and instructions begin the prompt. */
  system?: string;
  /** Where pictures go, and whether there may be several. Missing: there are none. */
  pictures?: { field: string; isList: boolean };
  temperature: boolean;
  topP: boolean;
  topK: boolean;
  /** Texts that end the response, in one with commas. */
  stop: boolean;
}

const sampled = { temperature: true, topP: true, topK: false, stop: false };

const byVendor: Readonly<Record<string, Family>> = {
  openai: { ...sampled, limit: 'max_completion_tokens', system: 'system_prompt', pictures: { field: 'image_input', isList: true } },
  anthropic: {
    limit: 'max_tokens',
    leastLimit: 1024,
    system: 'system_prompt',
    pictures: { field: 'image', isList: false },
    temperature: false,
    topP: false,
    topK: false,
    stop: false,
  },
  google: { ...sampled, limit: 'max_output_tokens', system: 'system_instruction', pictures: { field: 'images', isList: true } },
  'deepseek-ai': { ...sampled, limit: 'max_tokens' },
};
const others: Family = { ...sampled, limit: 'max_tokens', system: 'system_prompt', topK: true, stop: true };

/** @param model `owner/name`, or a version of one */
export function familyOf(model: string): Family {
  const [vendor = ''] = model.split('/');
  return (Object.hasOwn(byVendor, vendor) ? byVendor[vendor] : undefined) ?? others;
}
