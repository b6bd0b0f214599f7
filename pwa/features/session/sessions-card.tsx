import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Session, sessionsApi } from '#shared/sessions.ts';
import { call } from '#pwa/api/call.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './account-cards.module.css';
import { deviceName } from './device-name.ts';
import { sessionsQuery } from './queries.ts';

/** Where the own account is signed in. */
export function SessionsCard() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const isStale = useConnection() !== 'online';
  const refresh = () => queryClient.invalidateQueries(sessionsQuery);
  const end = useMutation({
    mutationFn: (session: string) => call(sessionsApi.end, { params: { session } }),
    onSuccess: () => toastSuccess(t('signin.sessions.ended')),
    onSettled: refresh,
  });
  const endOthers = useMutation({
    mutationFn: () => call(sessionsApi.endOthers),
    onSuccess: () => toastSuccess(t('signin.sessions.ended_others')),
    onSettled: refresh,
  });
  return (
    <Block title={t('signin.sessions.title')} aside={<AsOf at={sessions.dataUpdatedAt} isStale={isStale} />}>
      <QueryState query={sessions} what={t('signin.sessions.title')} lines={2}>
        {(list) => (
          <>
            <ul className={styles.rows}>
              {list.map((session) => (
                <SessionRow key={session.id} session={session} isBusy={end.variables === session.id && end.isPending} onEnd={end.mutate} />
              ))}
            </ul>
            {list.length > 1 && (
              <OnlineButton loading={endOthers.isPending} label={t('signin.sessions.end_others')} onClick={() => endOthers.mutate()} />
            )}
          </>
        )}
      </QueryState>
    </Block>
  );
}

function SessionRow({ session, isBusy, onEnd }: { session: Session; isBusy: boolean; onEnd: (id: string) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const device = deviceName(session.user_agent);
  return (
    <li className={`${layout.spread} ${styles.row}`}>
      <span className={styles.what}>
        <b>{device === undefined ? t('signin.sessions.unknown') : t('signin.sessions.device', device)}</b>
        <span>
          {session.ip} · {t('signin.sessions.since', { time: format.dateTime(session.created_at) })}
        </span>
      </span>
      {session.is_current ? (
        <StatusMark status="on">{t('signin.sessions.current')}</StatusMark>
      ) : (
        <OnlineButton loading={isBusy} label={t('signin.sessions.end')} onClick={() => onEnd(session.id)} />
      )}
    </li>
  );
}
