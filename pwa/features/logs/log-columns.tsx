import type { TFunction } from 'i18next';
import { refusalOf, useLogSentence } from '#pwa/ui/billing/log-sentence.ts';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { changeOf, isSpending } from '#shared/balance-change.ts';
import { endingOf, isFree } from '#shared/log-ending.ts';
import { isCall, otherOf } from '#shared/log-other.ts';
import { type Log, LogType } from '#shared/logs.ts';
import { ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Tag } from '#pwa/ui/controls/tag.tsx';
import { tokenName } from '#pwa/ui/billing/token-name.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { channelPath, durationOf, firstBytePace, isHandedIn, type Pace, paceOf } from './log-summary.ts';
import { CallSize } from './call-size.tsx';
import { EndingMark, RefusalMark } from './log-labels.tsx';
import styles from './logs.module.css';
import { EndingSentence } from './said.tsx';

export const columnsKey = 'logs-table-columns';

interface ColumnOptions {
  isAdmin: boolean;
  /** Whether the rows name members of an organisation. */
  hasMembers: boolean;
  unit: string;
  isPhone: boolean;
  /** What stands at the end of a row at a desk. */
  menu: (log: Log) => ReactNode;
}

/** Columns by the names under which other clients remember the choice. */
export function logColumns(t: TFunction, { isAdmin, hasMembers, unit, isPhone, menu }: ColumnOptions): Column<Log>[] {
  const ending = endingColumn(t, isPhone);
  return [
    // What did not end well stands first on a card: there is no other place for it.
    ...(isPhone ? [ending] : []),
    { key: 'time', heading: t('logs.column.time'), cell: (log) => <Time log={log} />, width: 84, card: 'context', isLocked: true },
    ...callerColumns(t, { isAdmin, hasMembers }),
    typeColumn(t, isPhone),
    ...(isPhone ? [] : [ending]),
    ...calledColumns(t, isAdmin),
    ...durationColumns(t),
    ...usageColumns(t, unit),
    { key: 'operate', heading: t('logs.column.actions'), cell: menu, width: 64, align: 'end', isLocked: true },
  ];
}

function endingColumn(t: TFunction, isPhone: boolean): Column<Log> {
  return {
    key: 'ending',
    heading: t('logs.column.ending'),
    // Nothing at all where there is nothing to say: the parts of a card are joined by dots.
    cell: (log) => (saysEnding(log, isPhone) ? <Ended log={log} /> : null),
    width: 128,
    leave: 12,
    isOff: true,
    card: 'context',
  };
}

/** Who called. */
function callerColumns(t: TFunction, { isAdmin, hasMembers }: Pick<ColumnOptions, 'isAdmin' | 'hasMembers'>): Column<Log>[] {
  const username: Column<Log> = {
    key: 'username',
    heading: t('logs.column.user'),
    cell: (log) => log.username,
    width: 104,
    leave: 4,
    card: 'context',
  };
  return [
    ...(isAdmin ? [username] : []),
    ...(hasMembers ? [{ ...username, key: 'member', heading: t('logs.filter.member'), cell: (log: Log) => memberOf(log, t) ?? null }] : []),
    {
      key: 'token',
      heading: t('logs.column.token'),
      cell: (log) =>
        log.token_name === '' ? null : <span className={`${typography.secondary} ${styles.quiet}`}>{tokenName(log, t)}</span>,
      // `playground-default` is in every list.
      width: 132,
      leave: 5,
      card: 'context',
    },
    {
      key: 'group',
      heading: t('logs.column.group'),
      cell: (log) => <span className={`${typography.secondary} ${styles.quiet}`}>{log.group}</span>,
      width: 84,
      leave: 9,
      isOff: true,
    },
  ];
}

/** Name of the member of an organisation who made the call; undefined if the row does not say. */
export function memberOf({ member_id: id, member_name: name }: Log, t: TFunction): string | undefined {
  if (id === 0) return t('logs.member_service');
  return name === '' && id !== undefined ? `#${id}` : name;
}

