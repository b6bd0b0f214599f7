// API formats that the provider of each type of channel supports, for the setting `formats`, in the console's form and on the server. The server's
// provider records implement them; a test checks that both agree.

const others: Readonly<Record<number, readonly string[]>> = {
  1: ['openai-chat', 'openai-responses'],
  2: [],
  3: ['openai-chat', 'openai-responses'],
  4: ['openai-chat', 'ollama'],
  5: [],
  11: ['palm'],
  14: ['claude'],
  15: ['ernie'],
  17: ['openai-chat', 'claude'],
  18: ['openai-chat', 'spark'],
  21: ['library'],
  23: ['hunyuan'],
  24: ['gemini'],
  25: ['openai-chat', 'claude'],
  26: ['openai-chat', 'claude'],
  27: ['perplexity-agent', 'openai-chat'],
  33: ['claude', 'converse'],
  34: ['openai-chat', 'cohere'],
  35: ['openai-chat', 'claude'],
  36: [],
  37: ['dify'],
  41: ['gemini', 'claude', 'openai-chat'],
  43: ['openai-chat', 'claude'],
  49: ['coze'],
  50: [],
  51: [],
  52: [],
  54: [],
  55: [],
  56: ['replicate'],
  57: ['openai-responses'],
};
const usual: readonly string[] = ['openai-chat'];

export function formatsOfType(type: number): readonly string[] {
  return others[type] ?? usual;
}

/** The first format of a channel's `setting`, JSON, that its type does not have; undefined: there is none, or it is no setting. */
export function foreignFormat(type: number, setting: string): string | undefined {
  const names = formatsIn(setting);
  return names.find((name) => !formatsOfType(type).includes(name));
}

function formatsIn(setting: string): string[] {
  try {
    const read: unknown = JSON.parse(setting);
    const formats: unknown = typeof read === 'object' && read !== null && 'formats' in read ? read.formats : undefined;
    return Array.isArray(formats) ? formats.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
