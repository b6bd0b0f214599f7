// Reads a catalogue of one of three formats, which are recognized by their shape.
import type { PriceSyncFailure } from '#shared/price-sync.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { jsonSize } from '#server/framing/part-budget.ts';
import { writtenNames } from '#server/framing/written-names.ts';
import type { Catalogue } from './catalogue.ts';
import { isLiteLlm, readLiteLlm } from './litellm.ts';
import { isModelsDev, readModelsDev } from './models-dev.ts';
import { isOwnList, readOwnList } from './own-list.ts';

export class CatalogueRefusal extends Error {
  readonly reason: PriceSyncFailure;
  /** HTTP status, or the repeated name. */
  readonly detail: string;
  constructor(reason: PriceSyncFailure, detail = '', options?: ErrorOptions) {
    super(`The price catalogue was not read: ${reason} ${detail}`.trim(), options);
    this.name = 'CatalogueRefusal';
    this.reason = reason;
    this.detail = detail;
  }
}

/** Parts of a tree; the largest public catalogue has a tenth of it. */
const mostParts = 1_500_000;

/** @throws {CatalogueRefusal} */
export function readCatalogue(text: string): Catalogue {
  const { parts, values } = jsonSize(text, mostParts, mostParts);
  if (parts > mostParts || values > mostParts) throw new CatalogueRefusal('too_large');
  const value = parsed(text);
  // Two prices of one name contradict each other.
  for (const { name, isRepeated } of writtenNames(text)) if (isRepeated) throw new CatalogueRefusal('repeated_name', name.slice(0, 100));
  if (!isObject(value)) throw new CatalogueRefusal('unknown_format');
  if (isOwnList(value)) return { format: 'tidegate', ...readOwnList(value) };
  if (isModelsDev(value)) return { format: 'models_dev', ...readModelsDev(value) };
  if (isLiteLlm(value)) return { format: 'litellm', ...readLiteLlm(value) };
  throw new CatalogueRefusal('unknown_format');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CatalogueRefusal('not_json', '', { cause });
  }
}
