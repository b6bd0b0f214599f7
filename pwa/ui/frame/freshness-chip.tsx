import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from './breakpoint.ts';
import styles from './freshness-chip.module.css';
import { Glyph, type GlyphName } from '#pwa/ui/controls/glyph.tsx';

export interface Freshness {
  /** `failing`: the server answers, and fails at what is on screen. */
  connection: 'online' | 'offline' | 'server_away' | 'failing';
  /** How old what is shown is; undefined: nothing is shown yet. */
  ageSeconds: number | undefined;
  /** Queued edits, those in conflict included. */
  waiting: number;
  conflicts: number;
}

const freshSeconds = 60;

/**
 * One chip that says how far what is shown can be trusted. At most two segments. What is around it takes its name from
 * `useFreshnessLabels`: that says all of it.
 */
export function FreshnessChip({ connection, ageSeconds, waiting, conflicts }: Freshness) {
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
            <span>{ageText(ageSeconds, isPhone)}</span>
          </>
        )}
      </Segment>,
    );
  else if (connection === 'server_away')
    segments.push(<Segment key="away" kind="away" glyph="cross" text={t('common.freshness.server_away')} />);
  else if (connection === 'failing')
    segments.push(<Segment key="failing" kind="away" glyph="cross" text={t('common.freshness.failing')} />);
  else if (isOld && waiting === 0) return <Chip>{age(ageSeconds)}</Chip>;
  else segments.push(<Segment key="live" kind="live" glyph="live" text={t('common.freshness.live')} />);

  if (waiting > 0)
    segments.push(
      <Segment
        key="waiting"
        kind="wait"
        glyph="waiting"
        text={t(isPhone ? 'common.freshness.waiting_brief' : 'common.freshness.waiting', { count: waiting })}
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

export interface FreshnessLabels {
  /** The whole state with its age, however many segments show: `offline, 3 min old, 2 edits waiting`. */
  whole: string;
  /** The same without what passing time alone changes: for what is read aloud when it changes. */
  state: string;
}

export function useFreshnessLabels({ connection, ageSeconds, waiting, conflicts }: Freshness): FreshnessLabels {
  const { t } = useTranslation();
  const isOld = ageSeconds !== undefined && ageSeconds >= freshSeconds;
  const age = ageSeconds === undefined || (connection === 'online' && !isOld) ? [] : [ageWords(ageSeconds)];
  const kind = t(`common.freshness.is.${connection}`);
  // What is old is not called live.
  const first = connection === 'online' && isOld ? [] : [kind];
  const edits = [
    ...(waiting > 0 ? [t('common.freshness.waiting', { count: waiting })] : []),
    ...(conflicts > 0 ? [t('common.freshness.conflicts', { count: conflicts })] : []),
  ];
  const join = (parts: string[]): string => parts.join(t('common.freshness.comma'));
  return { whole: join([...first, ...age, ...edits]), state: join([kind, ...edits]) };

  function ageWords(seconds: number): string {
    const { unit, count } = ageOf(seconds);
    return t(`common.freshness.age.${unit}`, { count });
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
    <span className={styles.chip} data-part="freshness" aria-hidden="true">
      {children}
    </span>
  );
}

interface SegmentProps {
  kind: string;
  glyph: GlyphName;
  text: string;
  children?: ReactNode;
}

function Segment({ kind, glyph, text, children }: SegmentProps) {
  return (
    <span className={styles.segment} data-kind={kind}>
      <Glyph name={glyph} />
      <span>{text}</span>
      {children}
    </span>
  );
}
