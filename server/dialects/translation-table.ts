// Everything that does not survive the way from one format to another, as data: what is refused, what is left out and named,
// what is written otherwise. It is put together from what each format tells of itself: `docs/translation.md` is made from it, and
// a test tries every row.
import type { ClientDialect } from './client-dialect.ts';
import type { LossRule } from './loss.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export interface TranslationRow extends LossRule {
  /** Name of the client dialect and of the upstream dialect. */
  from: string;
  to: string;
  /** As the caller reads it in the error or in `x-tidegate-dropped`. */
  field: string;
  /** Fields of a request that show it. */
  example: Readonly<Record<string, unknown>>;
}

export const translationTable: readonly TranslationRow[] = Object.values(clientDialects).flatMap((client) =>
  Object.values(upstreamDialects).flatMap((upstream) =>
    upstream.name === client.name ? [] : [...rowsOfOnlyFields(client, upstream), ...rowsOfLosses(client, upstream)],
  ),
);

/** What only one format has is lost on the way to any other. */
function rowsOfOnlyFields(client: ClientDialect, upstream: UpstreamDialect): TranslationRow[] {
  return Object.entries(client.onlyFields).map(([field, { isEssential, about, example, request }]) => ({
    from: client.name,
    to: upstream.name,
    field,
    treatment: isEssential ? 'refused' : 'dropped',
    about,
    example: request ?? { [field]: example },
  }));
}

/** What the one can say and the other cannot. */
function rowsOfLosses(client: ClientDialect, upstream: UpstreamDialect): TranslationRow[] {
  return Object.entries(upstream.lossRules).flatMap(([loss, rule]) => {
    const said = Object.entries(client.lossFields).find(([name]) => name === loss)?.[1];
    return said === undefined ? [] : [{ from: client.name, to: upstream.name, ...said, ...rule }];
  });
}
