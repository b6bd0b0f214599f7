import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton, CopyIcon, CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Tag } from '#pwa/ui/controls/tag.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { PanelSection, SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { Clips } from './clip-list.tsx';
import { drawingButtons } from './drawing-buttons.ts';
import { Picture } from './picture.tsx';
import { Duration, Progress, TaskMark, useActionText, useCodeText } from './task-labels.tsx';
import { durationOf, isUnfinished, type MadeVideo, type TaskRow } from './task-row.ts';
import styles from './tasks.module.css';
import { VideoPlayer } from './video-player.tsx';

interface TaskPanelProps {
  row: TaskRow;
  isAdmin: boolean;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One drawing, piece of music or video in full. */
export function TaskPanel({ row, isAdmin, onClose, onPrevious, onNext }: TaskPanelProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const actionText = useActionText();
  const json = JSON.stringify(row.source, null, 2);
  const copyJson = <CopyButton variant="subtle" label={t('tasks.panel.json')} text={json} />;
  const channelLink = isAdmin && row.channel > 0 && (
    <Button
      leftSection={<Icon name="channels" />}
      renderRoot={(attributes) => <Link {...attributes} to="/channel/edit/$id" params={{ id: String(row.channel) }} />}
    >
      {t('tasks.panel.channel', { id: row.channel })}
    </Button>
  );
  const logLink = row.quota > 0 && row.requestId !== undefined && (
    <Button
      leftSection={<Icon name="list" />}
      renderRoot={(attributes) => <Link {...attributes} to="/log" search={{ request: row.requestId }} />}
    >
      {t('tasks.panel.log')}
    </Button>
  );
  return (
    <SidePanel
      title={actionText(row.action)}
      note={`#${row.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      foot={
        <>
          {logLink}
          {channelLink}
          {!isPhone && <span className={styles.space} />}
          {copyJson}
        </>
      }
    >
      <div className={styles.head}>
        <TaskMark row={row} />
        {isUnfinished(row) && <Progress row={row} />}
      </div>
      {row.standing === 'failed' && <Failure row={row} />}
      {row.kind === 'drawing' && <DrawingPicture row={row} />}
      {row.video !== undefined && <VideoPart row={row} video={row.video} />}
      <Clips clips={row.clips} />
      {row.lyrics !== '' && (
        <PanelSection title={t('tasks.panel.lyrics')} aside={<CopyIcon text={row.lyrics} label={t('tasks.panel.copy_lyrics')} />}>
          <p className={styles.text}>{row.lyrics}</p>
        </PanelSection>
      )}
      <Prompts row={row} />
      <Buttons row={row} />
      <PanelSection>
        <SummaryList items={useSummary(row, isAdmin)} />
      </PanelSection>
      <Fold title={t('tasks.panel.raw')}>{() => <pre className={`${typography.small} ${styles.raw}`}>{json}</pre>}</Fold>
    </SidePanel>
  );
}

/** Why it failed, and what became of the money. */
function Failure({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  const money = row.quota === 0 ? 'not_charged' : row.refunded >= row.quota ? 'refunded' : 'charged';
  return (
    <figure className={styles.failure}>
      <figcaption>{t('tasks.panel.reason')}</figcaption>
      <blockquote>{serverWords(t, row.failReason) || t('tasks.panel.no_reason')}</blockquote>
      <p>{t(`tasks.panel.money.${money}`)}</p>
    </figure>
  );
}

function DrawingPicture({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  const imageUrl = 'image_url' in row.source ? row.source.image_url : '';
  if (row.picture === undefined) {
    if (imageUrl === '') return null;
    return (
      <div className={`${layout.stackSm} ${styles.part}`}>
        <p className={typography.muted}>{t('tasks.picture.refused')}</p>
        <CopyText mono text={imageUrl} label={t('tasks.picture.copy')} />
      </div>
    );
  }
  return (
    <div className={`${layout.stackSm} ${styles.large}`}>
      <Picture src={row.picture} kind="drawing" alt={row.prompt || t('tasks.no_prompt')} canRetry />
      <a className={styles.link} href={row.picture} target="_blank" rel="noreferrer noopener">
        <Icon name="link" />
        {t('tasks.picture.open')}
      </a>
    </div>
  );
}

/** A program has it by the call. */
function VideoPart({ row, video: { source, size } }: { row: TaskRow; video: MadeVideo }) {
  const { t } = useTranslation();
  if (source === undefined) return null;
  return (
    <div className={`${layout.stackSm} ${styles.large}`}>
      <VideoPlayer
        source={source}
        poster={row.picture}
        size={size}
        name={row.prompt || t('tasks.no_prompt')}
        file={row.upstreamId || String(row.id)}
      />
      <CopyText mono text={`GET /v1/videos/${row.upstreamId}/content`} label={t('tasks.video.copy_call')} />
    </div>
  );
}

function Prompts({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  const english = 'prompt_en' in row.source ? row.source.prompt_en : '';
  const parts = [
    { name: t('tasks.panel.prompt'), text: row.prompt },
    { name: t('tasks.panel.prompt_en'), text: english === row.prompt ? '' : english },
  ].filter(({ text }) => text !== '');
  return parts.map(({ name, text }) => (
    <PanelSection key={name} title={name} aside={<CopyIcon text={text} label={t('tasks.panel.copy', { name })} />}>
      <p className={styles.text}>{text}</p>
    </PanelSection>
  ));
}

/** Follow-up actions, by the id that a call names. */
function Buttons({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  const buttons = 'buttons' in row.source ? drawingButtons(row.source.buttons) : [];
  if (buttons.length === 0) return null;
  return (
    <PanelSection title={t('tasks.panel.buttons')}>
      <ul className={styles.buttons}>
        {buttons.map(({ label, customId }, index) => (
          <li key={index}>
            <Tag>{label}</Tag>
            {customId !== '' && <CopyIcon text={customId} label={t('tasks.panel.copy_action', { name: label })} />}
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function useSummary(row: TaskRow, isAdmin: boolean) {
  const { t } = useTranslation();
  const format = useFormat();
  const codeText = useCodeText();
  const moment = (at: number): string => (at > 0 ? format.dateTime(Math.floor(at / 1000)) : '—');
  const duration = durationOf(row);
  const { source } = row;
  return [
    ...(isAdmin ? [{ name: t('tasks.column.user'), value: row.username }] : []),
    ...(row.channelName === '' ? [] : [{ name: t('tasks.column.channel'), value: `${row.channelName} #${row.channel}` }]),
    ...('code' in source ? [{ name: t('tasks.column.code'), value: codeText(source.code) }] : []),
    { name: t('tasks.column.submitted'), value: moment(row.submitted) },
    { name: t('tasks.column.started'), value: moment(row.started) },
    { name: t('tasks.column.finished'), value: moment(row.finished) },
    { name: t('tasks.column.duration'), value: duration === undefined ? '—' : <Duration milliseconds={duration} /> },
    ...('updated_at' in source && isUnfinished(row) ? [{ name: t('tasks.panel.updated'), value: moment(source.updated_at * 1000) }] : []),
    ...(row.video === undefined
      ? []
      : [
          { name: t('tasks.column.model'), value: row.video.model },
          { name: t('tasks.column.video'), value: `${t('tasks.video.seconds', { count: row.video.seconds })} · ${row.video.size}` },
        ]),
    { name: t('tasks.panel.charged'), value: row.quota === 0 ? t('tasks.not_charged') : <Charge quota={row.quota} /> },
    ...(row.refunded > 0 ? [{ name: t('tasks.panel.given_back'), value: <Charge quota={row.refunded} sign="+" /> }] : []),
    { name: t('tasks.panel.time_zone'), value: format.timeZone },
    ...(row.upstreamId === ''
      ? []
      : [{ name: t('tasks.column.id'), value: <CopyText mono text={row.upstreamId} label={t('tasks.panel.copy_id')} /> }]),
  ];
}
