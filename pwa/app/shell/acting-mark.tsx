import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ActingChoice } from '#pwa/api/acting-choice.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './acting-mark.module.css';

interface ActingMarkProps {
  acting: ActingChoice;
  /** On a phone: a line under the title, unless the title is the same. */
  under?: string;
}

/** Says on whose behalf the tab acts; at a desk it leads there. */
export function ActingMark({ acting, under }: ActingMarkProps) {
  const { t } = useTranslation();
  const label = t('acting.on_behalf', { name: acting.name });
  const content = (
    <>
      <Icon name="organisation" />
      <bdi className={typography.ellipsis} aria-hidden="true">
        {acting.name}
      </bdi>
      <span className="visually-hidden">{label}</span>
    </>
  );
  if (under !== undefined) {
    return <span className={under === acting.name ? 'visually-hidden' : `${typography.note} ${styles.under}`}>{content}</span>;
  }
  return (
    <Link
      className={`${control.bare} ${typography.small} ${styles.mark}`}
      to="/organisation/$id"
      params={{ id: String(acting.id) }}
      title={label}
    >
      <span className={styles.name}>{content}</span>
    </Link>
  );
}
