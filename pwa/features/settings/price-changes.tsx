import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ChangeLines, shareOf } from './change-lines.tsx';
import { priceChanges, shownNumber } from './price-rows.ts';
import styles from './settings-panels.module.css';
import { priceMapsOf } from './use-price-maps.ts';
import type { SettingEdits } from './use-setting-edits.ts';

interface PriceChangesProps {
  edits: SettingEdits;
  options: readonly Option[];
}

/** What the edits make of prices, model by model and in USD: the settings hold ratios. */
export function PriceChanges({ edits, options }: PriceChangesProps) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useFormat();
  const { maps, saved } = priceMapsOf(options, edits);
  const changes = maps === undefined || saved === undefined ? [] : priceChanges(saved, maps, quotaPerUnit);
  if (changes.length === 0) return null;
  const shown = (value: number | undefined): string => shownNumber(value, { isPrice: true }) || t('settings.value.absent');
  return (
    <>
      <h3 className={styles.unit}>{t('settings.prices.changes')}</h3>
      {changes.map(({ model, fields }) => (
        <section key={model} className={styles.change} aria-label={model}>
          <header className={styles.what}>
            <h4>{model}</h4>
          </header>
          <ChangeLines
            lines={fields.map(({ field, before, after }) => ({
              name: t(`settings.prices.column.usd.${field}`),
              before: shown(before),
              after: shown(after),
              share: before === undefined || after === undefined ? '' : shareOf(before, after),
            }))}
            all
          />
        </section>
      ))}
      <h3 className={styles.unit}>{t('settings.prices.changes_stored')}</h3>
    </>
  );
}
