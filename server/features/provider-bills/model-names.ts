// Names of models in bills and in the log, made comparable: providers bill dated snapshots of the model that was called, under names for people
// (`Claude Haiku 4.5`), with the vendor (`openai/gpt-4.1`), or as a part of a text.

/**
 * Key by which two names are the same model: without vendor, date and separators; words sorted, numbers in their order. `claude-haiku-4-5-20251001`,
 * `anthropic/claude-4.5-haiku` and `Claude Haiku 4.5` have one key; `gpt-3.5` and `gpt-5.3` have two.
 */
export function modelKey(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^models\//, '')
    .replace(/^[\w.-]+\/(?=.)/, '')
    .replace(/[-@](20\d{2})-?(0[1-9]|1[0-2])-?([0-2]\d|3[01])(?=$|[:-])/, '')
    .replace(/-latest$/, '');
  const parts = plain.split(/[\s._:/@-]+/).filter((part) => part !== '');
  const words = parts.filter((part) => !/^\d+$/.test(part)).toSorted();
  return [...words, ...parts.filter((part) => /^\d+$/.test(part))].join(' ');
}

/** The model in a line of OpenAI's costs: `gpt-4o-2024-08-06, input`. */
export function modelOfLineItem(item: string): string {
  const [model = ''] = item.split(/,\s|\s\|\s/, 1);
  return model.trim();
}

const skuModels = [
  /\bgemini (?:\d+(?:\.\d+)?)(?: (?:pro|flash(?: lite)?|ultra|nano))?(?: native image generation| image| tts| live| embedding)?/i,
  /\bgemini embedding(?: \d+)?/i,
  /\bclaude (?:(?:opus|sonnet|haiku|fable|mythos) \d+(?:\.\d+)?|\d+(?:\.\d+)? (?:opus|sonnet|haiku))/i,
  /\b(?:imagen|veo|lyria) \d+(?:\.\d+)?(?: (?:fast|ultra|lite))?/i,
  /\b(?:llama|mistral|deepseek|qwen|gpt oss) ?[\w.]*\b/i,
];

/** The model in the description of a Google SKU; the description itself if it names none that is known. */
export function modelOfSku(description: string): string {
  const spaced = description.replace(/[-_–]+/g, ' ').replace(/\s+/g, ' ');
  for (const pattern of skuModels) {
    const [found] = pattern.exec(spaced) ?? [];
    if (found !== undefined)
      return found
        .trim()
        .toLowerCase()
        .replace(/ native image generation$/, ' image')
        .replaceAll(' ', '-');
  }
  return description.trim();
}
