import type { TFunction } from 'i18next';
import type { CSSProperties, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { endingOf, isFree } from '#shared/log-ending.ts';
import { otherOf } from '#shared/log-other.ts';
import { ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { EndingMark } from './log-labels.tsx';
import { durationOf } from './log-summary.ts';
import { Cached, CallCount, shortId } from './session-columns.tsx';
import type { SessionRow } from './session-rows.ts';
import styles from './sessions.module.css';

/** Deeper than this rows do not move further in. */
const deepest = 5;

export function treeColumns(t: TFunction, { unit, isPhone }: { unit: string; isPhone: boolean }): Column<SessionRow>[] {
  return [
    { key: 'what', heading: t('sessions.tree'), cell: (row) => <What row={row} />, least: 220, card: 'title', isLocked: true },
    {
      key: 'time',
      heading: t('logs.column.time'),
      cell: (row) =>
        row.kind === 'call' ? (
          <Placed row={row}>
            <Time at={row.log.created_at} isPhone={isPhone} />
          </Placed>
        ) : null,
      width: 84,
      card: 'context',
    },
    {
      key: 'calls',
      heading: t('logs.view.calls'),
      cell: (row) =>
        row.kind === 'agent' ? (
          <Placed row={row}>
            <CallCount sums={row.agent} isWord={isPhone} />
          </Placed>
        ) : null,
      width: 72,
      align: 'end',
      card: 'context',
    },
    {
      key: 'use_time',
      heading: t('logs.column.duration'),
      cell: (row) => <Duration row={row} />,
      width: 84,
      align: 'end',
      leave: 3,
      card: 'note',
    },
    {
      key: 'prompt',
      heading: t('logs.column.prompt'),
      cell: (row) => <ShortCount count={tokensOf(row).prompt_tokens} />,
      width: 76,
      align: 'end',
      leave: 2,
    },
    { key: 'cached', heading: t('sessions.cached'), cell: (row) => <Cached row={tokensOf(row)} />, width: 76, align: 'end', leave: 1 },
    {
      key: 'completion',
      heading: t('logs.column.completion'),
      cell: (row) => <ShortCount count={tokensOf(row).completion_tokens} />,
      width: 76,
      align: 'end',
      leave: 2,
    },
    {
      key: 'cost',
      heading: t('logs.column.cost', { unit }),
      cell: (row) => <Cost row={row} />,
      width: 112,
      align: 'end',
      card: 'amount',
      isLocked: true,
    },
  ];
}

function depthOf({ depth }: SessionRow): CSSProperties & Record<'--depth', number> {
  return { '--depth': Math.min(depth, deepest) };
}

/** On a phone's card the line below the name moves in with it. */
function Placed({ row, children }: { row: SessionRow; children: ReactNode }) {
  return (
    <span className={styles.placed} style={depthOf(row)}>
      {children}
    </span>
  );
}

function What({ row }: { row: SessionRow }) {
  const { t } = useTranslation();
  const style = depthOf(row);
  if (row.kind === 'call') {
    return (
      <span className={`${layout.row} ${styles.call}`} style={style}>
        <span className={styles.model} title={row.log.model_name}>
          {row.log.model_name}
        </span>
        {endingOf(row.log) !== 'well' && (
          <small>
            <EndingMark log={row.log} />
          </small>
        )}
      </span>
    );
  }
  const { agent } = row.agent;
  return (
    <span className={`${layout.row} ${styles.agent}`} style={style} title={agent}>
      <Icon name={row.isFolded ? 'right' : 'down'} />
      <span className={styles.model}>{agent === '' ? t('sessions.first_agent') : shortId(agent)}</span>
      <span className="visually-hidden">{t(row.isFolded ? 'sessions.folded' : 'sessions.unfolded')}</span>
    </span>
  );
}

function Time({ at, isPhone }: { at: number; isPhone: boolean }) {
  const format = useFormat();
  return <span className={`${typography.secondary} ${styles.quiet}`}>{isPhone ? format.clock(at) : format.time(at)}</span>;
}

function Duration({ row }: { row: SessionRow }) {
  const format = useFormat();
  const milliseconds = row.kind === 'agent' ? row.agent.duration_ms : durationOf(row.log);
  const text = format.duration(milliseconds);
  return <span className={`${typography.secondary} ${styles.quiet}`}>{text}</span>;
}

function Cost({ row }: { row: SessionRow }) {
  const { t } = useTranslation();
  if (row.kind === 'agent')
    return (
      <b>
        <Charge quota={row.agent.quota - row.agent.refunded} />
      </b>
    );
  if (isFree(row.log)) return <span className={`${typography.secondary} ${styles.quiet}`}>{t('logs.not_charged')}</span>;
  return <Charge quota={row.log.quota} />;
}

function tokensOf(row: SessionRow): { prompt_tokens: number; completion_tokens: number; cache_tokens: number } {
  if (row.kind === 'agent') return row.agent;
  const { prompt_tokens, completion_tokens } = row.log;
  return { prompt_tokens, completion_tokens, cache_tokens: otherOf(row.log)?.cache_tokens ?? 0 };
}
