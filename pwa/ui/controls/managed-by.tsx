import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import { StatusMark } from './status-mark.tsx';

/** Names the file that manages a record, within a line of a list. */
export function ManagedBy({ file }: { file: string }) {
  const { t } = useTranslation();
  return <span title={t('common.managed.by', { file })}>{t('common.managed.by', { file })}</span>;
}

/** The file behind a name, where there is room for no more. */
export function ManagingFile({ file }: { file: string | undefined }) {
  const { t } = useTranslation();
  if (file === undefined) return null;
  return <span className={typography.muted} title={t('common.managed.by', { file })}>{` · ${file}`}</span>;
}

/** Says above a form that its record is changed in a file. */
export function ManagedNote({ file }: { file: string | undefined }) {
  const { t } = useTranslation();
  if (file === undefined) return null;
  return (
    <p className={typography.note}>
      <StatusMark status="note">{t('common.managed.note', { file })}</StatusMark>
    </p>
  );
}
