// What can be gone to and done without looking anything up: screens and actions that the account may use.
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { menuEntries } from '#pwa/app/shell/menu-entries.ts';
import { chooseLanguage, currentLanguage } from '#pwa/i18n/setup.ts';
import { install, useInstallWay } from '#pwa/offline/install-hint.ts';
import { useOutbox } from '#pwa/offline/outbox-store.ts';
import type { IconName } from '#pwa/ui/controls/icon.tsx';
import { chooseScheme, type ColorScheme, useChosenScheme } from '#pwa/ui/frame/color-scheme.ts';
import { showShortcutHelp } from '#pwa/ui/frame/shortcuts.ts';
import type { PaletteItem } from './palette-item.ts';

const schemes: readonly { scheme: ColorScheme; icon: IconName }[] = [
  { scheme: 'light', icon: 'sun' },
  { scheme: 'dark', icon: 'moon' },
  { scheme: 'auto', icon: 'system' },
];

const creations: readonly { name: string; href: string; icon: IconName; role: number }[] = [
  { name: 'new_token', href: '/token?open=new', icon: 'key', role: Role.user },
  { name: 'redeem', href: '/topup', icon: 'ticket', role: Role.user },
  { name: 'new_channel', href: '/channel/add', icon: 'channels', role: Role.admin },
  { name: 'new_codes', href: '/redemption?open=new', icon: 'ticket', role: Role.admin },
  { name: 'new_user', href: '/user/add', icon: 'users', role: Role.admin },
];

export function useScreens(): PaletteItem[] {
  const { t } = useTranslation();
  const role = useStoredUser()?.role ?? Role.guest;
  const entries = menuEntries(role, useSiteStatus());
  const waiting = useOutbox().length;
  const screens = entries.map((entry): PaletteItem => ({
    key: `screen:${entry.to}`,
    group: 'screens',
    icon: entry.icon,
    name: t(entry.name),
    href: entry.to,
  }));
  if (role < Role.user) return screens;
  const further = (path: '/statement' | '/outbox', icon: IconName, detail?: string): PaletteItem => ({
    key: `screen:${path}`,
    group: 'screens',
    icon,
    name: t(`palette.${path.slice(1)}`),
    detail,
    href: path,
  });
  // No menu has these.
  return [
    ...screens,
    further('/statement', 'list'),
    further('/outbox', 'outbox', waiting === 0 ? undefined : t('common.freshness.waiting', { count: waiting })),
  ];
}

export function useActions(onSignOut: () => void): PaletteItem[] {
  const { t } = useTranslation();
  const user = useStoredUser();
  const queryClient = useQueryClient();
  const scheme = useChosenScheme();
  const installWay = useInstallWay();
  const role = user?.role ?? Role.guest;
  const otherLanguage = currentLanguage() === 'zh' ? 'en' : 'zh';
  const act = (name: string, icon: IconName, run: () => void): PaletteItem => ({
    key: `action:${name}`,
    group: 'actions',
    icon,
    name: t(`palette.action.${name}`),
    act: run,
  });
  return [
    ...creations
      .filter((creation) => creation.role <= role)
      .map(({ name, icon, href }): PaletteItem => ({
        key: `action:${name}`,
        group: 'actions',
        icon,
        name: t(`palette.action.${name}`),
        href,
      })),
    ...schemes.filter((one) => one.scheme !== scheme).map((one) => act(`theme_${one.scheme}`, one.icon, () => chooseScheme(one.scheme))),
    act(`language_${otherLanguage}`, 'language', () => void chooseLanguage(otherLanguage)),
    act('refresh', 'refresh', () => void queryClient.invalidateQueries()),
    act('shortcuts', 'list', () => showShortcutHelp(true)),
    ...(installWay === 'prompt' ? [act('install', 'download', () => void install())] : []),
    ...(user === null ? [] : [act('sign_out', 'leave', onSignOut)]),
  ];
}
