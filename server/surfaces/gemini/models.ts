// Model list of this surface, paginated. https://ai.google.dev/api/models
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { contextWindow } from '#server/money/context-windows.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { ListedModel } from '../api-surface.ts';

const usualSize = 50;
const mostModels = 1000;

export function writeModel({ id }: ListedModel): Record<string, unknown> {
  const [limit, most] = [maxOutputTokens(id), contextWindow(id)];
  return {
    name: id.startsWith('tunedModels/') ? id : `models/${id}`,
    baseModelId: id,
    version: 'latest',
    displayName: id,
    ...(most === null ? {} : { inputTokenLimit: most }),
    ...(limit === null ? {} : { outputTokenLimit: limit }),
    supportedGenerationMethods: id.includes('embed')
      ? ['embedContent', 'batchEmbedContents']
      : ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

/**
 * A page token is a position in name order, so a removed model does not break pagination.
 * @param models sorted by code units of their names
 * @throws {AppError} `invalid_request`
 */
export function writeModelList(models: readonly ListedModel[], query: URLSearchParams): Record<string, unknown> {
  const size = sizeOf(query.get('pageSize') ?? query.get('page_size'));
  const after = placeOf(query.get('pageToken') ?? query.get('page_token'));
  const rest = models.filter(({ id }) => id > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  return { models: page.map(writeModel), ...(hasMore ? { nextPageToken: Buffer.from(last.id).toString('base64url') } : {}) };
}

/** 0 and an absent value are the default; larger values are the maximum. */
function sizeOf(text: string | null): number {
  if (text === null || text === '') return usualSize;
  if (!/^\d{1,9}$/.test(text)) throw badField('pageSize', fieldRules.wholeBetween(0, mostModels));
  return Math.min(mostModels, Number(text) || usualSize);
}

function placeOf(token: string | null): string {
  if (token === null || token === '') return '';
  if (!/^[\w-]{1,1000}$/.test(token)) throw badField('pageToken', fieldRules.text);
  return Buffer.from(token, 'base64url').toString('utf8');
}
