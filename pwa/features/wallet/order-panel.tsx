import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type TopUpOrder, walletApi } from '#shared/wallet.ts';
import { call } from '#pwa/api/call.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { useMethodName } from './method-name.ts';
import { orderQuery, pollPending } from './queries.ts';
import { refreshMoney } from './refresh-money.ts';
import { submitPayment } from './submit-payment.ts';
import styles from './wallet.module.css';

/** How an order stands; it looks by itself until it is settled. */
export function OrderPanel({ tradeNo, onClose }: { tradeNo: string; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const query = useQuery(orderQuery(tradeNo));
  const status = query.data?.order.status;
  const payment = query.data?.payment ?? null;
  const isOpen = status === 'pending' || status === 'paid';
  const cancel = useMutation({
    mutationFn: () => call(walletApi.cancel, { params: { trade_no: tradeNo } }),
    onSettled: () => Promise.all([query.refetch(), refreshMoney(client)]),
  });
  useEffect(() => {
    // What the order has come to shows in the balance, the history and the pending orders.
    if (status !== undefined && status !== 'pending' && status !== 'paid') void refreshMoney(client);
  }, [status, client]);
  return (
    <SidePanel
      title={t('wallet.order.title')}
      onClose={onClose}
      foot={
        isOpen ? (
          <div className={`${layout.wrap} ${styles.orderActions}`}>
            {payment !== null && (
              <OnlineButton variant="filled" fullWidth onClick={() => submitPayment(payment)} label={t('wallet.order.reopen')} />
            )}
            <OnlineButton loading={query.isRefetching} onClick={() => void query.refetch()} label={t('wallet.order.check')} />
            {status === 'pending' && (
              <OnlineButton data-danger loading={cancel.isPending} onClick={() => cancel.mutate()} label={t('wallet.order.cancel')} />
            )}
          </div>
        ) : (
          <Button variant="filled" onClick={onClose}>
            {t('common.action.done')}
          </Button>
        )
      }
    >
      <QueryState query={query} what={t('wallet.order.title')} lines={6}>
        {({ order }) => <Standing order={order} />}
      </QueryState>
    </SidePanel>
  );
}

type Step = 'ordered' | 'paid' | 'credited';
const steps: readonly Step[] = ['ordered', 'paid', 'credited'];
const reached: Record<TopUpOrder['status'], number> = { pending: 1, paid: 2, success: 3, cancelled: 1, expired: 1 };

function Standing({ order }: { order: TopUpOrder }) {
  const { t } = useTranslation();
  const format = useFormat();
  const methodName = useMethodName();
  const method = methodName(order.method);
  return (
    <>
      <p className={`${layout.baseline} ${styles.figure}`}>
        <b>¥{order.money}</b> <span>{t('wallet.order.credits', { amount: format.quota(order.quota) })}</span>
      </p>
      <p className={`${typography.compact} ${styles.after}`} role="status">
        {t(`wallet.order.is.${order.status}`, { method, amount: format.quota(order.quota) })}
        {order.status === 'pending' && <Waited since={order.create_time} />}
      </p>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step} data-reached={index < reached[order.status] || undefined}>
            <StatusMark status={markOf(order, index)}>{t(`wallet.order.step.${step}`)}</StatusMark>
            <span>{timeOf(step)}</span>
          </li>
        ))}
      </ol>
      <SummaryList
        items={[
          { name: t('wallet.pay.method'), value: method },
          { name: t('wallet.order.number'), value: <span className={styles.number}>{order.trade_no}</span> },
        ]}
      />
      {order.status !== 'success' && <p className={`${typography.compact} ${typography.muted} ${styles.hint}`}>{t('wallet.order.late')}</p>}
    </>
  );

  /** Of today the time is enough. */
  function momentOf(seconds: number): string {
    const isToday = format.dayKey(seconds) === format.dayKey(Date.now() / 1000);
    return isToday ? format.time(seconds) : format.dateTime(seconds);
  }

  function timeOf(step: Step): string {
    if (step === 'ordered') return momentOf(order.create_time);
    if (step === 'credited') {
      if (order.status === 'success') return momentOf(order.complete_time);
      return reached[order.status] === 1 && order.status !== 'pending' ? '' : t('wallet.order.soon');
    }
    if (order.status !== 'pending') return '';
    return t('wallet.order.until', { seconds: pollPending / 1000, time: format.clock(order.expires_at) });
  }
}

function markOf({ status }: TopUpOrder, index: number): Status {
  if (index < reached[status]) return 'on';
  if (index > reached[status]) return 'unreached';
  return status === 'cancelled' || status === 'expired' ? 'off' : 'expired';
}

/** `0:42` */
function Waited({ since }: { since: number }) {
  const { t } = useTranslation();
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor(now - since));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  // Read aloud every second it would drown everything else.
  return <span aria-hidden="true">{t('wallet.order.waited', { time: text })}</span>;
}
