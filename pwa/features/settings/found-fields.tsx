import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import { SettingFields, type SettingFieldsProps } from './setting-fields.tsx';
import { useSettingSearch } from './setting-search.ts';
import styles from './settings.module.css';

interface FoundFieldsProps extends Omit<SettingFieldsProps, 'sections'> {
  search: string;
}

/** Settings of all pages that have what was typed, page by page. */
export function FoundFields({ search, ...shared }: FoundFieldsProps) {
  const { t } = useTranslation();
  const found = useSettingSearch(shared.options)(search);
  const count = found.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <>
      <header className={`${layout.spread} ${styles.head}`}>
        <h2 role="status">{t('settings.search.found', { count })}</h2>
      </header>
      {count === 0 && <p className={styles.nothing}>{t('settings.search.nothing')}</p>}
      <SettingFields sections={found.map(({ page, entries }) => ({ title: t(`settings.page.${page}`), entries }))} {...shared} />
    </>
  );
}
