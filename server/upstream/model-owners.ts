// Who makes which model.
import owners from './data/model-owners.json' with { type: 'json' };

const ownerByModel = new Map<string, string>(Object.entries(owners));

/** Who makes the model; `custom` for names that are not built in. */
export function ownerOf(model: string): string {
  return ownerByModel.get(model) ?? 'custom';
}

/** Names of all models that are known here, sorted. */
export function builtInModels(): string[] {
  return [...ownerByModel.keys()].toSorted();
}
