// Losses between each pair of formats, as data: rejected, dropped or changed fields, computed from the fields that client formats have and
// upstream formats carry. `docs/translation.md` is generated from it, and a test runs every row.
import type { ClientDialect } from './client-dialect.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import { isRequestField, type PartialLoss, type RequestField, requestFields } from './request-fields.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export interface TranslationRow extends PartialLoss {
  from: string;
  to: string;
  /** Name in errors and in `x-tidegate-dropped`. */
  field: string;
  /** Request fields that demonstrate the loss. */
  example: Readonly<Record<string, unknown>>;
}

/** Fields with vendor objects, which are sent back unchanged to their origin. */
const vendorsOwn: ReadonlySet<RequestField> = new Set(['offered_provider_tools', 'forced_provider_tool', 'provider_tool_results']);

/** Fields of media, which are rejected as a whole if unsupported. */
const ofMedia: ReadonlySet<RequestField> = new Set(['image_detail', 'media_details']);

export const translationTable: readonly TranslationRow[] = Object.values(clientDialects).flatMap((client) =>
  Object.values(upstreamDialects).flatMap((upstream) => (upstream.name === client.name ? [] : lossesBetween(client, upstream))),
);

/** Scores the losses of a pair: rejections weigh more than any drops. */
export function lossBetween(client: Pick<ClientDialect, 'name'>, upstream: Pick<UpstreamDialect, 'name'>): number {
  const rows = translationTable.filter(({ from, to }) => from === client.name && to === upstream.name);
  return rows.reduce((sum, { treatment }) => sum + (treatment === 'refused' ? 1000 : 1), 0);
}

function lossesBetween(client: ClientDialect, upstream: UpstreamDialect): TranslationRow[] {
  const rows: TranslationRow[] = [];
  for (const [field, { name, example, isDoneHere }] of Object.entries(client.clientFields)) {
    if (!isRequestField(field) || isDoneHere === true || (client.holdsObjectsOf === upstream.name && vendorsOwn.has(field))) continue;
    if (upstream.carriedFields.media === undefined && ofMedia.has(field)) continue;
    const pair = { from: client.name, to: upstream.name, field: name, example };
    const carried = upstream.carriedFields[field];
    const { isEssential, about } = requestFields[field];
    if (carried === undefined) rows.push({ ...pair, treatment: isEssential ? 'refused' : 'dropped', about });
    else if (typeof carried === 'object') rows.push({ ...pair, ...carried });
  }
  return rows;
}
