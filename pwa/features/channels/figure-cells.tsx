import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelFigures, figureHours, hourSeconds } from '#shared/channels.ts';
import { useFailing } from '#pwa/api/failing-channels.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { cachedShare, type FiguresView, isLow, lastFailure, okShare, stripBars } from './channel-figures.ts';
import styles from './figure-cells.module.css';

interface FigureCellProps {
  figures: FiguresView;
  id: number;
}

const step = 4;
const barWidth = 3;
/** In pixels. */
const stripWidth = figureHours * step - 1;
const stripHeight = 24;
/** Where the line between calls and failures is. */
const line = 14;

/** The calls of the last hours: what went well above the line, failures below it. */
export function CallStrip({ figures, id }: FigureCellProps) {
  return <CallStripOf own={figures.of(id)} since={figures.since} />;
}

/** @param own undefined while it is not known */
export function CallStripOf({ own, since }: { own: ChannelFigures | null | undefined; since: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (own === undefined) return null;
  const label = stripLabel(own, since, { t, format });
  return (
    <svg
      className={styles.strip}
      width={stripWidth}
      height={stripHeight}
      viewBox={`0 0 ${stripWidth} ${stripHeight}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {stripBars(own?.hours).map(({ above, below }, hour) => {
        const x = hour * step;
        return [
          above > 0 && <rect key={`ok-${x}`} className={styles.ok} x={x} y={line - above} width={barWidth} height={above} />,
          below > 0 && <rect key={`bad-${x}`} className={styles.bad} x={x} y={line + 1} width={barWidth} height={below} />,
          above + below === 0 && <rect key={`none-${x}`} className={styles.none} x={x} y={line - 1} width={barWidth} height={1} />,
        ];
      })}
    </svg>
  );
}

function stripLabel(own: ChannelFigures | null, since: number, { t, format }: { t: TFunction; format: Format }): string {
  if (own === null || own.calls === 0) return t('channels.figures.none');
  const calls = format.count(own.calls);
  const failing = lastFailure(own);
  if (failing === -1) return t('channels.figures.all_well', { calls });
  const time = format.clock(since + failing * hourSeconds);
  return t('channels.figures.some_failed', { calls, failures: format.count(own.failures), time });
}

/** Per cent of the calls that went well; on a card, where no heading says so, in words. */
export function OkShare({ figures, id }: FigureCellProps) {
  const isFailing = useFailing(id) !== undefined;
  return <OkShareOf own={figures.of(id)} isMarked={isFailing} />;
}

/** @param isMarked true: the card says already that the channel is failing */
export function OkShareOf({ own, isMarked = false }: { own: ChannelFigures | null | undefined; isMarked?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  if (own === undefined) return null;
  const share = own === null ? null : okShare(own);
  if (isPhone) {
    if (share === null) return null;
    const text = t('channels.figures.ok', { share: format.percent(share) });
    return isMarked ? text : <StatusMark status="failed">{text}</StatusMark>;
  }
  if (own === null || share === null) return '—';
  return <span className={isLow(own) ? styles.low : undefined}>{format.percentBare(share)}</span>;
}

/** Median seconds to the first byte. */
export function FirstByte({ figures, id }: FigureCellProps) {
  const format = useFormat();
  const own = figures.of(id);
  if (own === undefined) return null;
  return own === null || own.first_byte_ms === null ? '—' : format.secondsBare(own.first_byte_ms);
}

/** Per cent of prompts that came from the provider's cache; on a card in words. */
export function CachedShare({ figures, id }: FigureCellProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const own = figures.of(id);
  if (own === undefined) return null;
  const share = own === null ? null : cachedShare(own);
  if (isPhone && share !== null) return t('channels.figures.cached', { share: format.percent(share) });
  return share === null ? '—' : format.percentBare(share);
}

/** The same for the panel, with space for words. A figure that loads has a placeholder; a figure that is missing has none. */
export function useFigureSummary(figures: FiguresView, id: number): { name: string; value: ReactNode }[] {
  const { t } = useTranslation();
  const format = useFormat();
  const own = figures.of(id);
  const isOnItsWay = own === undefined && figures.at === 0 && !figures.isStale;
  if (own === undefined && !isOnItsWay) return [];
  const firstByte = own?.first_byte_ms ?? null;
  const cached = own === undefined || own === null ? null : cachedShare(own);
  return [
    {
      name: t('channels.column.calls'),
      value: (
        <span className={styles.fact}>
          <span>{own === undefined ? '…' : format.count(own?.calls ?? 0)}</span>
          <CallStrip figures={figures} id={id} />
          {own !== undefined && <AsOf at={figures.at} isStale={figures.isStale} />}
        </span>
      ),
    },
    { name: t('channels.figures.ok_name'), value: own === undefined ? '…' : <OkShareInWords own={own} /> },
    {
      name: t('channels.figures.first_byte_name'),
      value: own === undefined ? '…' : firstByte === null ? '—' : format.duration(firstByte),
    },
    { name: t('channels.figures.cached_name'), value: own === undefined ? '…' : cached === null ? '—' : format.percent(cached) },
  ];
}

function OkShareInWords({ own }: { own: ChannelFigures | null }) {
  const format = useFormat();
  const share = own === null ? null : okShare(own);
  if (share === null) return '—';
  return isLow(own) ? <StatusMark status="failed">{format.percent(share)}</StatusMark> : format.percent(share);
}
