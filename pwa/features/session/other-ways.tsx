import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RedirectProvider } from '#shared/oauth.ts';
import type { SiteStatus } from '#shared/site.ts';
import type { User } from '#shared/user.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './session-form.module.css';
import { leaveFor, waysOf } from './sign-in-ways.ts';
import { WeChatDialog } from './wechat-dialog.tsx';

interface OtherWaysProps {
  status: SiteStatus;
  /** Where to go after a sign-in elsewhere. */
  from: string | undefined;
  onSignedIn: (user: User) => void;
}

/** A button for each provider that is switched on. */
export function OtherWays({ status, from, onSignedIn }: OtherWaysProps) {
  const { t } = useTranslation();
  const isOffline = useConnection() === 'offline';
  const [isWeChatOpen, setWeChatOpen] = useState(false);
  const leave = useMutation({ mutationFn: (provider: RedirectProvider) => leaveFor(provider, from), meta: { quiet: true } });
  // The page goes away when it succeeds: the button stays busy till then.
  const leaving = leave.isError ? undefined : leave.variables;

  return (
    <div className={layout.stackSm}>
      <p className={typography.note}>{t('signin.ways.title')}</p>
      {waysOf(status).map((way) => (
        <PlainButton
          key={way}
          isWide
          disabled={isOffline}
          isBusy={leaving === way}
          onClick={() => (way === 'wechat' ? setWeChatOpen(true) : leave.mutate(way))}
        >
          {t('signin.ways.with', { name: t(`signin.name.${way}`) })}
        </PlainButton>
      ))}
      {leave.error !== null && (
        <p className={styles.failure} role="alert">
          <StatusMark status="failed">{failureOf(leave.error).message}</StatusMark>
        </p>
      )}
      {isWeChatOpen && <WeChatDialog picture={status.wechat_qrcode} onSignedIn={onSignedIn} onClose={() => setWeChatOpen(false)} />}
    </div>
  );
}
