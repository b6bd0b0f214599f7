import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { Role } from '#shared/roles.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Pager } from '#pwa/ui/list/pager.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { rememberedPageSize } from '#pwa/ui/list/list-search.ts';
import { PriceBatch } from './price-batch.tsx';
import { PriceRow } from './price-row.tsx';
import {
  cellOf,
  editedTexts,
  fillEdit,
  isSamePrice,
  isUnpriced,
  type PriceEdit,
  type PriceMaps,
  priceFields,
  removal,
  rowOf,
} from './price-rows.ts';
import { PriceSources } from './price-sources.tsx';
import styles from './price-table.module.css';
import { type PriceFilter, PriceTools } from './price-tools.tsx';
import { usePriceMaps } from './use-price-maps.ts';
import type { SettingEdits } from './use-setting-edits.ts';

interface PriceEditorProps {
  options: readonly Option[];
  edits: SettingEdits;
}

/** Prices as a table: what is typed goes into the same edits as the JSON below it, and is saved with them. */
export function PriceEditor({ options, edits }: PriceEditorProps) {
  const { t } = useTranslation();
  const prices = usePriceMaps(options, edits);
  if (prices.maps === undefined || prices.saved === undefined) {
    return (
      <p className={styles.empty}>
        <StatusMark status="failed">{t('prices.broken')}</StatusMark>
      </p>
    );
  }
  return <PriceTable prices={{ ...prices, maps: prices.maps, saved: prices.saved }} edits={edits} />;
}

interface PriceTableProps {
  prices: ReturnType<typeof usePriceMaps> & { maps: PriceMaps; saved: PriceMaps };
  edits: SettingEdits;
}

function PriceTable({ prices, edits }: PriceTableProps) {
  const { maps, saved, unpriced } = prices;
  const { t } = useTranslation();
  const mayWrite = mayWriteSetting('ModelRatio', useStoredUser()?.role ?? Role.guest);
  const selection = useSelection<string>();
  const { filter, page, setPage, added, setAdded, view, isChanged, known, shown, sectionOf, show } = useShownPrices(prices);
  const sections = Map.groupBy(shown, sectionOf);
  const onPage = shown.slice((page.number - 1) * page.size, page.number * page.size);
  function edit(names: readonly string[], what: PriceEdit): void {
    for (const [key, text] of editedTexts(maps, names, what)) edits.type(key, text);
  }
  return (
    <div className={styles.table} data-fills>
      <PriceTools
        filter={filter}
        counts={{ all: known.length, unpriced: unpriced.length, changed: known.filter(isChanged).length }}
        isKnown={(model) => known.includes(model)}
        mayWrite={mayWrite}
        onFilter={show}
        onAdd={(model) => {
          setAdded([model, ...added]);
          show({ ...filter, text: '', show: 'all' });
        }}
      >
        <PriceSources
          maps={maps}
          unpriced={unpriced.filter((model) => isUnpriced(maps, model))}
          quotaPerUnit={view.quotaPerUnit}
          onTexts={(texts) => {
            for (const [key, text] of texts) edits.type(key, text);
            show({ ...filter, text: '', show: 'changed' });
          }}
        />
      </PriceTools>
      <ColumnHeads unit={filter.unit} />
      {shown.length === 0 ? (
        <p className={styles.empty}>{t(filter.show === 'unpriced' ? 'prices.none_unpriced' : 'prices.none')}</p>
      ) : (
        <ul className={styles.rows} aria-label={t('settings.page.prices')}>
          {onPage.map((model, index) => (
            <Fragment key={`${model} ${filter.unit}`}>
              {(index === 0 || sectionOf(model) !== sectionOf(onPage[index - 1] ?? '')) && (
                <SectionHead section={sectionOf(model)} count={sections.get(sectionOf(model))?.length ?? 0} />
              )}
              <PriceRow
                row={rowOf(maps, model)}
                saved={rowOf(saved, model)}
                view={view}
                mayWrite={mayWrite}
                isTicked={selection.keys.has(model)}
                onTick={() => selection.toggle(model)}
                onEdit={(what) => edit([model], what)}
                onRemove={() => {
                  setAdded(added.filter((one) => one !== model));
                  edit([model], removal);
                }}
              />
            </Fragment>
          ))}
        </ul>
      )}
      <div className={styles.foot}>
        {selection.keys.size > 0 && mayWrite && (
          <PriceBatch count={selection.keys.size} onFill={(fill) => edit([...selection.keys], fillEdit(fill))} onClear={selection.clear} />
        )}
        <div className={styles.pager}>
          <Pager
            page={page.number}
            size={page.size}
            total={shown.length}
            onPage={(number) => setPage({ ...page, number })}
            onSize={(size) => setPage({ number: 1, size })}
          />
        </div>
      </div>
    </div>
  );
}

function ColumnHeads({ unit }: { unit: PriceFilter['unit'] }) {
  const { t } = useTranslation();
  return (
    <div className={styles.head} aria-hidden="true">
      <span />
      <span>{t('prices.column.model')}</span>
      {priceFields.map((field) => (
        <span key={field}>{t(`prices.column.${unit}.${field}`)}</span>
      ))}
    </div>
  );
}

type Section = 'added' | 'unpriced' | 'served' | 'other';

function SectionHead({ section, count }: { section: Section; count: number }) {
  const { t } = useTranslation();
  return <li className={styles.section}>{t(`prices.section.${section}`, { count })}</li>;
}

/** Which models the table lists. */
function useShownPrices({ maps, saved, models, served, unpriced }: PriceTableProps['prices']) {
  const { quotaPerUnit } = useFormat();
  const [filter, setFilter] = useState<PriceFilter>({ text: '', show: 'all', unit: 'usd' });
  const [added, setAdded] = useState<readonly string[]>([]);
  const [page, setPage] = useState({ number: 1, size: rememberedPageSize() });
  const view = { unit: filter.unit, quotaPerUnit };
  const isChanged = (model: string): boolean => {
    const [now, before] = [rowOf(maps, model), rowOf(saved, model)];
    return priceFields.some((field) => !isSamePrice(cellOf(now, field, view), cellOf(before, field, view)));
  };
  // What is called stands before the hundreds of prices that nobody here asks for.
  const known = [...new Set([...added, ...unpriced, ...served, ...models])];
  const [lacking, offered] = [new Set(unpriced), new Set(served)];
  const sectionOf = (model: string): Section =>
    added.includes(model) ? 'added' : lacking.has(model) ? 'unpriced' : offered.has(model) ? 'served' : 'other';
  const listed = filter.show === 'unpriced' ? unpriced : filter.show === 'changed' ? known.filter(isChanged) : known;
  return {
    filter,
    page,
    setPage,
    added,
    setAdded,
    view,
    isChanged,
    known,
    sectionOf,
    shown: listed.filter((model) => model.toLowerCase().includes(filter.text.trim().toLowerCase())),
    show: (next: PriceFilter): void => {
      setFilter(next);
      setPage({ ...page, number: 1 });
    },
  };
}
