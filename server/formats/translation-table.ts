// Everything that does not survive the way from one format to another, as data: what is refused, what is left out and named,
// what is written otherwise: the difference between what each format says and what each one carries. `docs/translation.md` is made
// from it, and a test tries every row.
import type { ClientDialect } from './client-dialect.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import { isRequestField, requestFields } from './request-fields.ts';
import type { PartialLoss, RequestField } from './request-fields.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export interface TranslationRow extends PartialLoss {
  /** Name of the client dialect and of the upstream dialect. */
  from: string;
  to: string;
  /** As the caller reads it in the error or in `x-tidegate-dropped`. */
  field: string;
  /** Fields of a request that show it. */
  example: Readonly<Record<string, unknown>>;
}

/** Objects of a vendor's own, which go back to where they came from as they are. */
const vendorsOwn: ReadonlySet<RequestField> = new Set(['offered_provider_tools', 'forced_provider_tool', 'provider_tool_results']);

/** They belong to media, which are refused as a whole where a format has none. */
const ofMedia: ReadonlySet<RequestField> = new Set(['image_detail', 'media_details']);

export const translationTable: readonly TranslationRow[] = Object.values(clientDialects).flatMap((client) =>
  Object.values(upstreamDialects).flatMap((upstream) => (upstream.name === client.name ? [] : lossesBetween(client, upstream))),
);

/** How much of what callers can say is lost on the way: what is refused weighs more than anything that is left out. */
export function lossBetween(client: Pick<ClientDialect, 'name'>, upstream: Pick<UpstreamDialect, 'name'>): number {
  const rows = translationTable.filter(({ from, to }) => from === client.name && to === upstream.name);
  return rows.reduce((sum, { treatment }) => sum + (treatment === 'refused' ? 1000 : 1), 0);
}

function lossesBetween(client: ClientDialect, upstream: UpstreamDialect): TranslationRow[] {
  const rows: TranslationRow[] = [];
  for (const [field, { name, example, isDoneHere }] of Object.entries(client.saidFields)) {
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
