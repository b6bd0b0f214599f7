import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';
import { noticeQuery } from './queries.ts';
import styles from './site-content.module.css';

/** The text that was closed last, under the key that existing clients use. */
const seenKey = 'notice';

/** The administrators' notice, once per text on this device. The about page has it for good. */
export function SiteNotice() {
  const { t } = useTranslation();
  const notice = useQuery(noticeQuery);
  const [seen, setSeen] = useState(() => localStorage.getItem(seenKey) ?? '');
  const text = notice.data ?? '';
  // A stored copy may have been taken back meanwhile: only what the server says now interrupts anybody.
  if (text.trim() === '' || text === seen || notice.dataUpdatedAt === 0) return null;
  function close(): void {
    localStorage.setItem(seenKey, text);
    setSeen(text);
  }
  return (
    <Dialog title={t('site.notice')} onClose={close}>
      <div className={styles.notice}>
        <RichText text={text} hasHtml />
      </div>
      <div className={styles.actions}>
        <Button variant="filled" onClick={close}>
          {t('site.notice_seen')}
        </Button>
      </div>
    </Dialog>
  );
}
