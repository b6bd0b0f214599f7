// The most tokens that a model can answer with, as its vendor says. What is not known here is a setting.
import known from './data/max-output-tokens.json' with { type: 'json' };

const byModel = new Map<string, number>(Object.entries(known));
const found = new Map<string, number | null>();

/** Null: not known. Versions of a model (`gpt-4o-2024-08-06`) are as their model, names with a vendor (`openai/gpt-4o`) as without. */
export function maxOutputTokens(model: string): number | null {
  const exact = byModel.get(model);
  if (exact !== undefined) return exact;
  const before = found.get(model);
  if (before !== undefined) return before;
  const limit = search(model);
  // Callers choose the names.
  if (found.size >= 10_000) found.clear();
  found.set(model, limit);
  return limit;
}

function search(model: string): number | null {
  const bare = model.slice(model.lastIndexOf('/') + 1).replace(/:.*$/, '');
  for (let name = bare; name.includes('-'); name = name.slice(0, name.lastIndexOf('-'))) {
    const limit = byModel.get(name);
    if (limit !== undefined) return limit;
    // Behind a name only a date, a version or an effort: anything else is another model.
    if (!/-(?:\d+|v\d+|latest|preview|minimal|none|low|medium|high|xhigh|thinking)$/.test(name)) break;
  }
  return byModel.get(bare) ?? null;
}
