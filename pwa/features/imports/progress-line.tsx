import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './imports.module.css';

interface ProgressLineProps {
  name: string;
  text: string;
  facts?: readonly string[];
  done: number;
  all: number;
}

const none: readonly string[] = [];

/** A bed that fills, with its figures above. */
export function ProgressLine({ name, text, facts = none, done, all }: ProgressLineProps) {
  const share = all === 0 ? 0 : Math.min(100, (done / all) * 100);
  return (
    <div className={layout.stackSm}>
      <span className={`${typography.compact} ${styles.figures}`}>
        <b role="status">{text}</b>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      <span
        className={styles.bed}
        role="progressbar"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share)}
        aria-valuetext={text}
      >
        <i style={{ width: `${share}%` }} />
      </span>
    </div>
  );
}
