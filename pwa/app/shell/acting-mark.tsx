import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ActingChoice } from '#pwa/api/acting-choice.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './acting-mark.module.css';

/** Says on whose behalf the tab acts, and leads there. */
export function ActingMark({ acting }: { acting: ActingChoice }) {
  const { t } = useTranslation();
  const label = t('acting.on_behalf', { name: acting.name });
  return (
    <Link
      className={`${control.bare} ${typography.small} ${styles.mark}`}
      to="/organisation/$id"
      params={{ id: String(acting.id) }}
      aria-label={label}
      title={label}
    >
      <span className={styles.name}>
        <Icon name="organisation" />
        <bdi className={typography.ellipsis}>{acting.name}</bdi>
      </span>
    </Link>
  );
}