function typeColumn(t: TFunction, isPhone: boolean): Column<Log> {
  return {
    key: 'type',
    heading: t('logs.column.type'),
    // On a card only what is no call says what it is; of refusals the mark says it.
    cell: (log) => ((isPhone && isCall(log)) || refusalOf(log) !== undefined ? null : <TypeWord log={log} />),
    width: 84,
    leave: 10,
    isOff: true,
    card: 'context',
  };
}

/** What was called. */
function calledColumns(t: TFunction, isAdmin: boolean): Column<Log>[] {
  const channel: Column<Log> = {
    key: 'channel',
    heading: t('logs.column.channel'),
    cell: (log) => <ChannelPath log={log} />,
    width: 144,
    leave: 6,
  };
  return [
    { key: 'model', heading: t('logs.column.what'), cell: (log) => <What log={log} />, least: 200, card: 'title', isLocked: true },
    ...(isAdmin ? [channel] : []),
  ];
}

function durationColumns(t: TFunction): Column<Log>[] {
  return [
    {
      key: 'use_time',
      heading: t('logs.column.duration'),
      cell: (log) => <Duration log={log} />,
      width: 76,
      align: 'end',
      leave: 3,
      card: 'note',
    },
    {
      key: 'first',
      heading: t('logs.column.first_byte'),
      cell: (log) => <FirstByte log={log} />,
      width: 74,
      align: 'end',
      leave: 11,
      isOff: true,
    },
  ];
}

/** Tokens, and what they cost. */
function usageColumns(t: TFunction, unit: string): Column<Log>[] {
  return [
    {
      key: 'prompt',
      heading: t('logs.column.prompt'),
      cell: (log) => <Tokens count={log.prompt_tokens} />,
      width: 64,
      align: 'end',
      leave: 7,
    },
    {
      key: 'completion',
      heading: t('logs.column.completion'),
      cell: (log) => <Tokens count={log.completion_tokens} />,
      width: 60,
      align: 'end',
      leave: 8,
    },
    {
      key: 'cost',
      heading: t('logs.column.cost', { unit }),
      cell: (log) => <Amount log={log} />,
      width: 112,
      align: 'end',
      card: 'amount',
      isLocked: true,
    },
  ];
}

function saysEnding(log: Log, isPhone: boolean): boolean {
  return refusalOf(log) !== undefined || (isCall(log) && !(isPhone && endingOf(log) === 'well'));
}

function Ended({ log }: { log: Log }) {
  const refusal = refusalOf(log);
  return refusal === undefined ? <EndingMark log={log} /> : <RefusalMark facts={refusal} />;
}

function Time({ log }: { log: Log }) {
  const format = useFormat();
  return (
    <span className={`${typography.secondary} ${styles.quiet}`}>
      {useIsPhone() ? format.clock(log.created_at) : format.time(log.created_at)}
    </span>
  );
}

/** The model of a call; of any other row, what happened. */
function What({ log }: { log: Log }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const sentence = useLogSentence([log]);
  const hasMark = !isPhone && endingOf(log) !== 'well';
  const refusal = refusalOf(log);
  if (refusal !== undefined) {
    const model = refusal.is_others === true ? t('logs.refusal.others') : log.model_name;
    return (
      <span className={styles.what}>
        {model !== '' && (
          <span className={`${typography.ellipsis} ${styles.model}`} title={model}>
            {model}
          </span>
        )}
        {!isPhone && (
          <small className={styles.mark}>
            <RefusalMark facts={refusal} />
          </small>
        )}
        <EndingSentence sentence={sentence(log)} />
      </span>
    );
  }
  if (!isCall(log)) {
    return (
      <span className={styles.what}>
        {!isPhone && (
          <span className={styles.type}>
            <TypeTag log={log} />
          </span>
        )}
        <EndingSentence sentence={sentence(log)} />
      </span>
    );
  }
  return (
    <span className={styles.what}>
      <span className={`${typography.ellipsis} ${styles.model}`} title={log.model_name}>
        {log.model_name}
      </span>
      {hasMark && (
        <small className={styles.mark}>
          <EndingMark log={log} />
        </small>
      )}
      <CallSize log={log} />
    </span>
  );
}

