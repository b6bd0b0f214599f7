import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { Icon, type IconName } from '#pwa/ui/controls/icon.tsx';
import styles from './nav-icon.module.css';

/** An icon of the navigation; ▲ at its corner says that behind it something needs a hand. The link's name says what. */
export function NavIcon({ name, large = false, hasAlarm }: { name: IconName; large?: boolean; hasAlarm: boolean }) {
  if (!hasAlarm) return <Icon name={name} large={large} />;
  return (
    <span className={styles.icon} data-large={large || undefined}>
      <Icon name={name} large={large} />
      <span className={styles.alarm}>
        <Glyph name="alarm" />
      </span>
    </span>
  );
}
