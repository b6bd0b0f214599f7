import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';

/** The library's password field, with the console's eye, which the keyboard reaches too. */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      visibilityToggleIcon={({ reveal }) => <Icon name={reveal ? 'eye-off' : 'eye'} />}
      visibilityToggleButtonProps={{ 'aria-label': t('session.login.show_password'), tabIndex: 0 }}
      {...props}
    />
  );
}
