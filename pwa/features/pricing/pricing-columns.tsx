import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { PricingEntry } from '#shared/models.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { hasOutput, hasPrice, isAvailableIn, isPerCall, outputsOf, type PriceList, pricesOf, ratioOf, unitOf } from './price-list.ts';
import styles from './pricing.module.css';

interface View {
  list: PriceList | undefined;
  /** The group that prices are looked at from. */
  group: string;
  onGroup: (group: string) => void;
}

export function pricingColumns(t: TFunction, view: View): Column<PricingEntry>[] {
  const { group } = view;
  const ratio = view.list === undefined ? 1 : ratioOf(view.list, group);
  return [
    {
      key: 'available',
      heading: t('pricing.column.available'),
      cell: (entry) => <Availability entry={entry} group={group} isBrief />,
      width: 116,
      card: 'context',
    },
    { key: 'model', heading: t('pricing.column.model'), cell: (entry) => <ModelName entry={entry} />, least: 200, card: 'title' },
    {
      key: 'billing',
      heading: t('pricing.column.billing'),
      // Without a price there is no bill.
      cell: (entry) => (hasPrice(entry) ? <Billing entry={entry} /> : null),
      width: 124,
      leave: 3,
      card: 'context',
    },
    { key: 'groups', heading: t('pricing.column.groups'), cell: (entry) => <Groups entry={entry} view={view} />, width: 168, leave: 4 },
    {
      key: 'prompt',
      heading: t('pricing.column.prompt'),
      cell: (entry) => <Price entry={entry} ratio={ratio} part="prompt" />,
      width: 144,
      align: 'end',
    },
    {
      key: 'cached',
      heading: t('pricing.column.cached'),
      cell: (entry) => <Price entry={entry} ratio={ratio} part="cached" />,
      width: 84,
      align: 'end',
      leave: 2,
    },
    {
      key: 'completion',
      heading: t('pricing.column.completion'),
      cell: (entry) => <Price entry={entry} ratio={ratio} part="completion" />,
      width: 156,
      align: 'end',
    },
    {
      key: 'ratio',
      heading: t('pricing.column.model_ratio'),
      cell: (entry) => <Ratio entry={entry} value={entry.model_ratio} />,
      width: 96,
      align: 'end',
      leave: 5,
    },
    {
      key: 'completion_ratio',
      heading: t('pricing.column.completion_ratio'),
      cell: (entry) => <Ratio entry={entry} value={entry.completion_ratio} />,
      width: 116,
      align: 'end',
      leave: 6,
    },
    // A card has room for one amount: both prices, and what they are for.
    { key: 'both', heading: '', cell: (entry) => <CardPrice entry={entry} ratio={ratio} />, card: 'amount' },
    { key: 'unit', heading: '', cell: (entry) => <CardUnit entry={entry} />, card: 'note' },
  ];
}

/** Columns that only cards have. */
export const cardOnly: ReadonlySet<string> = new Set(['both', 'unit']);

/** `isBrief`: a column of a table has no room for what follows from a missing price. */
export function Availability({ entry, group, isBrief = false }: { entry: PricingEntry; group: string; isBrief?: boolean }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  if (!hasPrice(entry)) {
    const consequence = t('pricing.no_price_long');
    return (
      <span title={consequence}>
        <StatusMark status="note">{isBrief && !isPhone ? t('pricing.no_price') : consequence}</StatusMark>
      </span>
    );
  }
  const isAvailable = isAvailableIn(entry, group);
  return <StatusMark status={isAvailable ? 'on' : 'off'}>{t(isAvailable ? 'pricing.available' : 'pricing.not_available')}</StatusMark>;
}

function ModelName({ entry }: { entry: PricingEntry }) {
  const { t } = useTranslation();
  if (useIsPhone()) return entry.model_name;
  return <CopyText text={entry.model_name} label={t('pricing.copy_named', { name: entry.model_name })} />;
}

export function Billing({ entry }: { entry: PricingEntry }) {
  const { t } = useTranslation();
  return <span className={typography.muted}>{t(`pricing.per.${unitOf(entry)}`)}</span>;
}

/** A click on a group shows the prices it has there. */
function Groups({ entry, view }: { entry: PricingEntry; view: View }) {
  const { t } = useTranslation();
  const offered = entry.enable_groups.filter((name) => view.list?.usableGroup[name] !== undefined);
  if (offered.length === 0) return <span className={typography.muted}>{t('pricing.other_groups')}</span>;
  return (
    <span className={styles.groups}>
      {offered.map((name) => (
        <button
          key={name}
          type="button"
          className={`${typography.small} ${styles.group}`}
          aria-pressed={name === view.group}
          onClick={() => view.onGroup(name)}
        >
          {name}
        </button>
      ))}
    </span>
  );
}

function Ratio({ entry, value }: { entry: PricingEntry; value: number }) {
  const format = useFormat();
  return (
    <span className={typography.muted}>{isPerCall(entry) || !hasPrice(entry) ? '—' : format.ratio(Math.round(value * 1000) / 1000)}</span>
  );
}

function Price({ entry, ratio, part }: { entry: PricingEntry; ratio: number; part: 'prompt' | 'cached' | 'completion' }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!hasPrice(entry)) return <None />;
  const prices = pricesOf(entry, ratio, format.quotaPerUnit);
  const unit = unitOf(entry);
  if (prices.kind === 'usage') {
    if (part !== 'prompt' && !hasOutput(entry)) return <None />;
    if (unit !== 'tokens') return t(`pricing.price_per.${unit}`, { price: format.price(prices[part]) });
    if (part !== 'completion') return <Aligned price={format.price(prices[part])} />;
    return <Outputs outputs={outputsOf(entry, prices)} />;
  }
  if (part !== 'prompt') return <None />;
  return t(`pricing.price_per.${unit}`, { price: format.price(prices.call) });
}

type Output = ReturnType<typeof outputsOf>[number];

/** Words first; pictures and sound say what they are. */
function Outputs({ outputs }: { outputs: readonly Output[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [first] = outputs;
  if (outputs.length === 1 && first?.kind === 'text') return <Aligned price={format.price(first.price)} />;
  return outputs
    .map(({ kind, price }) => (kind === 'text' ? format.price(price) : t(`pricing.output.${kind}`, { price: format.price(price) })))
    .join(' · ');
}

/** Points below each other: four places, those that are not there left blank. */
function Aligned({ price }: { price: string }) {
  const places = price.split('.')[1]?.length ?? 0;
  return (
    <>
      {price}
      {places > 0 && places < 4 && (
        <span className={styles.blank} aria-hidden="true">
          {'0'.repeat(4 - places)}
        </span>
      )}
    </>
  );
}

function None() {
  return <span className={typography.muted}>—</span>;
}

function CardPrice({ entry, ratio }: { entry: PricingEntry; ratio: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!hasPrice(entry)) return null;
  const prices = pricesOf(entry, ratio, format.quotaPerUnit);
  if (prices.kind === 'call') return `$${format.price(prices.call)}`;
  if (!hasOutput(entry)) return `$${format.price(prices.prompt)}`;
  const [output] = outputsOf(entry, prices);
  return (
    <>
      ${format.price(prices.prompt)} <span className={typography.muted}>→</span> ${format.price(output?.price ?? prices.completion)}
      {output !== undefined && output.kind !== 'text' && <> {t(`pricing.kind.${output.kind}`)}</>}
    </>
  );
}

function CardUnit({ entry }: { entry: PricingEntry }) {
  const { t } = useTranslation();
  if (!hasPrice(entry)) return null;
  return t(`pricing.unit.${unitOf(entry)}`);
}
