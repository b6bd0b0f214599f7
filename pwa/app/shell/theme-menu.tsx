import { useTranslation } from 'react-i18next';
import { chooseScheme, useChosenScheme } from '#pwa/ui/frame/color-scheme.ts';
import { Disclosure, DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon, type IconName } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';

export const themes = [
  { value: 'light', icon: 'sun' },
  { value: 'dark', icon: 'moon' },
  { value: 'auto', icon: 'system' },
] as const satisfies { value: string; icon: IconName }[];

export function ThemeMenu() {
  const { t } = useTranslation();
  const scheme = useChosenScheme();
  return (
    <Disclosure
      button={(attributes) => (
        <PlainIconButton {...attributes} label={t('frame.theme.label')} title={t('frame.theme.label')}>
          <Icon name={themes.find((theme) => theme.value === scheme)?.icon ?? 'system'} />
        </PlainIconButton>
      )}
    >
      {(close) =>
        themes.map((theme) => (
          <DisclosureItem
            key={theme.value}
            icon={<Icon name={theme.icon} />}
            isChosen={scheme === theme.value}
            onClick={() => {
              chooseScheme(theme.value);
              close();
            }}
          >
            {t(`frame.theme.${theme.value}`)}
          </DisclosureItem>
        ))
      }
    </Disclosure>
  );
}
