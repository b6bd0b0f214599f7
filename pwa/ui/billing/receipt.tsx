import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { MutedZeros } from './charge.tsx';
import { useFormat } from './format-context.ts';
import { Glyph, type GlyphName } from '#pwa/ui/controls/glyph.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import styles from './receipt.module.css';
import { type ReceiptFactor, type ReceiptLine, receiptSums, type ReceiptSums } from './receipt-sums.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

interface ReceiptProps {
  /** What was charged, in quota units. */
  charged: number;
  lines: readonly ReceiptLine[];
  factors: readonly ReceiptFactor[];
  /** Status and model, under the figure. */
  heading?: ReactNode;
  /** Time and how it was answered, under the heading. */
  context?: ReactNode;
  /** Why not all quantities came from upstream, with the shape that the lines have for it. */
  why?: { text: string; source: Source };
}

type Source = NonNullable<ReceiptLine['source']>;
const sourceGlyphs: Record<Source, GlyphName> = { upstream: 'full', counted: 'half', estimated: 'dashed' };
const minus = '−';

/** What a call cost, line by line: the shown lines add up to the charge, or a red line says by how much they do not. */
export function Receipt({ charged, lines, factors, heading, context, why }: ReceiptProps) {
  const format = useFormat();
  const isPhone = useIsPhone();
  // Six decimals of a dollar, or hundredths of a quota unit.
  const stepsPerUnit = format.inCurrency ? 1_000_000 / format.quotaPerUnit : 100;
  const sums = receiptSums({ lines, factors, charged, quotaPerUnit: format.quotaPerUnit, stepsPerUnit });
  const parts = { lines, factors, sums, charged, show: shower(format.inCurrency) };
  return (
    <div>
      <div className={styles.figure}>
        {format.charge(charged)}
        <Unit />
      </div>
      {heading !== undefined && <div className={`${layout.baseline} ${styles.heading}`}>{heading}</div>}
      {context !== undefined && <div className={styles.context}>{context}</div>}
      {lines.length > 0 && (isPhone ? <PhoneLines {...parts} /> : <DeskLines {...parts} />)}
      {why !== undefined && (
        <p className={styles.why}>
          <Glyph name={sourceGlyphs[why.source]} />
          <span>{why.text}</span>
        </p>
      )}
    </div>
  );
}

interface Parts {
  lines: readonly ReceiptLine[];
  factors: readonly ReceiptFactor[];
  sums: ReceiptSums;
  charged: number;
  show: (steps: number, isSigned?: boolean) => string;
}

function DeskLines(parts: Parts) {
  const { lines, sums, show } = parts;
  const { t } = useTranslation();
  const format = useFormat();
  const unit = format.inCurrency ? 'USD' : t('common.quota.name');
  // Runs of tools have a price each, while tokens have prices per million.
  const isMixed = lines.some(isPerCall) && !lines.every(isPerCall);
  return (
    <table className={styles.lines}>
      <thead>
        <tr>
          <th scope="col">{t('common.receipt.item')}</th>
          <th scope="col">{t('common.receipt.source')}</th>
          <th scope="col">{t('common.receipt.quantity')}</th>
          <th scope="col">{isMixed || lines.some(isPerCall) ? t('common.receipt.price') : t('common.receipt.price_per_million')}</th>
          <th scope="col">{t('common.receipt.amount', { unit })}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, index) => (
          <tr key={line.name}>
            <th scope="row">{line.name}</th>
            <td>{line.source !== undefined && <SourceMark source={line.source} />}</td>
            <td>{line.quantityText ?? format.count(line.quantity)}</td>
            <td>
              {isMixed
                ? t(isPerCall(line) ? 'common.receipt.per_call' : 'common.receipt.per_million', { price: format.price(line.price) })
                : `× ${line.priceText ?? format.price(line.price)}`}
            </td>
            <td>
              <MutedZeros text={show(sums.lines[index] ?? 0)} />
            </td>
          </tr>
        ))}
      </tbody>
      <Foot {...parts} span={4} />
    </table>
  );
}

function isPerCall(line: ReceiptLine): boolean {
  return line.isPerCall === true;
}

function PhoneLines(parts: Parts) {
  const { lines, sums, show } = parts;
  const { t } = useTranslation();
  const format = useFormat();
  const timesText = (line: ReceiptLine): string => {
    const quantity = line.quantityText ?? format.count(line.quantity);
    if (line.priceText !== undefined) return `${quantity} × ${line.priceText}`;
    const key = isPerCall(line) ? 'common.receipt.times_per_call' : 'common.receipt.times_per_million';
    return t(key, { quantity, price: format.price(line.price) });
  };
  return (
    <>
      <ul className={styles.stacked}>
        {lines.map((line, index) => (
          <li key={line.name}>
            <span>{line.name}</span>
            <span className={styles.end}>
              <MutedZeros text={show(sums.lines[index] ?? 0)} />
            </span>
            <span>{line.source !== undefined && <SourceMark source={line.source} />}</span>
            <span className={styles.quantity}>{timesText(line)}</span>
          </li>
        ))}
      </ul>
      <table className={styles.lines}>
        <Foot {...parts} span={1} />
      </table>
    </>
  );
}

function Foot({ factors, sums, charged, show, span }: Parts & { span: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={span}>
          {t('common.receipt.subtotal')}
        </th>
        <td>
          <MutedZeros text={show(sums.subtotal)} />
        </td>
      </tr>
      {factors.map((factor, index) => (
        <tr key={factor.name}>
          <th scope="row" colSpan={span}>
            {factor.name} {format.factor(factor.ratio)}
          </th>
          <td>
            <MutedZeros text={show(sums.factors[index] ?? 0, true)} />
          </td>
        </tr>
      ))}
      {sums.rounding !== 0 && (
        <tr>
          <th scope="row" colSpan={span}>
            {t('common.receipt.rounding', { quota: format.count(charged) })}
          </th>
          <td>
            <MutedZeros text={show(sums.rounding, true)} />
          </td>
        </tr>
      )}
      {sums.difference !== 0 && (
        <tr className={styles.difference}>
          <th scope="row" colSpan={span}>
            <StatusMark status="failed">{t('common.receipt.difference')}</StatusMark>
          </th>
          <td>{show(sums.difference, true)}</td>
        </tr>
      )}
      <tr className={styles.sum}>
        <th scope="row" colSpan={span}>
          {t('common.receipt.charged')}
        </th>
        <td>{format.charge(charged)}</td>
      </tr>
    </tfoot>
  );
}

/** Under a receipt whose lines add up. */
export function AddsUp() {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <p className={styles.addsUp}>
      <Icon name="check" />
      {t('common.receipt.adds_up', { unit: format.inCurrency ? 'USD' : t('common.quota.name') })}
    </p>
  );
}

function SourceMark({ source }: { source: Source }) {
  const { t } = useTranslation();
  return (
    <span className={styles.source}>
      <Glyph name={sourceGlyphs[source]} />
      {t(`common.receipt.source_${source}`)}
    </span>
  );
}

function Unit() {
  const { t } = useTranslation();
  const { inCurrency } = useFormat();
  return <span className={styles.unit}>{inCurrency ? 'USD' : t('common.quota.name')}</span>;
}

function shower(inCurrency: boolean): Parts['show'] {
  const digits = inCurrency ? 6 : 2;
  const scale = inCurrency ? 1_000_000 : 100;
  return (steps, isSigned = false) => {
    const size = (Math.abs(steps) / scale).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    if (steps < 0) return `${minus}${size}`;
    return isSigned ? `+${size}` : size;
  };
}
