import { Button } from '@mantine/core';
import type { User } from '#shared/user.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { Disclosure } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { SignOutDialog, useSignOut } from './sign-out.tsx';

// Loaded when the menu is opened.
const AccountItems = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./account-items.tsx'), loadTexts('acting')]);
    return part;
  },
  (part) => part.AccountItems,
);

export function AccountMenu({ user }: { user: User }) {
  const signOut = useSignOut();
  return (
    <>
      <Disclosure
        button={(attributes) => (
          <Button {...attributes} variant="subtle" leftSection={<Icon name="user" />} rightSection={<Icon name="down" />}>
            {user.display_name || user.username}
          </Button>
        )}
      >
        {(close) => <AccountItems onDone={close} onSignOut={signOut.ask} />}
      </Disclosure>
      <SignOutDialog signOut={signOut} />
    </>
  );
}
