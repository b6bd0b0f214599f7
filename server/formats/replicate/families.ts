// Input names of text models, which differ by vendor. https://replicate.com/collections/language-models
export interface Family {
  limit: string;
  /** Smaller limits are rejected. */
  leastLimit?: number;
  /** Field for instructions; if undefined, they begin the prompt. */
  system?: string;
  /** Field for images, and whether it is a list. If undefined, images are not supported. */
  pictures?: { field: string; isList: boolean };
  temperature: boolean;
  topP: boolean;
  topK: boolean;
  /** Stop sequences, comma-separated in one text. */
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
