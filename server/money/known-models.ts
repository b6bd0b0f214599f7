// Facts of models by their names.

/**
 * Null: not known. Versions of a model (`gpt-4o-2024-08-06`) are as their model, names with a vendor (`openai/gpt-4o`) as without.
 * @param known the fact by the vendor's name of the model
 */
export function factOfModels(known: Readonly<Record<string, number>>): (model: string) => number | null {
  const byModel = new Map<string, number>(Object.entries(known));
  const found = new Map<string, number | null>();
  return (model) => {
    const exact = byModel.get(model);
    if (exact !== undefined) return exact;
    const before = found.get(model);
    if (before !== undefined) return before;
    const fact = search(byModel, model);
    // Callers choose the names.
    if (found.size >= 10_000) found.clear();
    found.set(model, fact);
    return fact;
  };
}

function search(byModel: ReadonlyMap<string, number>, model: string): number | null {
  // A trained model (`ft:gpt-4o-mini:…`) answers as the one that it was trained from.
  const bare = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^ft:/, '')
    .replace(/:.*$/, '');
  for (let name = bare; name.includes('-'); name = name.slice(0, name.lastIndexOf('-'))) {
    const fact = byModel.get(name);
    if (fact !== undefined) return fact;
    // Behind a name only a date, a version or an effort: anything else is another model.
    if (!/-(?:\d+|v\d+|latest|preview|minimal|none|low|medium|high|xhigh|thinking)$/.test(name)) break;
  }
  return byModel.get(bare) ?? null;
}
