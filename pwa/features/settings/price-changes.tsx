import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { ChangeLines, shareOf } from '#pwa/ui/list/change-lines.tsx';
import { PriceEffect } from './price-effect.tsx';
import { editedTexts, shownNumber } from './price-edits.ts';
import { type PriceChange, priceChanges, type PriceMaps, rowOf } from './price-rows.ts';
import styles from './settings-panels.module.css';
import { priceMapsOf } from './use-price-maps.ts';
import type { SettingEdits } from './use-setting-edits.ts';

interface PriceChangesProps {
  edits: SettingEdits;
  options: readonly Option[];
}

/** What the edits make of prices, model by model and in USD: the settings hold ratios. Null while one of the maps is none. */
export function usePriceChanges({
  edits,
  options,
}: PriceChangesProps): { maps: PriceMaps; saved: PriceMaps; changes: PriceChange[] } | null {
  const { quotaPerUnit } = useFormat();
  const { maps, saved } = priceMapsOf(options, edits);
  return maps === undefined || saved === undefined ? null : { maps, saved, changes: priceChanges(saved, maps, quotaPerUnit) };
}

type GivenProps = Pick<PriceChangesProps, 'edits'> & NonNullable<ReturnType<typeof usePriceChanges>>;

export function PriceChanges({ edits, maps, saved, changes }: GivenProps) {
  const { t } = useTranslation();
  function handleDrop(model: string): void {
    for (const [key, text] of editedTexts(maps, [model], rowOf(saved, model).set)) if (edits.drafts.has(key)) edits.type(key, text);
  }
  return (
    <>
      <h3 className={`${typography.note} ${styles.unit}`}>{t('prices.changes')}</h3>
      {changes.map(({ model, unit, fields }) => (
        <section key={model} className={styles.change} aria-label={model}>
          <header className={`${layout.row} ${layout.spread} ${styles.what}`}>
            <h4>{model}</h4>
            <Button variant="subtle" aria-label={t('prices.drop', { model })} onClick={() => handleDrop(model)}>
              {t('settings.drop')}
            </Button>
          </header>
          <ChangeLines
            lines={fields.map(({ field, before, after }) => ({
              name: t(`prices.column.${unit}.${field}`),
              ...shownPair(before, after, { isPrice: unit === 'usd' || field === 'price' }, t('settings.value.absent')),
              share: before === undefined || after === undefined ? '' : shareOf(before, after),
            }))}
          />
        </section>
      ))}
      {changes.length === 0 && <p className={styles.empty}>{t('settings.nothing_changed')}</p>}
      {changes.length > 0 && <PriceEffect edits={edits} />}
    </>
  );
}

/** With as many digits as the difference needs. */
function shownPair(before: number | undefined, after: number | undefined, kind: { isPrice: boolean }, absent: string) {
  const [one, other] = [shownNumber(before, kind), shownNumber(after, kind)];
  const isAlike = one === other && before !== undefined && after !== undefined;
  return isAlike ? { before: String(before), after: String(after) } : { before: one || absent, after: other || absent };
}
