import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** That an edit waits to be sent; one in conflict waits for a choice, which is made in the outbox. */
export function QueuedMark({ isInConflict, children }: { isInConflict: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  if (!isInConflict) return <StatusMark status="waiting">{children}</StatusMark>;
  return (
    <Link to="/outbox">
      <StatusMark status="conflict">{t('personal.conflict')}</StatusMark>
    </Link>
  );
}
