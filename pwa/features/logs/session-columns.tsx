import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { CallSession } from '#shared/call-sessions.ts';
import { ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { programName } from './program-name.ts';
import { spanText } from './span-text.ts';
import styles from './sessions.module.css';

interface ColumnOptions {
  isAdmin: boolean;
  unit: string;
  isPhone: boolean;
}

export function sessionColumns(t: TFunction, { isAdmin, unit, isPhone }: ColumnOptions): Column<CallSession>[] {
  return [
    { key: 'time', heading: t('sessions.last'), cell: (row) => <Clock at={row.last_at} />, width: 84, card: 'context', isLocked: true },
    { key: 'session', heading: t('logs.filter.session'), cell: (row) => <Named row={row} />, least: 210, card: 'title', isLocked: true },
    ...(isAdmin
      ? [{ key: 'username', heading: t('logs.column.user'), cell: (row: CallSession) => row.username, width: 104, leave: 6 } as const]
      : []),
    {
      key: 'token',
      heading: t('logs.column.token'),
      cell: (row) => (row.token_name === '' ? null : <span className={`${typography.secondary} ${styles.quiet}`}>{row.token_name}</span>),
      width: 120,
      leave: 5,
      card: 'context',
    },
    { key: 'models', heading: t('sessions.models'), cell: (row) => <Models names={row.models} />, width: 190, leave: 3 },
    {
      key: 'span',
      heading: t('sessions.span'),
      cell: (row) => <span className={`${typography.secondary} ${styles.quiet}`}>{spanText(t, row)}</span>,
      width: 92,
      align: 'end',
      leave: 4,
      card: 'note',
    },
    {
      key: 'calls',
      heading: t('logs.view.calls'),
      cell: (row) => <CallCount sums={row} isWord={isPhone} />,
      width: 84,
      align: 'end',
      card: 'context',
    },
    {
      key: 'prompt',
      heading: t('logs.column.prompt'),
      cell: (row) => <ShortCount count={row.prompt_tokens} />,
      width: 72,
      align: 'end',
      leave: 2,
    },
    {
      key: 'cached',
      heading: t('sessions.cached'),
      cell: (row) => <Cached row={row} />,
      width: 72,
      align: 'end',
      leave: 1,
    },
    {
      key: 'completion',
      heading: t('logs.column.completion'),
      cell: (row) => <ShortCount count={row.completion_tokens} />,
      width: 68,
      align: 'end',
      leave: 2,
    },
    {
      key: 'cost',
      heading: t('logs.column.cost', { unit }),
      cell: (row) => <Charge quota={row.quota - row.refunded} />,
      width: 112,
      align: 'end',
      card: 'amount',
      isLocked: true,
    },
  ];
}

function Clock({ at }: { at: number }) {
  const format = useFormat();
  return <span className={`${typography.secondary} ${styles.quiet}`}>{useIsPhone() ? format.clock(at) : format.time(at)}</span>;
}

/** The program and the beginning of its id; the whole id a pointer away. */
function Named({ row: { client, session } }: { row: CallSession }) {
  return (
    <span className={styles.named} title={session}>
      {client !== '' && <span className={styles.client}>{programName(client)}</span>}
      <span className={client === '' ? styles.client : styles.id}>{client === '' ? session : shortId(session)}</span>
    </span>
  );
}

/** Enough to distinguish ids: the beginning of a UUID, the end of one with a prefix. */
export function shortId(id: string): string {
  if (id.length <= 14) return id;
  return /^[0-9a-f]{8}-/i.test(id) ? id.slice(0, 8) : `…${id.slice(-8)}`;
}

function Models({ names }: { names: readonly string[] }) {
  const { t } = useTranslation();
  const [first = '—', ...more] = names;
  return (
    <span className={`${typography.secondary} ${styles.models}`} title={names.join('\n')}>
      <span>{first}</span>
      {more.length > 0 && <small>{t('sessions.more', { count: more.length })}</small>}
    </span>
  );
}

/** How many calls, and how many of them failed. */
export function CallCount({ sums: { calls, errors }, isWord }: { sums: Pick<CallSession, 'calls' | 'errors'>; isWord: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = isWord ? t(calls === 1 ? 'sessions.call' : 'sessions.calls', { count: format.count(calls) }) : format.count(calls);
  if (errors === 0) return text;
  const failed = t('sessions.failed', { count: format.count(errors) });
  return (
    <span className={styles.counts} title={failed}>
      <StatusMark status="failed">
        {format.count(errors)}
        <span className="visually-hidden"> {failed}</span>
      </StatusMark>
      {text}
    </span>
  );
}

/** The share of the prompts that caches had. */
export function Cached({ row }: { row: { prompt_tokens: number; cache_tokens: number } }) {
  const format = useFormat();
  if (row.prompt_tokens === 0 || row.cache_tokens === 0) return <span className={`${typography.secondary} ${styles.quiet}`}>—</span>;
  return (
    <span className={`${typography.secondary} ${styles.quiet}`} title={format.count(row.cache_tokens)}>
      {format.percent(Math.min(1, row.cache_tokens / row.prompt_tokens), 0)}
    </span>
  );
}
