import { useTranslation } from 'react-i18next';
import type { TopUpOrder } from '#shared/wallet.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import control from '#pwa/ui/styles/control.module.css';
import { useMethodName } from './method-name.ts';
import styles from './wallet.module.css';

/** An order that may still be paid; a press opens it. */
export function PendingOrder({ order, onOpen }: { order: TopUpOrder; onOpen: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const methodName = useMethodName();
  return (
    <button type="button" className={`${control.bare} ${styles.pending}`} onClick={onOpen}>
      <span className={styles.pendingMark}>
        <Glyph name="clock" />
      </span>
      <span>
        <span className={styles.pendingTitle}>
          {t(order.status === 'paid' ? 'wallet.pending.paid' : 'wallet.pending.waiting')} <b>¥{order.money}</b>
        </span>
        <small>{t('wallet.pending.text', { method: methodName(order.method), time: format.clock(order.create_time) })}</small>
      </span>
      <Icon name="right" />
    </button>
  );
}
