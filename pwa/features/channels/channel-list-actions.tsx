import { ActionIcon } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { OnlineButton, useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Disclosure, DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';

export function AddChannelButton({ variant, onAdd }: { variant: 'default' | 'filled'; onAdd: () => void }) {
  const { t } = useTranslation();
  const label = t('channels.action.add');
  return <OnlineButton variant={variant} icon={<Icon name="plus" />} onClick={onAdd} label={label} />;
}

/** What is done to channels without ticking them. */
export function AllChannelsMenu({ onDeleteDisabled }: { onDeleteDisabled: () => void }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  return (
    <Disclosure
      button={(attributes) => (
        <ActionIcon variant="default" aria-label={t('channels.action.more_all')} {...attributes}>
          <Icon name="more" />
        </ActionIcon>
      )}
    >
      {(close) => (
        <DisclosureItem
          icon={<Icon name="trash" />}
          onClick={() => {
            close();
            if (isOnline) onDeleteDisabled();
          }}
        >
          {needs(t('channels.action.delete_disabled'))}
        </DisclosureItem>
      )}
    </Disclosure>
  );
}
