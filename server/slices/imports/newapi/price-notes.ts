// Names models of the channels that end up without a price, or with Tidegate's.
import { commaList } from '#shared/comma-list.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import type { NamedNote } from '../program.ts';
import { objectOf, parsedJson, text } from '../sources/row-values.ts';
import { pagesOf, type SourceDatabase } from '../sources/source-database.ts';
import type { MappedSetting } from './map-settings.ts';

export async function priceNotes(
  source: SourceDatabase,
  { options, settings }: { options: ReadonlyMap<string, string>; settings: readonly MappedSetting[] },
): Promise<NamedNote[]> {
  if (!options.has('ModelRatio')) return [{ kind: 'price', name: 'ModelRatio', note: { reason: 'price_default' }, isLeftOut: false }];
  const priced = new Set(
    settings
      .filter(({ key }) => key === 'ModelRatio' || key === 'ModelPrice')
      .flatMap(({ text: value }) => Object.keys(objectOf(parsedJson(value)) ?? {})),
  );
  const without = new Set<string>();
  for await (const page of pagesOf(source, 'channels')) {
    for (const row of page) {
      for (const model of commaList(text(row, 'models'))) if (!priced.has(model) && !priced.has(pricedName(model))) without.add(model);
    }
  }
  return [...without].map((name) => ({ kind: 'price', name, note: { reason: 'price_none' }, isLeftOut: false }));
}
