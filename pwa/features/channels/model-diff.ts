// What a provider's list of models changes in a form.

export interface ModelDiff {
  /** On the provider's list and not in the form. */
  added: string[];
  /** In the form and not on the list: neither the name nor what it is mapped to. */
  gone: string[];
}

export function modelDiff(
  { models, model_mapping }: { models: readonly string[]; model_mapping: string },
  listed: readonly string[],
): ModelDiff {
  const known = new Set(listed);
  const targets = mappingOf(model_mapping);
  return {
    added: listed.filter((model) => !models.includes(model)),
    gone: models.filter((model) => !known.has(model) && !known.has(targets.get(model) ?? model)),
  };
}

/** The same for a new channel: names that were filled in and not chosen are no loss. Without others, all listed names are new. */
export function firstDiff(
  form: { models: readonly string[]; model_mapping: string },
  listed: readonly string[],
  filled: readonly string[],
): ModelDiff {
  const chosen = form.models.filter((model) => !filled.includes(model));
  return modelDiff({ ...form, models: chosen }, listed);
}

/** The form's models with the chosen changes, in their order, new ones last. */
export function applyDiff(models: readonly string[], { added, gone }: ModelDiff): string[] {
  const removed = new Set(gone);
  return [...new Set([...models.filter((model) => !removed.has(model)), ...added])];
}

function mappingOf(text: string): Map<string, string> {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(Object.entries(value).flatMap(([from, to]): [string, string][] => (typeof to === 'string' ? [[from, to]] : [])));
  } catch {
    return new Map();
  }
}
