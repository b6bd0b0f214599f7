import { useLayoutEffect, useRef } from 'react';
import styles from './segments.module.css';

interface SegmentsProps<Value extends string> {
  /** What is chosen, read aloud. */
  label: string;
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** One of a few: all of them in sight; where they do not fit, the chosen one. */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  const group = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const chosen = group.current?.querySelector<HTMLElement>('[aria-pressed="true"]');
    if (group.current !== null && chosen !== null && chosen !== undefined) showWithin(group.current, chosen);
  }, [value]);
  return (
    <div ref={group} className={styles.segments} role="group" aria-label={label}>
      {options.map((option) => (
        <button key={option.value} type="button" aria-pressed={option.value === value} onClick={() => onChange(option.value)}>
          {option.label}
        </button>
      ))}
    </div>
  );
}

/** Scrolls sideways alone: `scrollIntoView` would move the page, too. */
function showWithin(group: HTMLElement, chosen: HTMLElement): void {
  const [outer, inner] = [group.getBoundingClientRect(), chosen.getBoundingClientRect()];
  if (inner.right > outer.right) group.scrollLeft += inner.right - outer.right;
  else if (inner.left < outer.left) group.scrollLeft -= outer.left - inner.left;
}
