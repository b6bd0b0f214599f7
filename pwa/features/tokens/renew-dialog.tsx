import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { acceptedOldKeys, mostOldKeys, type Token } from '#shared/tokens.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Picks } from '#pwa/ui/form/picks.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './token-edits.module.css';
import { useRenewToken } from './token-actions.ts';

const hour = 3600;
const choices = [
  { name: 'now', seconds: 0 },
  { name: 'hour', seconds: hour },
  { name: 'day', seconds: 24 * hour },
  { name: 'week', seconds: 7 * 24 * hour },
  { name: 'month', seconds: 30 * 24 * hour },
] as const;

/** Requests how long the old secret is accepted, then shows the new one. */
export function RenewDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [seconds, setSeconds] = useState<number>(24 * hour);
  // The record follows the renewal: the dialog shows the state before it.
  const [original] = useState(token);
  const renew = useRenewToken();
  const renewed = renew.data;
  const earlier = acceptedOldKeys(original);
  const ending = seconds > 0 && earlier.length >= mostOldKeys ? earlier.at(-1) : undefined;
  return (
    <Dialog
      title={renewed === undefined ? t('token_edits.renew.title', { name: original.name }) : t('token_edits.renew.done')}
      onClose={onClose}
    >
      {renewed === undefined ? (
        <div className={`${layout.stackLg} ${styles.form}`}>
          <p className={typography.muted}>{t('token_edits.renew.text')}</p>
          <div role="group" aria-label={t('token_edits.renew.until')}>
            <Picks
              picks={choices.map((choice) => ({
                key: choice.name,
                label: t(`token_edits.renew.${choice.name}`),
                isChosen: choice.seconds === seconds,
                onPick: () => setSeconds(choice.seconds),
              }))}
            />
          </div>
          {earlier.length > 0 && (
            <p>
              <StatusMark status="note">
                {ending === undefined
                  ? t('token_edits.renew.earlier', { time: format.dateTime(Math.max(...earlier)) })
                  : t('token_edits.renew.oldest_ends', { keys: mostOldKeys, time: format.dateTime(ending) })}
              </StatusMark>
            </p>
          )}
          <Refusal text={renew.error === null ? undefined : failureOf(renew.error).message} />
          <span className={`${layout.wrap} ${styles.foot}`}>
            <Button variant="subtle" onClick={onClose}>
              {t('common.action.cancel')}
            </Button>
            <OnlineButton
              variant="filled"
              loading={renew.isPending}
              onClick={() => renew.mutate({ id: original.id, old_key_seconds: seconds, revision: original.revision })}
              label={t('token_edits.renew.confirm')}
            />
          </span>
        </div>
      ) : (
        <NewSecret token={renewed} onClose={onClose} />
      )}
    </Dialog>
  );
}

function NewSecret({ token, onClose }: { token: Token; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { key, old_key_until: until = 0 } = token;
  return (
    <div className={`${layout.stackLg} ${styles.form}`}>
      <p role="status">
        <StatusMark status="on">
          {until > 0 ? t('token_edits.renew.done_until', { time: format.dateTime(until) }) : t('token_edits.renew.done_now')}
        </StatusMark>
      </p>
      <code className={styles.secret}>sk-{key}</code>
      <span className={`${layout.wrap} ${styles.foot}`}>
        <CopyButton label={t('tokens.action.copy_key')} text={`sk-${key}`} />
        <Button variant="filled" onClick={onClose}>
          {t('common.action.done')}
        </Button>
      </span>
    </div>
  );
}
