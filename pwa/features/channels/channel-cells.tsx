import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { useFailing, useFailingState, useFailingText } from '#pwa/api/failing-channels.ts';
import { channelType } from '#shared/channel-types.ts';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ManagedBy, ManagingFile } from '#pwa/ui/controls/managed-by.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Tag } from '#pwa/ui/controls/tag.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { statusInfo, statusName, type TestResult, testState } from './channel-summary.ts';
import styles from './channel-cells.module.css';

/** What a type is called in the language of the console; an unknown one by its number. */
export function typeName(type: number): string {
  const entry = channelType(type);
  if (entry === undefined) return `#${type}`;
  return currentLanguage() === 'zh' ? (entry.nameZh ?? entry.name) : entry.name;
}

/** The name, its type, and its tag where it does not stand under that. */
export function ChannelName({ channel, isByTag }: { channel: Channel; isByTag: boolean }) {
  return (
    <>
      <b title={channel.name}>{channel.name}</b>
      <small>
        {typeName(channel.type)}
        {channel.tag !== '' && !isByTag && ` · ${channel.tag}`}
        {channel.managed_by !== undefined && (
          <>
            {' · '}
            <ManagedBy file={channel.managed_by} />
          </>
        )}
      </small>
    </>
  );
}

/** The state, and in the row itself why it is so. */
export function ChannelState({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const name = statusName(channel.status);
  const reason = useStatusReason(channel);
  const failing = useFailing(channel.id);
  const whole = useFailingText();
  const short = useFailingText({ hasFiguresColumn: true });
  const failingState = useFailingState();
  const why = failing === undefined ? reason : short(failing);
  const fails = failing === undefined ? undefined : failingState(failing);
  if (useIsPhone()) {
    return (
      <span className={styles.line}>
        {/* A card has room for one of them: what fails is enabled. */}
        {fails === undefined ? (
          <StatusMark status={name}>{t(`channels.status.${name}`)}</StatusMark>
        ) : (
          <StatusMark status="failed">{fails}</StatusMark>
        )}{' '}
        · {why === '' ? typeName(channel.type) : why}
        <ManagingFile file={channel.managed_by} />
      </span>
    );
  }
  return (
    <span className={styles.state} title={failing === undefined ? reason || undefined : whole(failing)}>
      <span className={styles.marks}>
        <StatusMark status={name}>{t(`channels.status.${name}`)}</StatusMark>
        {fails !== undefined && <StatusMark status="failed">{fails}</StatusMark>}
      </span>
      {why !== '' && <small className={styles.why}>{why}</small>}
    </span>
  );
}

/** `13:52 · 401 invalid key`, `19 Nov · by ops`: the time first, as the end may be cut; '' for an enabled channel. */
function useStatusReason(channel: Channel): string {
  const { t } = useTranslation();
  const format = useFormat();
  const name = statusName(channel.status);
  if (name === 'on') return '';
  const info = statusInfo(channel);
  const isToday = info.at !== 0 && format.dayKey(info.at) === format.dayKey(Date.now() / 1000);
  const time = info.at === 0 ? '' : isToday ? format.clock(info.at) : format.date(info.at);
  const who = name === 'off' && info.by !== '' ? t('channels.status.by', { name: info.by }) : serverWords(t, info.reason);
  return [time, who].filter((part) => part !== '').join(' · ');
}

const fits = 2;

export function Groups({ groups }: { groups: readonly string[] }) {
  const ordered = [...groups].sort((one, other) => Number(other === 'default') - Number(one === 'default') || one.localeCompare(other));
  return (
    <span className={styles.tags} title={ordered.join(', ')}>
      {ordered.slice(0, fits).map((group) => (
        <Tag key={group}>{group}</Tag>
      ))}
      {ordered.length > fits && <span className={typography.muted}>+{ordered.length - fits}</span>}
    </span>
  );
}

/** How fast the last test was: figure, and the tier as a word. */
export function ResponseTime({ channel, result }: { channel: Channel; result: TestResult | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const test = testState(channel, result);
  // The state of the channel says so already, and why.
  const isReported = useFailing(channel.id)?.by === 'test';
  const isPhone = useIsPhone();
  if (test.state === 'running') return <span className={typography.muted}>{t('channels.test.running')}</span>;
  if (test.state === 'untested') return <span className={typography.muted}>{t('channels.tier.untested')}</span>;
  if (test.state === 'failed') {
    if (isReported && isPhone) return null;
    return (
      <span className={styles.stack} title={test.message}>
        <StatusMark status="failed">{t('channels.test.failed')}</StatusMark>
        {!isReported && <small className={styles.why}>{test.message}</small>}
      </span>
    );
  }
  const { tier, milliseconds } = test;
  const word = t(`channels.tier.${tier}`);
  return (
    <span className={styles.stack}>
      <span>{format.duration(milliseconds)}</span>
      <small className={styles.tier} data-tier={tier}>
        {tier === 'slow' && <StatusMark status="look">{word}</StatusMark>}
        {tier === 'very_slow' && <StatusMark status="failed">{word}</StatusMark>}
        {tier !== 'slow' && tier !== 'very_slow' && word}
      </small>
    </span>
  );
}
