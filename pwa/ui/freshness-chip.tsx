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
    segments.push(<Segment key="offline" kind="off" glyph="barred" text={t('common.freshness.offline')} />);
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
  else if (connection === 'offline' && isOld) segments.push(age(ageSeconds));
  return <Chip>{segments}</Chip>;

  function age(seconds: number): ReactNode {
    return <Segment key="age" kind="age" glyph="clock" text={ageText(seconds)} />;
  }
  function ageText(seconds: number): string {
    if (seconds < 3600) return t('common.freshness.minutes', { count: Math.floor(seconds / 60) });
    if (seconds < 86_400) return t('common.freshness.hours', { count: Math.floor(seconds / 3600) });
    return t('common.freshness.days', { count: Math.floor(seconds / 86_400) });
  }
}

function Chip({ children }: { children: ReactNode }) {
  return (
    <span className={styles.chip} role="status">
      {children}
    </span>
  );
}

/** `brief` is what a phone's bar has room for beside the screen's title; the whole is read aloud. */
function Segment({ kind, glyph, text, brief }: { kind: string; glyph: GlyphName; text: string; brief?: string | undefined }) {
  return (
    <span className={styles.segment} data-kind={kind}>
      <Glyph name={glyph} />
      {brief === undefined ? (
        text
      ) : (
        <>
          <span aria-hidden="true">{brief}</span>
          <span className="visually-hidden">{text}</span>
        </>
      )}
    </span>
  );
}
