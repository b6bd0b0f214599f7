import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { UserStatus } from '#shared/user.ts';
import { useActing } from '#pwa/api/acting.ts';
import { organisationsQuery } from '#pwa/api/organisations.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './account-switch.module.css';
import { useSwitchAccount } from './use-switch-account.ts';

interface AccountSwitchProps {
  onDone: () => void;
  /** Without the way to all organisations, which stands next to it. */
  isBare?: boolean;
}

/** The accounts that the user can act for, the present one marked; nothing for who is in no organisation. */
export function AccountSwitch({ onDone, isBare = false }: AccountSwitchProps) {
  const { t } = useTranslation();
  const user = useStoredUser();
  const acting = useActing();
  const mine = useQuery(organisationsQuery).data?.filter(({ status }) => status === UserStatus.active);
  const switchAccount = useSwitchAccount();
  const navigate = useNavigate();
  // The one that is shown stays in the list without an answer of the server.
  const organisations = mine ?? (acting === null ? [] : [acting]);
  const choose = (organisation: Parameters<typeof switchAccount>[0]) => () => {
    onDone();
    void switchAccount(organisation);
  };
  if (isBare && organisations.length === 0) return null;
  return (
    <div className={styles.part} role="group" aria-label={t('acting.label')}>
      {organisations.length > 0 && (
        <DisclosureItem icon={<Icon name="user" />} isChosen={acting === null} onClick={choose(null)}>
          <span className={typography.ellipsis}>{user?.display_name || user?.username}</span>
          <span className={styles.note}>{t('acting.own')}</span>
        </DisclosureItem>
      )}
      {organisations.map(({ id, name, role = 'reader' }) => (
        <DisclosureItem key={id} icon={<Icon name="organisation" />} isChosen={acting?.id === id} onClick={choose({ id, name, role })}>
          <bdi className={typography.ellipsis}>{name}</bdi>
          <span className={styles.note}>{t(`acting.role.${role}`)}</span>
        </DisclosureItem>
      ))}
      {!isBare && (
        <DisclosureItem
          icon={<Icon name={organisations.length > 0 ? 'list' : 'plus'} />}
          onClick={() => {
            onDone();
            void navigate(organisations.length > 0 ? { to: '/organisations' } : { to: '/organisations', search: { open: 'new' } });
          }}
        >
          {t(organisations.length > 0 ? 'acting.all' : 'acting.found')}
        </DisclosureItem>
      )}
    </div>
  );
}
