import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Notification, notificationApi, type NotificationState } from '#shared/notifications.ts';
import { problemText } from '#shared/notification-problems.ts';
import { call } from '#pwa/api/call.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './personal.module.css';
import { noticesQuery } from './queries.ts';

const marks: Record<NotificationState, Status> = { waiting: 'waiting', sent: 'on', failed: 'failed' };

/** The latest notices and whether they arrived, and a way to try. */
export function NoticeList() {
  const { t } = useTranslation();
  const notices = useQuery(noticesQuery);
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () => call(notificationApi.test),
    onSuccess: ({ to }) => toastSuccess(t('personal.notice.tested', { to })),
    onSettled: () => queryClient.invalidateQueries(noticesQuery),
  });
  return (
    <div className={styles.list}>
      <div className={`${layout.spread} ${styles.line}`}>
        <h3 className={styles.small}>{t('personal.notice.latest')}</h3>
        <OnlineButton label={t('personal.notice.test')} loading={test.isPending} onClick={() => test.mutate()} />
      </div>
      <QueryState query={notices} what={t('personal.notice.latest')} lines={2}>
        {(items) =>
          items.length === 0 ? (
            <p className={typography.note}>{t('personal.notice.none')}</p>
          ) : (
            <ul className={styles.rows}>
              {items.map((item) => (
                <NoticeRow key={item.id} notice={item} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </div>
  );
}

function NoticeRow({ notice }: { notice: Notification }) {
  const { t } = useTranslation();
  const format = useFormat();
  const problem = notice.problem === undefined ? undefined : problemText(notice.problem, notice.status)[format.language];
  const isAgain = notice.state === 'waiting' && notice.attempts > 0;
  const facts = [
    format.dateTime(notice.created_at),
    problem,
    isAgain ? t('personal.notice.attempt', { count: notice.attempts }) : undefined,
    isAgain ? t('personal.notice.next', { time: format.clock(notice.next_at) }) : undefined,
  ];
  return (
    <li className={`${layout.spread} ${styles.row}`}>
      <span className={styles.words}>
        <span>{notice.title}</span>
        <span className={typography.note}>{facts.filter((fact) => fact !== undefined).join(' · ')}</span>
      </span>
      <StatusMark status={marks[notice.state]}>{t(`personal.notice.state.${notice.state}`)}</StatusMark>
    </li>
  );
}
