import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { PanelSection, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { priceKeys } from './price-rows.ts';
import styles from './settings-panels.module.css';
import type { SettingEdits } from './use-setting-edits.ts';

const otherKeys = ['LongInputPrice', 'TierPrice', 'VideoPrice', 'ToolPrice', 'FineTuningPrice'] as const;

/** Cost that the last days would have had. Without a server nothing is shown. */
export function PriceEffect({ edits }: { edits: SettingEdits }) {
  const { t } = useTranslation();
  const format = useFormat();
  const body = Object.fromEntries(
    [...priceKeys, ...otherKeys].flatMap((key) => {
      const text = edits.drafts.get(key)?.text;
      return text === undefined ? [] : [[key, text]];
    }),
  );
  const { data, isPending, isError } = useQuery({
    queryKey: ['options', 'price_effect', body],
    queryFn: ({ signal }) => call(optionApi.priceEffect, { body, signal }),
    staleTime: 60_000,
    retry: false,
  });
  if (isError) return null;
  const title = t('prices.effect.title', { count: data?.days ?? 7 });
  if (isPending) {
    return (
      <PanelSection title={title}>
        <p className={styles.empty}>{t('prices.effect.counting')}</p>
      </PanelSection>
    );
  }
  const { before, after, calls, counted, user, tokens } = data;
  return (
    <PanelSection title={title}>
      <SummaryList
        items={[
          {
            name: t('prices.effect.all'),
            value: (
              <span className={styles.pair}>
                {format.quota(before)} <span aria-hidden="true">→</span> <b>{format.quota(after)}</b>
              </span>
            ),
          },
          ...(user === undefined
            ? []
            : [{ name: t('prices.effect.user'), value: `${user.username} ${format.quotaChange(user.difference)}` }]),
          { name: t('prices.effect.calls'), value: format.count(calls) },
          ...(counted === 0 ? [] : [{ name: t('prices.effect.tokens'), value: format.count(tokens) }]),
        ]}
      />
      {counted < calls && <p className={typography.note}>{t('prices.effect.inferred', { count: counted })}</p>}
    </PanelSection>
  );
}
