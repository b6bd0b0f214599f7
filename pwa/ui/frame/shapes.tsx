// Still shapes of what is on its way, as high as that will be, so that nothing moves when it comes.
import styles from './shapes.module.css';

/** A row of figures with their labels above. */
export function FiguresShape({ count }: { count: number }) {
  return (
    <div className={styles.figures}>
      {Array.from({ length: count }, (_, index) => (
        <span key={index}>
          <i className={styles.label} />
          <i className={styles.figure} />
        </span>
      ))}
    </div>
  );
}

/** The frame of a picture. `size`: that of a small one under figures, or of one that answers a question by itself. */
export function ChartShape({ size }: { size: 'hours' | 'question' }) {
  return (
    <div className={styles.chart} data-size={size}>
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

/** Lines of a ledger: what at the left, how much at the right. */
export function RowsShape({ rows, isTall = false }: { rows: number; isTall?: boolean }) {
  return (
    <div className={styles.rows} data-tall={isTall || undefined}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index}>
          <i style={{ width: `${62 - ((index * 17) % 29)}%` }} />
          <i className={styles.amount} />
        </span>
      ))}
    </div>
  );
}

/** A balance and its level. */
export function LevelShape() {
  return (
    <div className={styles.level}>
      <i className={styles.balance} />
      <i className={styles.meter} />
      <i className={styles.label} />
    </div>
  );
}
