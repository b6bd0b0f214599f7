import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';

export type PriceView = 'table' | 'json';

/** Prices as a table, or as the maps that hold them. */
export function PriceViewChoice({ view, onView }: { view: PriceView; onView: (view: PriceView) => void }) {
  const { t } = useTranslation();
  return (
    <Segments
      label={t('settings.prices.view')}
      value={view}
      options={[
        { value: 'table', label: t('settings.prices.table') },
        { value: 'json', label: 'JSON' },
      ]}
      onChange={onView}
    />
  );
}
