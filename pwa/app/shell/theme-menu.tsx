import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Disclosure, DisclosureItem } from '#pwa/ui/disclosure.tsx';
import { Icon, type IconName } from '#pwa/ui/icon.tsx';

export const themes = [
  { value: 'light', icon: 'sun' },
  { value: 'dark', icon: 'moon' },
  { value: 'auto', icon: 'system' },
] as const satisfies { value: string; icon: IconName }[];

export function ThemeMenu() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  useBarColour();
  return (
    <Disclosure
      button={(attributes) => (
        <ActionIcon {...attributes} aria-label={t('shell.theme.label')} title={t('shell.theme.label')}>
          <Icon name={themes.find((theme) => theme.value === colorScheme)?.icon ?? 'system'} />
        </ActionIcon>
      )}
    >
      {(close) =>
        themes.map((theme) => (
          <DisclosureItem
            key={theme.value}
            icon={<Icon name={theme.icon} />}
            isChosen={colorScheme === theme.value}
            onClick={() => {
              setColorScheme(theme.value);
              close();
            }}
          >
            {t(`shell.theme.${theme.value}`)}
          </DisclosureItem>
        ))
      }
    </Disclosure>
  );
}

/** The browser's own bar takes the colour of the page. */
export function useBarColour(): void {
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--bg').trim();
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', colour);
  }, [scheme]);
}
