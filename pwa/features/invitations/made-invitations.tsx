import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Delivery } from '#shared/invitations.ts';
import { CopyButton, CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './invitations.module.css';
import { PeoplePreview, type PreviewLine } from './people-preview.tsx';
import { linkOf } from './queries.ts';

export interface MadeList {
  made: readonly { id: number; username: string; token?: string | undefined }[];
  delivery: Delivery;
  /** Lines that were left out, each with its problem. */
  left: readonly PreviewLine[];
}

interface MadeInvitationsProps extends MadeList {
  onClose: () => void;
  /** Opens the form with the lines that were left out. */
  onCorrect: () => void;
}

/** What came of a list. Links are shown here and nowhere else. */
export function MadeInvitations({ made, delivery, left, onClose, onCorrect }: MadeInvitationsProps) {
  const { t } = useTranslation();
  const links = made.flatMap(({ id, username, token }) => (token === undefined ? [] : [{ id, username, link: linkOf(token) }]));
  return (
    <SidePanel
      title={t('invitations.made.title', { count: made.length })}
      takesFocus
      onClose={onClose}
      foot={
        <>
          {links.length > 0 && (
            <CopyButton
              label={t('invitations.made.copy_all')}
              text={links.map(({ username, link }) => `${username}\t${link}`).join('\n')}
            />
          )}
          {left.length > 0 && <Button onClick={onCorrect}>{t('invitations.made.correct', { count: left.length })}</Button>}
          <Button variant="filled" onClick={onClose}>
            {t('common.action.done')}
          </Button>
        </>
      }
    >
      <div className={`${layout.stackLg} ${styles.form}`}>
        <p>
          <StatusMark status="on">{t(`invitations.made.by_${delivery}`)}</StatusMark>
        </p>
        <ul className={styles.lines}>
          {links.map(({ id, username, link }) => (
            <li key={id}>
              <b>{username}</b>
              <span className={`${layout.row} ${layout.spread}`}>
                <code className={styles.code}>{link}</code>
                <CopyIcon text={link} label={t('invitations.made.copy_named', { name: username })} />
              </span>
            </li>
          ))}
        </ul>
        {left.length > 0 && <PeoplePreview lines={left} title={t('invitations.made.left', { count: left.length })} />}
      </div>
    </SidePanel>
  );
}
