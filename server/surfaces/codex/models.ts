// Model list of this surface. https://platform.openai.com/docs/api-reference/models
import type { ListedModel } from '../api-surface.ts';

const created = 1626777600;

export function writeModel({ id, owner }: ListedModel) {
  return { id, object: 'model' as const, created, owned_by: owner };
}
