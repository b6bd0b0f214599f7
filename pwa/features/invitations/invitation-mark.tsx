import { useTranslation } from 'react-i18next';
import type { Invitation } from '#shared/invitations.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

const states = ['open', 'expired', 'accepted', 'withdrawn'] as const;
const marks: Record<(typeof states)[number], Status> = { open: 'on', expired: 'expired', accepted: 'off', withdrawn: 'off' };

/** How an invitation stands; while it is open, what became of its mail. */
export function InvitationMark({ invitation: { state, mail } }: { invitation: Invitation }) {
  const { t } = useTranslation();
  const known = states.find((one) => one === state) ?? 'withdrawn';
  if (known === 'open' && mail !== 'none')
    return <StatusMark status={mail === 'failed' ? 'failed' : marks.open}>{t(`invitations.mail.${mail}`)}</StatusMark>;
  return <StatusMark status={marks[known]}>{t(`invitations.state.${known}`)}</StatusMark>;
}
