import { useTranslation } from 'react-i18next';
import { Checkbox } from '#pwa/ui/list/checkbox.tsx';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { isSet, shownNumber } from './price-edits.ts';
import { cellOf, changedFields, type CellView, type PriceField, priceFields, type PriceRow } from './price-rows.ts';
import styles from './price-card.module.css';

interface PriceCardProps {
  row: PriceRow;
  /** As it is saved. */
  saved: PriceRow;
  view: CellView;
  note: string | undefined;
  /** Undefined: rows are not being chosen. */
  isTicked: boolean | undefined;
  onTick: () => void;
  onOpen: () => void;
}

/** A model on a phone or a tablet: what it costs, as far as it is set. A tap opens its sheet. */
export function PriceCard({ row, saved, view, note, isTicked, onTick, onOpen }: PriceCardProps) {
  const { t } = useTranslation();
  const changed = changedFields(saved, row, view).map(({ field }) => field);
  const isPerCall = row.set.ModelPrice !== undefined;
  const shown = (field: PriceField, of: PriceRow = row): string =>
    shownNumber(cellOf(of, field, view), { isPrice: field === 'price' || view.unit === 'usd' });
  const main: readonly PriceField[] = isPerCall ? ['price'] : ['input', 'output'];
  const priced = main.filter((field) => shown(field) !== '');
  const further = isPerCall ? [] : priceFields.filter((field) => isSet(row, field) && !main.includes(field) && field !== 'price');
  const was = main.some((field) => changed.includes(field)) ? main.map((field) => shown(field, saved)).filter((text) => text !== '') : [];
  const facts = [
    isPerCall && note === undefined ? t('prices.group.call') : undefined,
    ...further.map((field) => t('prices.fact', { name: t(`prices.column.${view.unit}.${field}`), value: shown(field) })),
    note,
    was.length > 0 ? t('editing.was', { value: was.join(' / ') }) : undefined,
  ].filter((fact) => fact !== undefined);
  return (
    <li
      className={styles.card}
      data-row-key={row.model}
      data-changed={changed.length > 0 || undefined}
      data-ticking={isTicked !== undefined || undefined}
    >
      {isTicked !== undefined && (
        <span className={styles.tick}>
          <Checkbox label={t('prices.tick', { model: row.model })} isTicked={isTicked} onChange={onTick} />
        </span>
      )}
      <button type="button" className={`${typography.ellipsis} ${control.bare} ${styles.name}`} onClick={onOpen}>
        {row.model}
      </button>
      <span className={styles.price}>
        {priced.length === 0 ? (
          <span className={styles.set}>{t('prices.set')}</span>
        ) : (
          priced.map((field, index) => (
            <span key={field}>
              {index > 0 && <span className={typography.muted}> / </span>}
              <span data-changed={changed.includes(field) || undefined}>{shown(field)}</span>
            </span>
          ))
        )}
      </span>
      {(facts.length > 0 || changed.length > 0) && (
        <>
          <span className={`${typography.compact} ${typography.ellipsis} ${typography.muted} ${styles.facts}`}>{facts.join(' · ')}</span>
          {changed.length > 0 && <span className={`${typography.compact} ${styles.unsaved}`}>{t('prices.not_saved')}</span>}
        </>
      )}
    </li>
  );
}
