// Model list of this surface, paginated. https://platform.claude.com/docs/en/api/models/list
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { contextWindow } from '#server/money/context-windows.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { ListedModel } from '../api-surface.ts';

const usualLimit = 20;
const mostModels = 1000;
const lines = ['haiku', 'sonnet', 'opus', 'fable', 'mythos'] as const;
/** The format's value for an unknown release date. */
const unknownRelease = '1970-01-01T00:00:00Z';

export function writeModel({ id }: ListedModel) {
  return {
    type: 'model' as const,
    id,
    display_name: id,
    created_at: unknownRelease,
    // Required, null if unknown: clients derive limits from them.
    max_input_tokens: contextWindow(id),
    max_tokens: maxOutputTokens(id),
    capabilities: null,
    lifecycle: 'active' as const,
    line: lines.find((line) => id.includes(`claude-${line}`)) ?? null,
    deprecated_at: null,
    retires_at: null,
  };
}

/**
 * `after_id` and `before_id` are positions in name order, so a removed model does not break pagination.
 * @param models sorted by code units of their names
 * @throws {AppError} `invalid_request`
 */
export function writeModelList(models: readonly ListedModel[], query: URLSearchParams) {
  const limit = limitOf(query.get('limit'));
  const [after, before] = [query.get('after_id'), query.get('before_id')];
  if (after !== null && before !== null)
    throw badField('before_id', { zh: '不能与 after_id 同时给出', en: 'cannot be given together with after_id' });
  const inside = models.filter(({ id }) => (after === null || id > after) && (before === null || id < before));
  const page = before === null ? inside.slice(0, limit) : inside.slice(-limit);
  return {
    data: page.map(writeModel),
    has_more: inside.length > page.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function limitOf(text: string | null): number {
  if (text === null) return usualLimit;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > mostModels) throw badField('limit', fieldRules.wholeBetween(1, mostModels));
  return limit;
}
