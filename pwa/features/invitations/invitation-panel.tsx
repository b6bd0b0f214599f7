import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Delivery, Invitation } from '#shared/invitations.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { InvitationMark } from './invitation-mark.tsx';
import styles from './invitations.module.css';
import { linkOf, useSendAgain, useWithdraw } from './queries.ts';
import { defaultValidity, ValidityPicks } from './validity-picks.tsx';

interface InvitationPanelProps {
  invitation: Invitation;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One invitation: how it stands, a new link for it, its end. */
export function InvitationPanel({ invitation, ...ways }: InvitationPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { id, username, email, group, quota, state, user_id: userId } = invitation;
  const withdraw = useWithdraw();
  const isOpen = state === 'open' || state === 'expired';
  return (
    <SidePanel
      {...ways}
      title={username}
      note={`#${id}`}
      foot={
        isOpen && (
          <OnlineButton
            variant="subtle"
            data-danger
            loading={withdraw.isPending}
            onClick={() => withdraw.mutate(id)}
            label={t('invitations.action.withdraw')}
          />
        )
      }
    >
      <div className={`${layout.stackLg} ${styles.form}`}>
        <InvitationMark invitation={invitation} />
        <SummaryList
          items={[
            { name: t('invitations.column.email'), value: email || '—' },
            { name: t('invitations.column.group'), value: group },
            { name: t('invitations.column.balance'), value: format.quota(quota) },
            { name: t('invitations.panel.created'), value: format.dateTime(invitation.created_at) },
            { name: t('invitations.column.until'), value: format.dateTime(invitation.expires_at) },
          ]}
        />
        {userId !== 0 && (
          <Link className={styles.link} to="/user/edit/$id" params={{ id: String(userId) }}>
            {t('invitations.panel.account')}
          </Link>
        )}
        {isOpen && <SendAgain invitation={invitation} />}
      </div>
    </SidePanel>
  );
}

function SendAgain({ invitation: { id, email } }: { invitation: Invitation }) {
  const { t } = useTranslation();
  const [validity, setValidity] = useState(defaultValidity);
  const send = useSendAgain();
  const token = send.data?.token;
  const handleSend = (delivery: Delivery): void =>
    send.mutate(
      { id, delivery, valid_seconds: validity },
      { onSuccess: ({ token: made }) => made === undefined && toastSuccess(t('invitations.panel.mailed')) },
    );
  return (
    <>
      <p className={typography.muted}>{t('invitations.panel.again')}</p>
      <ValidityPicks value={validity} onChange={setValidity} />
      <span className={layout.wrap}>
        {email !== '' && (
          <OnlineButton loading={send.isPending} onClick={() => handleSend('mail')} label={t('invitations.action.mail_again')} />
        )}
        <OnlineButton loading={send.isPending} onClick={() => handleSend('link')} label={t('invitations.action.new_link')} />
      </span>
      <Refusal text={send.error === null ? undefined : failureOf(send.error).message} />
      {token !== undefined && (
        <div className={`${layout.row} ${layout.spread}`} role="status">
          <code className={styles.code}>{linkOf(token)}</code>
          <CopyButton label={t('invitations.action.copy_link')} text={linkOf(token)} />
        </div>
      )}
    </>
  );
}
