// Pages of item lists, as in the vendor's API.
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';

type Item = Readonly<Record<string, unknown>>;

export interface ItemsPage {
  limit: number;
  isAscending: boolean;
  after: string | undefined;
}

const defaultLimit = 20;
const largestLimit = 100;

/** @throws {AppError} `invalid_request` with the invalid parameter */
export function readPage(query: URLSearchParams): ItemsPage {
  const limit = query.get('limit');
  const count = limit === null ? defaultLimit : Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > largestLimit) throw badField('limit', fieldRules.wholeBetween(1, largestLimit));
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw badField('order', fieldRules.oneOf(['asc', 'desc']));
  return { limit: count, isAscending: order === 'asc', after: query.get('after') ?? undefined };
}

/**
 * Returns one page of the items.
 * @param items all items, oldest first
 * @throws {AppError} 400 for an unknown `after`
 */
export function pageOf(items: readonly Item[], { limit, isAscending, after }: ItemsPage): object {
  const ordered = isAscending ? items : items.toReversed();
  const at = after === undefined ? -1 : ordered.findIndex((item) => item['id'] === after);
  if (after !== undefined && at < 0) throw badField('after', fieldRules.invalid);
  return listOf(ordered.slice(at + 1, at + 1 + limit), ordered.length > at + 1 + limit);
}

/**
 * Returns the JSON of a list, in pieces.
 * @param texts JSON of the items
 */
export function listPieces(
  texts: readonly string[],
  { first, last, hasMore }: { first: string | undefined; last: string | undefined; hasMore: boolean },
): string[] {
  const ids = `"first_id":${JSON.stringify(first ?? null)},"last_id":${JSON.stringify(last ?? null)}`;
  const items = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
  return ['{"object":"list","data":[', ...items, `],${ids},"has_more":${hasMore}}`];
}

export function listOf(data: readonly Item[], hasMore: boolean): object {
  return { object: 'list', data, first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null, has_more: hasMore };
}
