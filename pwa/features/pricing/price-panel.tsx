import { useTranslation } from 'react-i18next';
import type { PricingEntry } from '#shared/models.ts';
import { pricePerCall, type PricesPerMillion } from '#shared/price-display.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SummaryList, PanelSection, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { RatioTierMark } from './group-banner.tsx';
import {
  furtherParts,
  groupsOf,
  hasOutput,
  hasPrice,
  isPerCall,
  isPerSecond,
  longPricesIn,
  type PriceList,
  pricesOf,
  ratioOf,
  toolPricesIn,
  unitOf,
} from './price-list.ts';
import { Availability } from './pricing-columns.tsx';
import styles from './pricing.module.css';

interface PricePanelProps {
  entry: PricingEntry;
  list: PriceList;
  group: string;
  onGroup: (group: string) => void;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One model: its price in the viewed group, and in the others. */
export function PricePanel({ entry, list, group, onGroup, onClose, onPrevious, onNext }: PricePanelProps) {
  const { t } = useTranslation();
  return (
    <SidePanel
      title={entry.model_name}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      foot={<CopyButton label={t('pricing.copy_name')} text={entry.model_name} />}
    >
      <Availability entry={entry} group={group} />
      {hasPrice(entry) && <Prices entry={entry} list={list} group={group} onGroup={onGroup} />}
    </SidePanel>
  );
}

function Prices({ entry, list, group, onGroup }: Pick<PricePanelProps, 'entry' | 'list' | 'group' | 'onGroup'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const [isCall, isVideo] = [isPerCall(entry), isPerSecond(entry)];
  const prices = pricesOf(entry, ratioOf(list, group), format.quotaPerUnit);
  const tools = toolPricesIn(entry, ratioOf(list, group));
  return (
    <>
      {!isVideo && <OwnPrices entry={entry} prices={prices} group={group} />}
      {longPricesIn(entry, ratioOf(list, group), format.quotaPerUnit).map(({ above, ...long }) => (
        <PanelSection key={above} title={t('pricing.panel.long', { tokens: format.count(above) })} aside={t('pricing.panel.usd_million')}>
          <UsagePrices prices={long} />
        </PanelSection>
      ))}
      {entry.tiers !== undefined && (
        <PanelSection title={t('pricing.panel.tiers')} aside={t('pricing.panel.times')}>
          <SummaryList
            items={entry.tiers.flatMap(({ tier, factor, parts = {} }) => [
              { name: tier, value: format.ratio(factor) },
              ...Object.entries(parts).map(([part, own]) => ({
                name: t('pricing.panel.tier_part', { tier, part: t(`pricing.tier_part.${part}`) }),
                value: format.ratio(own),
              })),
            ])}
          />
        </PanelSection>
      )}
      {entry.video_prices !== undefined && <VideoPrices prices={entry.video_prices} ratio={ratioOf(list, group)} />}
      {entry.tuning_prices !== undefined && <TuningPrices prices={entry.tuning_prices} ratio={ratioOf(list, group)} />}
      {tools.length > 0 && (
        <PanelSection title={t('pricing.panel.tools')} aside={t('pricing.panel.usd_runs')}>
          <SummaryList items={tools.map(({ kind, price }) => ({ name: t(`pricing.tool.${kind}`), value: format.price(price) }))} />
        </PanelSection>
      )}
      <PanelSection title={t('pricing.panel.groups')}>
        <table className={styles.compare}>
          <thead>
            <tr>
              <th scope="col">{t('pricing.filter.group')}</th>
              <th scope="col">{t('pricing.column.ratio')}</th>
              <th scope="col">
                {isVideo ? t('pricing.panel.second') : isCall ? t(`pricing.unit.${unitOf(entry)}`) : t('pricing.panel.prompt')}
              </th>
              {!isCall && hasOutput(entry) && <th scope="col">{t('pricing.panel.completion')}</th>}
            </tr>
          </thead>
          <tbody>
            {groupsOf(list).map((name) => (
              <GroupRow key={name} name={name} entry={entry} list={list} isViewed={name === group} onGroup={onGroup} />
            ))}
          </tbody>
        </table>
      </PanelSection>
      {!isCall && (
        <PanelSection title={t('pricing.panel.ratios')}>
          <SummaryList
            items={[
              { name: t('pricing.column.model_ratio'), value: format.ratio(entry.model_ratio) },
              ...(hasOutput(entry)
                ? [
                    { name: t('pricing.column.completion_ratio'), value: format.ratio(Math.round(entry.completion_ratio * 1000) / 1000) },
                    { name: t('pricing.panel.cache_ratio'), value: format.ratio(entry.cache_ratio) },
                  ]
                : []),
            ]}
          />
        </PanelSection>
      )}
    </>
  );
}

/** Of a call, or of what goes through it. */
function OwnPrices({ entry, prices, group }: { entry: PricingEntry; prices: ReturnType<typeof pricesOf>; group: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isCall = prices.kind === 'call';
  return (
    <PanelSection
      title={t('pricing.panel.prices', { group })}
      aside={isCall ? 'USD' : t('pricing.panel.usd_unit', { unit: t(`pricing.unit.${unitOf(entry)}`) })}
    >
      {prices.kind === 'call' ? (
        <SummaryList items={[{ name: t(`pricing.unit.${unitOf(entry)}`), value: format.price(prices.call) }]} />
      ) : (
        <UsagePrices prices={prices} isInputOnly={!hasOutput(entry)} />
      )}
    </PanelSection>
  );
}

function UsagePrices({ prices, isInputOnly = false }: { prices: PricesPerMillion; isInputOnly?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <SummaryList
      items={(isInputOnly ? (['prompt'] as const) : (['prompt', 'cached', 'completion', ...furtherParts] as const)).flatMap((part) => {
        const price = prices[part];
        return price === undefined ? [] : [{ name: t(`pricing.panel.${part}`), value: format.price(price) }];
      })}
    />
  );
}

/** Of a second, by resolution. */
function VideoPrices({ prices, ratio }: { prices: NonNullable<PricingEntry['video_prices']>; ratio: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <PanelSection title={t('pricing.panel.videos')} aside={t('pricing.panel.usd_second')}>
      <SummaryList items={prices.map(({ height, price }) => ({ name: `${height}p`, value: format.price(pricePerCall(price, ratio)) }))} />
    </PanelSection>
  );
}

/** Of training, and of the trained model. */
function TuningPrices({ prices, ratio }: { prices: NonNullable<PricingEntry['tuning_prices']>; ratio: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const parts = [
    { name: t('pricing.panel.training'), price: prices.training },
    { name: t('pricing.panel.prompt'), price: prices.input },
    { name: t('pricing.panel.cached'), price: prices.cached },
    { name: t('pricing.panel.completion'), price: prices.output },
  ];
  return (
    <PanelSection title={t('pricing.panel.tuning')} aside={t('pricing.panel.usd_million')}>
      <SummaryList items={parts.map(({ name, price }) => ({ name, value: format.price(pricePerCall(price, ratio)) }))} />
    </PanelSection>
  );
}

function GroupRow({
  name,
  entry,
  list,
  isViewed,
  onGroup,
}: {
  name: string;
  entry: PricingEntry;
  list: PriceList;
  isViewed: boolean;
  onGroup: (group: string) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const ratio = ratioOf(list, name);
  const prices = pricesOf(entry, ratio, format.quotaPerUnit);
  const isAvailable = entry.enable_groups.includes(name);
  return (
    <tr data-viewed={isViewed || undefined}>
      <th scope="row">
        <button
          type="button"
          className={`${typography.small} ${styles.group}`}
          aria-pressed={isViewed}
          title={list.usableGroup[name]}
          onClick={() => onGroup(name)}
        >
          {name}
        </button>
      </th>
      <td>
        {format.factor(ratio)} <RatioTierMark ratio={ratio} />
      </td>
      {!isAvailable ? (
        <td colSpan={prices.kind === 'call' || !hasOutput(entry) ? 1 : 2} className={typography.muted}>
          {t('pricing.not_available')}
        </td>
      ) : prices.kind === 'call' ? (
        <td>{format.price(prices.call)}</td>
      ) : (
        <>
          <td>{format.price(prices.prompt)}</td>
          {hasOutput(entry) && <td>{format.price(prices.completion)}</td>}
        </>
      )}
    </tr>
  );
}