export function TypeTag({ log }: { log: Log }) {
  const { t } = useTranslation();
  return <Tag>{t(`logs.type.${typeName(log.type)}`)}</Tag>;
}

function TypeWord({ log }: { log: Log }) {
  const { t } = useTranslation();
  return <span className={`${typography.secondary} ${styles.quiet}`}>{t(`logs.type.${typeName(log.type)}`)}</span>;
}

export function typeName(type: number): 'top_up' | 'consumption' | 'management' | 'system' | 'refusal' | 'test' | 'unknown' {
  if (type === LogType.topUp) return 'top_up';
  if (type === LogType.consumption) return 'consumption';
  if (type === LogType.management) return 'management';
  if (type === LogType.refusal) return 'refusal';
  if (type === LogType.test) return 'test';
  return type === LogType.system ? 'system' : 'unknown';
}

/** `12 → Harbour mouth`: those that failed are struck, and the last one has its name. */
function ChannelPath({ log }: { log: Log }) {
  const { t } = useTranslation();
  const path = channelPath(log);
  return (
    <span title={path.map((step) => `#${step.channel} ${step.name}`.trim()).join(' → ')}>
      {path.map((step, index) => (
        <Fragment key={index}>
          {index > 0 && <span className={typography.muted}> → </span>}
          {step.hasFailed ? (
            <s className={typography.muted}>
              {stepName(step, path.length)}
              <span className="visually-hidden"> {t(`logs.ending.${step.isUnsent === true ? 'unsendable' : 'failed'}`)}</span>
            </s>
          ) : (
            stepName(step, path.length)
          )}
        </Fragment>
      ))}
    </span>
  );
}

/** A step among several is a number as long as another one follows: there is room for one name. */
function stepName({ channel, name, hasFailed }: { channel: number; name: string; hasFailed: boolean }, steps: number): string {
  return name === '' || (hasFailed && steps > 1) ? `#${channel}` : name;
}

function Duration({ log }: { log: Log }) {
  const format = useFormat();
  if (!isCall(log) || isHandedIn(log)) return null;
  const milliseconds = durationOf(log);
  return <Paced pace={paceOf(milliseconds / 1000)} text={format.duration(milliseconds)} />;
}

function FirstByte({ log }: { log: Log }) {
  const format = useFormat();
  const first = otherOf(log)?.frt;
  if (!isCall(log) || first === undefined || !log.is_stream) return null;
  return <Paced pace={firstBytePace(first / 1000)} text={format.duration(first)} />;
}

/** A time; slow ones have a shape before them and a word for those who do not see it. */
export function Paced({ pace, text }: { pace: Pace; text: string }) {
  const { t } = useTranslation();
  if (pace === 'good') return text;
  return (
    <StatusMark status={pace === 'slow' ? 'look' : 'auto'}>
      <span title={t(`logs.pace.${pace}`)}>
        {text}
        <span className="visually-hidden"> {t(`logs.pace.${pace}`)}</span>
      </span>
    </StatusMark>
  );
}

function Tokens({ count }: { count: number }) {
  return <span className={`${typography.secondary} ${styles.quiet}`}>{count > 0 ? <ShortCount count={count} /> : '—'}</span>;
}

function Amount({ log }: { log: Log }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  if (!isCall(log)) {
    if (refusalOf(log) !== undefined) return <span className={`${typography.secondary} ${styles.quiet}`}>{t('logs.not_charged')}</span>;
    const change = changeOf(log);
    if (change === 0) return isPhone ? null : <span className={`${typography.secondary} ${styles.quiet}`}>—</span>;
    // What was spent stands there as calls do.
    return <Charge quota={Math.abs(change)} {...(isSpending(log) ? {} : { sign: change > 0 ? '+' : '−' })} />;
  }
  if (isFree(log)) return <span className={`${typography.secondary} ${styles.quiet}`}>{t('logs.not_charged')}</span>;
  return <Charge quota={log.quota} />;
}
