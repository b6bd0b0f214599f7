import type { ReactNode } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import control from '#pwa/ui/styles/control.module.css';
import { type PriceList, ratioOf, type RatioTier, tierOf } from './price-list.ts';
import styles from './pricing.module.css';

interface GroupBannerProps {
  list: PriceList;
  group: string;
  ownGroup: string;
  isVisitor: boolean;
  onGroup: (group: string) => void;
  /** How many models are listed. */
  children: ReactNode;
}

/** Whose prices these are, and how a charge comes about. */
export function GroupBanner({ list, group, ownGroup, isVisitor, onGroup, children }: GroupBannerProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const ratio = ratioOf(list, group);
  const isOwn = group === ownGroup;
  const sentence = isOwn ? (isVisitor ? 'visitor' : 'own') : 'viewed';
  return (
    <div className={styles.banner}>
      <p className={`${layout.baseline} ${styles.bannerLine}`}>
        <StatusMark status="note">
          <Trans t={t} i18nKey={`pricing.banner.${sentence}`} values={{ group, ratio: format.ratio(ratio) }} components={{ b: <b /> }} />
        </StatusMark>
        <RatioTierMark ratio={ratio} />
        {!isOwn && (
          <button type="button" className={`${control.bare} ${styles.back}`} onClick={() => onGroup(ownGroup)}>
            {t('pricing.banner.back', { group: ownGroup })}
          </button>
        )}
      </p>
      <details className={styles.formula}>
        <summary>
          {t('pricing.formula.title')}
          <Icon name="down" />
        </summary>
        <p>{t('pricing.formula.usage', { unit: format.count(format.quotaPerUnit) })}</p>
        <p>{t('pricing.formula.cached')}</p>
        <p>{t('pricing.formula.call')}</p>
      </details>
      <span className={styles.range}>{children}</span>
    </div>
  );
}

const marks: Record<Exclude<RatioTier, 'base'>, Status> = { raised: 'note', high: 'look', very_high: 'auto' };

/** Ratios above 1, 3 and 5 have a shape and a word each. */
export function RatioTierMark({ ratio }: { ratio: number }) {
  const { t } = useTranslation();
  const tier = tierOf(ratio);
  return tier === 'base' ? null : <StatusMark status={marks[tier]}>{t(`pricing.tier.${tier}`)}</StatusMark>;
}
