import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './personal.module.css';
import { inviteCodeQuery } from './queries.ts';
import { TransferDialog } from './transfer-dialog.tsx';

/** The own invite link, and what came of it. */
export function InviteBlock({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const status = useSiteStatus();
  const { data: asked } = useQuery({ ...inviteCodeQuery, enabled: user.aff_code === '' });
  const [isOpen, setOpen] = useState(false);
  const code = user.aff_code || asked;
  const link = code === undefined ? undefined : `${siteAddress(status)}/register?aff=${encodeURIComponent(code)}`;
  const minimum = Math.ceil(format.quotaPerUnit);
  return (
    <Block
      title={t('account.invite.title')}
      aside={
        <span className={typography.note}>
          {t('account.invite.summary', { count: user.aff_count, amount: format.quota(user.aff_history_quota) })}
        </span>
      }
    >
      {link !== undefined && (
        <div className={`${layout.row} ${surface.well} ${styles.link}`}>
          <span>{link}</span>
          <CopyIcon text={link} label={t('account.invite.copy')} />
        </div>
      )}
      <div className={`${layout.spread} ${styles.row}`}>
        <span className={styles.words}>
          <span>{t('account.invite.pending', { amount: format.quota(user.aff_quota) })}</span>
          <span className={typography.note}>{t('account.invite.minimum', { amount: format.quota(minimum) })}</span>
        </span>
        <OnlineButton label={t('account.invite.transfer')} disabled={user.aff_quota < minimum} onClick={() => setOpen(true)} />
      </div>
      {isOpen && <TransferDialog user={user} minimum={minimum} onClose={() => setOpen(false)} />}
    </Block>
  );
}
