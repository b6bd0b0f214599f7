import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import styles from './manual-copy.module.css';

/** Where the browser does not let us copy: the text itself, marked, for the person to copy. */
export function ManualCopy({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('common.copy.failed')} onClose={onClose}>
      <textarea
        className={styles.manual}
        readOnly
        rows={5}
        value={text}
        aria-label={t('common.copy.text')}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button fullWidth onClick={onClose}>
        {t('common.action.close')}
      </Button>
    </Dialog>
  );
}
