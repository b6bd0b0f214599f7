import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import styles from './logs.module.css';
import { type LogSearch, type LogView, views } from './log-address.ts';

interface ViewSwitchProps {
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
}

/** The time range and the session stay; a page and what is open are of one view alone. */
export function ViewSwitch({ search: { view = 'calls' }, onSearch }: ViewSwitchProps) {
  const { t } = useTranslation();
  const handleChange = (next: LogView): void =>
    onSearch({ view: next === 'calls' ? undefined : next, p: undefined, after: undefined, open: undefined });
  return (
    <div className={styles.switch}>
      <Segments
        label={t('logs.view.label')}
        value={view}
        options={views.map((value) => ({ value, label: t(`logs.view.${value}`) }))}
        onChange={handleChange}
      />
    </div>
  );
}
