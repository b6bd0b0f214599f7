import { refusalOf, useLogSentence } from '#pwa/ui/billing/log-sentence.ts';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { changeOf, isSpending } from '#shared/balance-change.ts';
import { chargeOf, endingOf, unsentReason, upstreamWords } from '#shared/log-ending.ts';
import { isCall, otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';
import type { RefusalFacts } from '#shared/refusal-facts.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { Attempts } from '#pwa/ui/billing/attempts.tsx';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { CopyButton, CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { AddsUp, Receipt } from '#pwa/ui/billing/receipt.tsx';
import { SummaryList, PanelSection, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { tokenName } from '#pwa/ui/billing/token-name.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { CacheEffect } from './cache-effect.tsx';
import { CallContext } from './call-context.tsx';
import { CallRemarks, NoPrices } from './call-remarks.tsx';
import { attemptBar } from './attempt-bars.ts';
import { memberOf, TypeTag } from './log-columns.tsx';
import { isSettled } from './event-receipt.ts';
import { useTimes } from './use-times.ts';
import { durationOf, endedAttempts, isHandedIn, picturesOf, spokenOf, videoSizeOf } from './log-summary.ts';
import { programName } from './program-name.ts';
import { receiptOfRow } from './log-receipt.ts';
import { UserInfo } from './log-user-info.tsx';
import { EndingMark, RefusalMark, whySource } from './log-labels.tsx';
import type { LogSearch } from './log-address.ts';
import { RowLink, SessionLink, TaskLink } from './row-link.tsx';
import { QuickFilterSection } from './quick-filter-menu.tsx';
import styles from './logs.module.css';

const CallRefunds = lazyPart(
  () => import('./call-refunds.tsx'),
  (part) => part.CallRefunds,
  null,
);

const SettledReceipt = lazyPart(
  () => import('./settled-parts.tsx'),
  (part) => part.SettledReceipt,
  null,
);
const OrderResult = lazyPart(
  () => import('./settled-parts.tsx'),
  (part) => part.OrderResult,
  null,
);

interface LogPanelProps {
  log: Log;
  isAdmin: boolean;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  /** Shows the calls with the same model and token. */
  onAlike: (log: Log) => void;
  search: LogSearch;
  /** Narrows the list by something that this row has. */
  onFilter: (change: Partial<LogSearch>) => void;
}

/** One row in full: a call as its receipt, everything else as the sentence that it is. */
export function LogPanel({ log, isAdmin, onClose, onPrevious, onNext, onAlike, search, onFilter }: LogPanelProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const isReceipt = isCall(log);
  const refusal = refusalOf(log);
  const channelLink = isAdmin && log.channel > 0 && (
    <Button
      leftSection={<Icon name="channels" />}
      renderRoot={(attributes) => <Link {...attributes} to="/channel/edit/$id" params={{ id: String(log.channel) }} />}
    >
      {t('receipt.channel', { id: log.channel })}
    </Button>
  );
  const json = <CopyButton variant="subtle" label={t('receipt.json')} text={jsonOf(log)} />;
  return (
    <SidePanel
      title={t(isReceipt ? 'receipt.receipt' : 'receipt.entry')}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      foot={
        isReceipt ? (
          <>
            <Button leftSection={<Icon name="filter" />} onClick={() => onAlike(log)}>
              {t('receipt.alike')}
            </Button>
            {isPhone ? (
              log.request_id !== '' && <CopyButton label={t('receipt.request_id')} text={log.request_id} />
            ) : (
              <>
                {channelLink}
                <span className={styles.space} />
                {json}
              </>
            )}
          </>
        ) : undefined
      }
    >
      {isReceipt ? (
        <CallReceipt log={log} isAdmin={isAdmin} />
      ) : refusal === undefined ? (
        <Entry log={log} />
      ) : (
        <Refusal log={log} facts={refusal} isAdmin={isAdmin} />
      )}
      <QuickFilterSection log={log} search={search} isAdmin={isAdmin} onFilter={onFilter} />
      {/* The foot of a sheet has room for two. */}
      {isReceipt && isPhone && (
        <div className={`${layout.wrap} ${styles.more}`}>
          {channelLink}
          {json}
        </div>
      )}
    </SidePanel>
  );
}

function CallReceipt({ log, isAdmin }: { log: Log; isAdmin: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const other = otherOf(log);
  const attempts = endedAttempts(log);
  const ending = endingOf(log);
  const why = whySource(log);
  const receipt = receiptOfRow(log, other, {
    part: (name) => t(`receipt.part.${name}`),
    advice: (model, tokens) => t('receipt.part.advice', { model, tokens: format.count(tokens) }),
    group: (name) => t('receipt.part.group', { name }),
    quotaPerUnit: format.quotaPerUnit,
    inCurrency: format.inCurrency,
  });
  return (
    <>
      <Receipt
        charged={log.quota}
        lines={receipt?.lines ?? []}
        factors={receipt?.factors ?? []}
        heading={
          <>
            <EndingMark log={log} />
            <b>{log.model_name}</b>
          </>
        }
        context={<CallContext log={log} />}
        {...(why === undefined ? {} : { why: { text: t(`receipt.why.${why.name}`), source: why.source } })}
      />
      {receipt !== null && receipt.lines.length > 0 && receipt.addsUp && <AddsUp />}
      <CacheEffect log={log} other={other} />
      {receipt === null && <NoPrices other={other} />}
      {isHandedIn(log) && log.request_id !== '' && <OrderResult key={`result ${log.id}`} log={log} isAdmin={isAdmin} />}
      {receipt !== null && receipt.lines.length === 0 && ending === 'well' && <p className={styles.remark}>{t('receipt.nothing_used')}</p>}
      {ending !== 'well' && <EndingText log={log} />}
      {other !== null && <CallRemarks other={other} />}
      {attempts.length > 0 && (
        <PanelSection title={t('receipt.attempts.title')} aside={format.duration(durationOf(log))}>
          <Attempts total={durationOf(log)} attempts={attempts.map((one, index) => attemptBar(one, index, { log, t }))} />
        </PanelSection>
      )}
      <PanelSection>
        <SummaryList items={useSummary(log, isAdmin)} />
      </PanelSection>
      {log.quota > 0 && <CallRefunds key={`refunds ${log.id}`} log={log} isAdmin={isAdmin} />}
      {isAdmin && <UserInfo key={log.user_id} log={log} />}
    </>
  );
}

/** What happened to a call that did not end well, who is to act, and what became of the money. */
function EndingText({ log }: { log: Log }) {
  const { t } = useTranslation();
  const reason = unsentReason(log);
  const words = reason ?? upstreamWords(log);
  return (
    <>
      <p className={styles.remark}>
        {t('receipt.ending_line', { text: t(`receipt.ending_text.${endingOf(log)}`), charge: t(`receipt.ending_charge.${chargeOf(log)}`) })}
      </p>
      {words !== undefined && (
        <figure className={styles.words}>
          <figcaption>{t(reason === undefined ? 'receipt.upstream_words' : 'receipt.unsent_reason')}</figcaption>
          <blockquote>{words}</blockquote>
        </figure>
      )}
    </>
  );
}

function memberItem(log: Log, t: TFunction): { name: string; value: string }[] {
  const value = memberOf(log, t);
  return value === undefined ? [] : [{ name: t('logs.filter.member'), value }];
}

function useSummary(log: Log, isAdmin: boolean) {
  const { t } = useTranslation();
  const format = useFormat();
  const other = otherOf(log);
  const mapped = other?.is_model_mapped === true ? other.upstream_model_name : undefined;
  const pictures = picturesOf(log, format.count);
  const spoken = spokenOf(log);
  const video = videoSizeOf(log);
  return [
    ...(isAdmin ? [{ name: t('logs.column.user'), value: log.username }] : []),
    ...memberItem(log, t),
    { name: t('logs.column.token'), value: log.token_name === '' ? '—' : tokenName(log, t) },
    ...(log.group === '' ? [] : [{ name: t('logs.column.group'), value: log.group }]),
    ...(mapped === undefined ? [] : [{ name: t('receipt.upstream_model'), value: mapped }]),
    ...(other?.requested_model === undefined
      ? []
      : [
          {
            name: t('receipt.requested_model'),
            value: `${other.requested_model} (${t('receipt.ended_budget', { name: other.ended_budget ?? '' })})`,
          },
        ]),
    ...(other?.session?.key === undefined
      ? []
      : [{ name: t('logs.filter.session'), value: <SessionLink id={other.session.key}>{other.session.id}</SessionLink> }]),
    ...(other?.session?.agent === undefined ? [] : [{ name: t('sessions.agent'), value: other.session.agent }]),
    ...(other?.session?.client === undefined ? [] : [{ name: t('sessions.client'), value: programName(other.session.client) }]),
    ...(other?.reasoning_effort === undefined ? [] : [{ name: t('receipt.effort'), value: other.reasoning_effort }]),
    ...(pictures === undefined ? [] : [{ name: t('receipt.pictures'), value: pictures }]),
    ...(video === undefined ? [] : [{ name: t('receipt.video'), value: video }]),
    ...useTimes(log),
    ...(spoken === undefined ? [] : [{ name: t('receipt.characters'), value: format.count(spoken) }]),
    ...(other?.task === undefined
      ? []
      : [{ name: t('receipt.task'), value: <TaskLink id={other.task.id} isDrawing={log.model_name.startsWith('mj_')} /> }]),
    { name: t('receipt.time_zone'), value: format.timeZone },
    ...(log.request_id === ''
      ? []
      : [
          {
            name: t('receipt.request_id'),
            value: <CopyText mono text={log.request_id} label={t('receipt.copy_request_id')} />,
          },
        ]),
  ];
}

/** Calls that were refused before any channel was tried: reason, number, and request ids. */
function Refusal({ log, facts, isAdmin }: { log: Log; facts: RefusalFacts; isAdmin: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const sentence = useLogSentence([log]);
  const model = facts.is_others === true ? t('logs.refusal.others') : log.model_name;
  return (
    <div className={layout.stackMd}>
      <p>
        <RefusalMark facts={facts} />
      </p>
      <p className={styles.sentence}>{sentence(log)}</p>
      <p className={styles.remark}>{t('logs.refusal.free')}</p>
      <SummaryList
        items={[
          ...(model === '' ? [] : [{ name: t('logs.column.what'), value: model }]),
          { name: t('logs.refusal.code'), value: `${facts.status} ${facts.code}` },
          { name: t('logs.refusal.count'), value: format.count(facts.count) },
          { name: t('logs.refusal.first'), value: format.dateTime(log.created_at) },
          ...(facts.last_at === log.created_at ? [] : [{ name: t('logs.refusal.last'), value: format.dateTime(facts.last_at) }]),
          ...(isAdmin ? [{ name: t('logs.column.user'), value: log.username }] : []),
          ...memberItem(log, t),
          { name: t('logs.column.token'), value: log.token_name === '' ? '—' : tokenName(log, t) },
          { name: t('logs.column.group'), value: log.group },
          { name: t('receipt.time_zone'), value: format.timeZone },
        ]}
      />
      <PanelSection title={t('receipt.request_id')}>
        {facts.request_ids.toReversed().map((id) => (
          <p key={id} className={styles.requestId}>
            <CopyText mono text={id} label={t('receipt.copy_request_id')} />
          </p>
        ))}
        {facts.count > facts.request_ids.length && <p className={styles.remark}>{t('logs.refusal.newest')}</p>}
      </PanelSection>
    </div>
  );
}

/** A credit, an administrator's act, a word of the system. */
function Entry({ log }: { log: Log }) {
  const { t } = useTranslation();
  const format = useFormat();
  const sentence = useLogSentence([log]);
  const change = changeOf(log);
  const event = otherOf(log)?.event;
  const charge = <Charge quota={Math.abs(change)} {...(isSpending(log) ? {} : { sign: change > 0 ? '+' : '−' })} />;
  return (
    <div className={layout.stackMd}>
      <p>
        <TypeTag log={log} />
      </p>
      <p className={styles.sentence}>{sentence(log)}</p>
      {isSettled(event) && <SettledReceipt log={log} event={event} />}
      {event?.code === 'task_refunded' && <TaskLink id={event.task_id} isDrawing={log.model_name.startsWith('mj_')} />}
      {event?.code === 'call_refunded' && <RowLink id={event.call}>{t('receipt.refund.call')}</RowLink>}
      <SummaryList
        items={[
          { name: t('logs.column.time'), value: format.dateTime(log.created_at) },
          ...(log.username === '' ? [] : [{ name: t('logs.column.user'), value: log.username }]),
          ...(change === 0 ? [] : [{ name: t(isSpending(log) ? 'common.receipt.charged' : 'receipt.amount'), value: charge }]),
          { name: t('receipt.time_zone'), value: format.timeZone },
        ]}
      />
    </div>
  );
}

function jsonOf(log: Log): string {
  return JSON.stringify({ ...log, other: otherOf(log) ?? log.other }, null, 2);
}
