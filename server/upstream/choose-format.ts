// In which of a provider's formats a call goes: in the caller's own where the provider speaks it, else in the one that loses least.
import type { CallKindName } from '#server/calls/call-kind.ts';
import type { ClientDialect } from '#server/dialects/client-dialect.ts';
import { lossBetween } from '#server/dialects/translation-table.ts';
import type { PreparedFormat } from './prepared-channel.ts';

interface FormatQuestion {
  client: ClientDialect;
  kind: CallKindName;
  /** As it goes upstream. */
  model: string;
}

/** Null: the provider cannot do this in any. */
export function formatFor(formats: readonly PreparedFormat[], { client, kind, model }: FormatQuestion): PreparedFormat | null {
  let best: PreparedFormat | null = null;
  for (const format of formats) {
    if (format.paths[kind] === undefined || format.models?.test(model) === false) continue;
    if (format.dialect.name === client.name) return format;
    if (best === null || isBetter(format, best, client)) best = format;
  }
  return best;
}

function isBetter(format: PreparedFormat, best: PreparedFormat, client: ClientDialect): boolean {
  if (format.isForOwnCallers !== best.isForOwnCallers) return best.isForOwnCallers;
  return lossBetween(client, format.dialect) < lossBetween(client, best.dialect);
}
