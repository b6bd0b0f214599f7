import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { Organisation } from '#shared/organisations.ts';
import { useActing } from '#pwa/api/acting.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import type { TabProps } from './members-tab.tsx';

interface UsageLinksProps {
  organisation: Organisation;
  /** Id of whose calls. */
  of: { member: number } | { team: number };
  onSearch: TabProps['onSearch'];
}

/** Leads to the usage of a member or a team by model, and to its calls; nothing for who does not read usage. */
export function UsageLinks({ organisation: { id, role = 'reader' }, of, onSearch }: UsageLinksProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const acting = useActing();
  if (!mayInOrganisation(role, 'usage')) return null;
  return (
    <span className={layout.wrap}>
      <Button size="compact-sm" onClick={() => onSearch({ tab: 'usage', by: 'model', ...of, open: undefined, part: undefined })}>
        {t('organisations.usage.by_model')}
      </Button>
      {/* The log is that of the account for which the user acts. */}
      {acting?.id === id && (
        <Button size="compact-sm" onClick={() => void navigate({ to: '/log', search: { ...of, range: 'this_month' } })}>
          {t('organisations.usage.log')}
        </Button>
      )}
    </span>
  );
}
