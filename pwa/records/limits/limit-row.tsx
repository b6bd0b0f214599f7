import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import control from '#pwa/ui/styles/control.module.css';
import styles from './limits.module.css';

interface LimitRowProps {
  /** Name of the limit, for its button. */
  name: string;
  /** Draws the level, with what opens it after the name. */
  level: (chevron: ReactNode) => ReactNode;
  isOpen: boolean;
  /** Its first field gets the focus when it appears. */
  takesFocus?: boolean;
  /** Undefined: there is nothing to open. */
  onToggle: (() => void) | undefined;
  children: () => ReactNode;
}

/** A limit as a line that opens in place. */
export function LimitRow({ name, level, isOpen, takesFocus = false, onToggle, children }: LimitRowProps) {
  const id = useId();
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) body.current?.querySelector('input')?.focus();
  }, [takesFocus]);
  const chevron = onToggle !== undefined && (
    <span className={styles.chevron}>
      <Icon name={isOpen ? 'down' : 'right'} />
    </span>
  );
  return (
    <li className={styles.row} data-open={isOpen || undefined}>
      <div className={styles.head} data-opens={onToggle !== undefined || undefined}>
        {level(chevron)}
        {onToggle !== undefined && (
          <button
            type="button"
            className={`${control.bare} ${styles.toggle}`}
            aria-label={name}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={onToggle}
          />
        )}
      </div>
      <div className={styles.body} id={id} ref={body} hidden={!isOpen}>
        {isOpen && children()}
      </div>
    </li>
  );
}
