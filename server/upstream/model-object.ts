// A model as model lists show it, in the form that existing clients read.
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

const created = 1626777600;
const permission = {
  id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ',
  object: 'model_permission',
  created,
  allow_create_engine: true,
  allow_sampling: true,
  allow_logprobs: true,
  allow_search_indices: false,
  allow_view: true,
  allow_fine_tuning: false,
  organization: '*',
  group: null,
  is_blocking: false,
} as const;

export interface ModelObject {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  permission: readonly (typeof permission)[];
  root: string;
  parent: null;
}

export function modelObject(id: string): ModelObject {
  return { id, object: 'model', created, owned_by: ownerOf(id), permission: [permission], root: id, parent: null };
}
