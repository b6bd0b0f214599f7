import { Fragment, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { unsetModelRatio } from '#shared/find-price.ts';
import type { Option } from '#shared/options.ts';
import { Role } from '#shared/roles.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { Pager } from '#pwa/ui/list/pager.tsx';
import { type Selection, useSelection } from '#pwa/ui/list/selection.ts';
import { rememberedPageSize } from '#pwa/ui/list/list-search.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { changesOf } from './option-drafts.ts';
import { PriceBatch } from './price-batch.tsx';
import { PriceCard } from './price-card.tsx';
import { PriceRow } from './price-row.tsx';
import { type BatchFill, editedTexts, fillEdit, isSet, type PriceEdit, priceGroups, removal, shownNumber } from './price-edits.ts';
import { cellOf, type CellView, isSamePrice, type PriceKey, type PriceMaps, priceFields, rowOf } from './price-rows.ts';
import { PriceSheet } from './price-sheet.tsx';
import { PricesShape } from './prices-shape.tsx';
import styles from './price-table.module.css';
import { type PriceFilter, PriceTools } from './price-tools.tsx';
import { usePriceMaps } from './use-price-maps.ts';
import type { SettingEdits } from './use-setting-edits.ts';

interface PriceEditorProps {
  options: readonly Option[];
  edits: SettingEdits;
  onReview: () => void;
  /** To the maps as they are stored. */
  onJson: () => void;
}

/** Prices as a table: what is typed goes into the same edits as the JSON below it, and is saved with them. */
export function PriceEditor({ options, edits, onReview, onJson }: PriceEditorProps) {
  const { t } = useTranslation();
  const prices = usePriceMaps(options, edits);
  const { quotaPerUnit } = useFormat();
  const isSelfUse = options.some(({ key, value }) => key === 'SelfUseModeEnabled' && value === 'true');
  if (prices.maps === undefined || prices.saved === undefined) {
    return (
      <p className={styles.empty}>
        <StatusMark status="failed">{t('prices.broken')}</StatusMark>
      </p>
    );
  }
  if (prices.isLoading) return <PricesShape />;
  return (
    <PriceTable
      prices={{ ...prices, maps: prices.maps, saved: prices.saved }}
      edits={edits}
      changes={changesOf(edits.drafts, options)}
      unpricedAt={isSelfUse ? (unsetModelRatio * 1_000_000) / quotaPerUnit : undefined}
      onReview={onReview}
      onJson={onJson}
    />
  );
}

interface PriceTableProps {
  prices: ReturnType<typeof usePriceMaps> & { maps: PriceMaps; saved: PriceMaps };
  edits: SettingEdits;
  /** Values that a save would change. */
  changes: number;
  unpricedAt: number | undefined;
  onReview: () => void;
  onJson: () => void;
}

function PriceTable({ prices, edits, changes, unpricedAt, onReview, onJson }: PriceTableProps) {
  const { maps, unpriced, isUnpriced } = prices;
  const { t } = useTranslation();
  const mayWrite = mayWriteSetting('ModelRatio', useStoredUser()?.role ?? Role.guest);
  const isTouched = useIsTouched();
  const selection = useSelection<string>();
  const [isTicking, setTicking] = useState(false);
  const [opened, setOpened] = useState<string>();
  const { filter, page, setPage, added, setAdded, view, isChanged, known, shown, sectionOf, show } = useShownPrices(prices);
  const { edit, ofModel } = usePriceRows({ prices, edits, added, setAdded, view, mayWrite });
  const onPage = shown.slice((page.number - 1) * page.size, page.number * page.size);
  function handleAdd(model: string): void {
    setAdded([model, ...added]);
    show({ ...filter, text: '', show: 'all' });
    if (isTouched) setOpened(model);
  }
  function handleTexts(texts: ReadonlyMap<PriceKey, string>): void {
    for (const [key, text] of texts) edits.type(key, text);
    show({ ...filter, text: '', show: 'changed' });
  }
  return (
    <div className={styles.table} data-fills data-touched={isTouched || undefined}>
      <PriceTools
        filter={filter}
        counts={{ all: known.length, unpriced: unpriced.length, changed: known.filter(isChanged).length }}
        isKnown={(model) => known.includes(model)}
        mayWrite={mayWrite}
        onFilter={show}
        onAdd={handleAdd}
        onTicking={isTouched ? () => setTicking(!isTicking) : undefined}
        isTicking={isTicking}
        onJson={onJson}
        maps={maps}
        quotaPerUnit={view.quotaPerUnit}
        unpriced={unpriced.filter((model) => isUnpriced(model, maps))}
        onTexts={handleTexts}
      />
      {!isTouched && <ColumnHeads />}
      {shown.length === 0 ? (
        <p className={styles.empty}>{t(filter.show === 'unpriced' ? 'prices.none_unpriced' : 'prices.none')}</p>
      ) : (
        <Rows models={onPage} sections={Map.groupBy(shown, sectionOf)} {...{ sectionOf, unpricedAt }} refused={prices.refused}>
          {(model) =>
            isTouched ? (
              <PriceCard
                {...ofModel(model)}
                isTicked={isTicking ? selection.keys.has(model) : undefined}
                onTick={() => selection.toggle(model)}
                onOpen={() => setOpened(model)}
              />
            ) : (
              <PriceRow key={filter.unit} {...ofModel(model)} isTicked={selection.keys.has(model)} onTick={() => selection.toggle(model)} />
            )
          }
        </Rows>
      )}
      <TableFoot
        {...{ page, setPage, selection, mayWrite }}
        total={shown.length}
        onFill={(fill: BatchFill) => edit([...selection.keys], fillEdit(fill))}
      />
      {isTouched && opened !== undefined && (
        <PriceSheet key={opened} {...ofModel(opened)} changes={changes} onReview={onReview} onClose={() => setOpened(undefined)} />
      )}
    </div>
  );
}

interface PriceRowsContext extends Pick<PriceTableProps, 'prices' | 'edits'> {
  /** Models without a price yet, which the user has added. */
  added: readonly string[];
  setAdded: (models: string[]) => void;
  view: CellView;
  mayWrite: boolean;
}

/** What rows and cards of the table get, by model; `edit` changes several models at once, but those that a file manages. */
function usePriceRows({ prices, edits, added, setAdded, view, mayWrite }: PriceRowsContext) {
  const { maps, saved } = prices;
  const noteOf = usePriceNotes(prices);
  const mayWriteOf = (model: string): boolean => mayWrite && prices.managed[model] === undefined;
  const ofModel = (model: string, row = rowOf(maps, model)) => ({
    row,
    saved: rowOf(saved, model),
    view,
    mayWrite: mayWriteOf(model),
    note: noteOf(model),
    isRemovable: mayWriteOf(model) && (added.includes(model) || priceFields.some((field) => isSet(row, field))),
    onEdit: (what: PriceEdit) => edit([model], what),
    onRemove: () => {
      setAdded(added.filter((one) => one !== model));
      edit([model], removal);
    },
  });
  function edit(names: readonly string[], what: PriceEdit): void {
    const free = names.filter((name) => prices.managed[name] === undefined);
    for (const [key, text] of editedTexts(maps, free, what)) edits.type(key, text);
  }
  return { edit, ofModel };
}

interface RowsProps {
  models: readonly string[];
  /** Of all pages. */
  sections: ReadonlyMap<Section, readonly string[]>;
  sectionOf: (model: string) => Section;
  refused: ReadonlyMap<string, number>;
  unpricedAt: number | undefined;
  children: (model: string) => ReactNode;
}

/** Each section under its head. */
function Rows({ models, sections, sectionOf, refused, unpricedAt, children }: RowsProps) {
  const { t } = useTranslation();
  return (
    <ul className={styles.rows} aria-label={t('settings.page.prices')}>
      {models.map((model, index) => (
        <Fragment key={model}>
          {(index === 0 || sectionOf(model) !== sectionOf(models[index - 1] ?? '')) && (
            <SectionHead section={sectionOf(model)} models={sections.get(sectionOf(model)) ?? []} {...{ refused, unpricedAt }} />
          )}
          {children(model)}
        </Fragment>
      ))}
    </ul>
  );
}

interface TableFootProps extends Pick<ReturnType<typeof useShownPrices>, 'page' | 'setPage'> {
  total: number;
  selection: Selection<string>;
  mayWrite: boolean;
  onFill: (fill: BatchFill) => void;
}

function TableFoot({ page, setPage, total, selection, mayWrite, onFill }: TableFootProps) {
  return (
    <div className={styles.foot}>
      {selection.keys.size > 0 && mayWrite && <PriceBatch count={selection.keys.size} onFill={onFill} onClear={selection.clear} />}
      <div className={styles.pager}>
        <Pager
          page={page.number}
          size={page.size}
          total={total}
          onPage={(number) => setPage({ ...page, number })}
          onSize={(size) => setPage({ number: 1, size })}
        />
      </div>
    </div>
  );
}

/** Facts about a model apart from its prices: those of another kind, and calls that were refused. */
function usePriceNotes({ perSecond, refused, unitOf, maps, managed }: PriceTableProps['prices']): (model: string) => string | undefined {
  const { t } = useTranslation();
  const kindOf = (model: string): string | undefined => {
    const [second, calls] = [perSecond(model), refused.get(model) ?? 0];
    if (second !== undefined) return t('prices.per_second', { price: shownNumber(second, { isPrice: true }) });
    const unit = maps?.ModelPrice.has(model) === true ? unitOf(model) : undefined;
    if (unit !== undefined) return t(`prices.taken_for.${unit}`);
    return calls === 0 ? undefined : t('prices.refused', { count: calls });
  };
  return (model) => {
    const file = managed[model];
    const notes = [kindOf(model), file === undefined ? undefined : t('common.managed.by', { file })].filter((note) => note !== undefined);
    return notes.length === 0 ? undefined : notes.join(' · ');
  };
}

/** Read aloud with each cell: it names its column. */
function ColumnHeads() {
  const { t } = useTranslation();
  return (
    <div className={`${typography.note} ${styles.head}`} aria-hidden="true">
      <span className={styles.modelHead}>{t('prices.column.model')}</span>
      {priceGroups.map(({ name, fields }) => (
        <span
          key={name}
          className={styles.group}
          data-group={name}
          style={{ gridColumn: `${firstColumn + priceFields.indexOf(fields[0])} / span ${fields.length}` }}
        >
          <b>{t(`prices.group.${name}`)}</b>
        </span>
      ))}
      {priceGroups.flatMap(({ name, fields }) =>
        fields.map((field, index) => (
          <span
            key={field}
            className={styles.kind}
            data-group={name}
            data-first={index === 0 || undefined}
            style={{ gridColumn: firstColumn + priceFields.indexOf(field) }}
          >
            {t(`prices.short.${field}`)}
          </span>
        )),
      )}
    </div>
  );
}

/** Before it the box and the model's name. */
const firstColumn = 3;

type Section = 'added' | 'unpriced' | 'served' | 'other';

interface SectionHeadProps {
  section: Section;
  models: readonly string[];
  refused: ReadonlyMap<string, number>;
  /** USD per million input tokens that calls to models without a price cost; undefined: they are refused. */
  unpricedAt: number | undefined;
}

function SectionHead({ section, models, refused, unpricedAt }: SectionHeadProps) {
  const { t } = useTranslation();
  const calls = models.reduce((sum, model) => sum + (refused.get(model) ?? 0), 0);
  return (
    <li className={`${typography.small} ${styles.section}`}>
      <span>
        {section === 'unpriced' && unpricedAt !== undefined
          ? t('prices.unpriced_charged', { count: models.length, price: shownNumber(unpricedAt, { isPrice: true }) })
          : t(`prices.section.${section}`, { count: models.length })}
      </span>
      {calls > 0 && <span>{t('prices.refused', { count: calls })}</span>}
    </li>
  );
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
  // Models with calls come before the hundreds of prices that are unused here.
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
