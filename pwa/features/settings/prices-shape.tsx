import { Still } from '#pwa/ui/frame/query-state.tsx';
import styles from './settings.module.css';

/** Prices on their way: tools, then a row of the height that it will have for each model. */
export function PricesShape() {
  return (
    <Still>
      <div className={styles.pricesShape}>
        {Array.from({ length: 20 }, (_, index) => (
          <span key={index}>
            <i style={{ width: `${30 - ((index * 7) % 13)}%` }} />
            <i />
          </span>
        ))}
      </div>
    </Still>
  );
}
