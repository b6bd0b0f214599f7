import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from './breakpoint.ts';
import styles from './freshness-chip.module.css';
import { Glyph, type GlyphName } from './glyph.tsx';

interface FreshnessChipProps {
  connection: 'online' | 'offline' | 'server_away';
  /** How old what is shown is; undefined: nothing is shown yet. */
  ageSeconds: number | undefined;
  /** Queued edits, those in conflict included. */
  waiting: number;
  conflicts: number;
}

const freshSeconds = 60;

/** One chip that says how far what is shown can be trusted. At most two segments. */
export function FreshnessChip({ connection, ageSeconds, waiting, conflicts }: FreshnessChipProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const segments: ReactNode[] = [];
  const isOld = ageSeconds !== undefined && ageSeconds >= freshSeconds;

  if (conflicts > 0)
    segments.push(<Segment key="conflict" kind="conflict" glyph="split" text={t('common.freshness.conflicts', { count: conflicts })} />);
  else if (connection === 'offline')
    segments.push(
      <Segment key="offline" kind="off" glyph="barred" text={t('common.freshness.offline')}>
        {ageSeconds !== undefined && (
          <>
            <span aria-hidden="true">·</span>
            <Words text={ageText(ageSeconds)} brief={isPhone ? ageText(ageSeconds, true) : undefined} />
          </>
        )}
      </Segment>,
    );
  else if (connection === 'server_away')
    segments.push(<Segment key="away" kind="away" glyph="cross" text={t('common.freshness.server_away')} />);
  else if (isOld && waiting === 0) return <Chip>{age(ageSeconds)}</Chip>;
  else segments.push(<Segment key="live" kind="live" glyph="live" text={t('common.freshness.live')} />);

  if (waiting > 0)
    segments.push(
      <Segment
        key="waiting"
        kind="wait"
        glyph="waiting"
        text={t('common.freshness.waiting', { count: waiting })}
        brief={isPhone ? t('common.freshness.waiting_brief', { count: waiting }) : undefined}
      />,
    );
  return <Chip>{segments}</Chip>;

  function age(seconds: number): ReactNode {
    return <Segment key="age" kind="age" glyph="clock" text={ageText(seconds)} />;
  }
  function ageText(seconds: number, isBrief = false): string {
    const { unit, count } = ageOf(seconds);
    return isBrief ? t(`common.freshness.age_brief.${unit}`, { count }) : t(`common.freshness.age.${unit}`, { count });
  }
}

function ageOf(seconds: number): { unit: 'fresh' | 'minutes' | 'hours' | 'days'; count: number } {
  if (seconds < freshSeconds) return { unit: 'fresh', count: 0 };
  if (seconds < 3600) return { unit: 'minutes', count: Math.floor(seconds / 60) };
  if (seconds < 86_400) return { unit: 'hours', count: Math.floor(seconds / 3600) };
  return { unit: 'days', count: Math.floor(seconds / 86_400) };
}

function Chip({ children }: { children: ReactNode }) {
  return (
    <span className={styles.chip} role="status">
      {children}
    </span>
  );
}

interface SegmentProps {
  kind: string;
  glyph: GlyphName;
  text: string;
  brief?: string | undefined;
  children?: ReactNode;
}

function Segment({ kind, glyph, text, brief, children }: SegmentProps) {
  return (
    <span className={styles.segment} data-kind={kind}>
      <Glyph name={glyph} />
      <Words text={text} brief={brief} />
      {children}
    </span>
  );
}

/** `brief` is what a phone's bar has room for beside the screen's title; the whole is read aloud. */
function Words({ text, brief }: { text: string; brief: string | undefined }) {
  if (brief === undefined) return <span>{text}</span>;
  return (
    <>
      <span aria-hidden="true">{brief}</span>
      <span className="visually-hidden">{text}</span>
    </>
  );
}
