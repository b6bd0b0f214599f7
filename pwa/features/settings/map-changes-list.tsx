import { useTranslation } from 'react-i18next';
import type { EntryChange } from '#shared/settings.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './settings.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

const most = 6;

/** `gpt-4o 1.25 → 1.5`, one line each; of many only the first. */
export function MapChangesList({ changes }: { changes: readonly EntryChange[] }) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  return (
    <ul className={styles.changes}>
      {changes.slice(0, most).map((change) => (
        <li key={change.name}>
          <span className={styles.changeName}>{change.name}</span>
          <span className={styles.changeValue}>
            <span className={typography.muted}>{words.entry(change.from)} →</span> {words.entry(change.to)}
          </span>
        </li>
      ))}
      {changes.length > most && <li className={typography.muted}>{t('settings.changes_more', { count: changes.length - most })}</li>}
    </ul>
  );
}
