// Model list of this surface, with additional fields that clients read. https://platform.openai.com/docs/api-reference/models
import type { ListedModel } from '../api-surface.ts';

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
};

export function writeModel({ id, owner }: ListedModel) {
  return { id, object: 'model' as const, created, owned_by: owner, permission: [permission], root: id, parent: null };
}

export function writeModelList(models: readonly ListedModel[]) {
  return { object: 'list', success: true, data: models.map(writeModel) };
}
