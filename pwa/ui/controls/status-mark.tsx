import type { ReactNode } from 'react';
import { Glyph, type GlyphName } from './glyph.tsx';
import styles from './status-mark.module.css';

/**
 * `on` works · `off` disabled by a person · `auto` disabled by the system · `empty` used up too early · `spent` used as intended ·
 * `expired` · `failed` · `look` amber: slow or low · `note` grey: no action needed · `conflict` · `waiting` to be sent · `offline` not on
 * this device · `running` now · `queued` waits for its turn · `unreached` a step that has not begun.
 */
export type Status =
  | 'on'
  | 'off'
  | 'auto'
  | 'empty'
  | 'spent'
  | 'expired'
  | 'failed'
  | 'look'
  | 'note'
  | 'conflict'
  | 'waiting'
  | 'offline'
  | 'running'
  | 'queued'
  | 'unreached';

const glyphs: Record<Status, GlyphName> = {
  on: 'dot',
  off: 'square',
  auto: 'alarm',
  empty: 'basin',
  spent: 'basin',
  expired: 'clock',
  failed: 'cross',
  look: 'diamond',
  note: 'diamond',
  conflict: 'split',
  waiting: 'waiting',
  offline: 'barred',
  running: 'live',
  queued: 'clock',
  unreached: 'ring',
};

interface StatusMarkProps {
  status: Status;
  /** The word. Required: only where a column's heading says it may it be hidden, and then it is still read aloud. */
  children: ReactNode;
  wordHidden?: boolean;
  strong?: boolean;
}

/** A state as a shape and a word. */
export function StatusMark({ status, children, wordHidden = false, strong = false }: StatusMarkProps) {
  return (
    <span className={styles.status} data-status={status} data-strong={strong || undefined}>
      <Glyph name={glyphs[status]} />
      <span className={wordHidden ? styles.hidden : undefined}>{children}</span>
    </span>
  );
}
