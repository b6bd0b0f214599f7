import { useEffect, useRef } from 'react';
import styles from './checkbox.module.css';

interface TickBoxProps {
  /** Announced by screen readers; there is no visible word. */
  label: string;
  isTicked: boolean;
  isMixed?: boolean;
  onChange: () => void;
}

/** Ticks a row. A plain box: hundreds of them stay light. */
export function Checkbox({ label, isTicked, isMixed = false, onChange }: TickBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <span className={styles.box}>
      <input ref={box} type="checkbox" aria-label={label} checked={isTicked} onChange={onChange} />
    </span>
  );
}
