// Chooses the provider's format for a call: the caller's own if supported, else the one that loses least.
import type { CallKindName } from '#server/kinds/call-kind.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import { lossBetween } from '#server/formats/translation-table.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { PreparedFormat } from './prepared-channel.ts';

interface FormatQuestion {
  client: ClientDialect;
  kind: CallKindName;
  /** Upstream model name. */
  model: string;
  /** Model name of the request, for aliases that reveal nothing upstream. */
  requestedAs: string;
}

/** Returns null if no format supports the call. */
export function formatFor(formats: readonly PreparedFormat[], { client, kind, model, requestedAs }: FormatQuestion): PreparedFormat | null {
  let best: PreparedFormat | null = null;
  const possible = formats.filter(({ paths, models }) => paths[kind] !== undefined && models?.test(model) !== false);
  const facts = factsOf(model) ?? factsOf(requestedAs);
  const sole = facts === undefined ? undefined : possible.find(({ isSoleFor }) => isSoleFor?.(facts) === true);
  if (sole !== undefined) return sole;
  for (const format of possible) {
    if (format.dialect.name === client.name) return format;
    if (best === null || isBetter({ format, best, client, facts })) best = format;
  }
  return best;
}

interface Comparison {
  format: PreparedFormat;
  best: PreparedFormat;
  client: ClientDialect;
  facts: ModelFacts | undefined;
}

function isBetter({ format, best, client, facts }: Comparison): boolean {
  const isBest = ({ isBestFor }: PreparedFormat) => facts !== undefined && isBestFor?.(facts) === true;
  if (isBest(format) !== isBest(best)) return isBest(format);
  if (format.isForItsCallers !== best.isForItsCallers) return best.isForItsCallers;
  return lossBetween(client, format.dialect) < lossBetween(client, best.dialect);
}
