// What can be gone to and done without looking anything up: screens and actions that the account may use.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation, type OrganisationRight } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { ActingChoice } from '#pwa/api/acting-choice.ts';
import { useActing } from '#pwa/api/acting.ts';
import { organisationsQuery } from '#pwa/api/organisations.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSwitchAccount } from '#pwa/app/shell/use-switch-account.ts';
import { useMenuEntries } from '#pwa/app/shell/use-menu-entries.ts';
import { chooseLanguage, currentLanguage } from '#pwa/i18n/setup.ts';
import { install, useInstallWay } from '#pwa/offline/install-hint.ts';
import { useOutbox } from '#pwa/offline/outbox-store.ts';
import type { IconName } from '#pwa/ui/controls/icon.tsx';
import type { Path } from '#pwa/ui/frame/paths.ts';
import { chooseScheme, type ColorScheme, useChosenScheme } from '#pwa/ui/frame/color-scheme.ts';
import { showShortcutHelp } from '#pwa/ui/frame/shortcuts.ts';
import type { PaletteItem } from './palette-item.ts';

const schemes: readonly { scheme: ColorScheme; icon: IconName }[] = [
  { scheme: 'light', icon: 'sun' },
  { scheme: 'dark', icon: 'moon' },
  { scheme: 'auto', icon: 'system' },
];

const creations: readonly { name: string; href: string; icon: IconName; role: number; right?: OrganisationRight }[] = [
  { name: 'new_token', href: '/token?open=new', icon: 'key', role: Role.user, right: 'keys' },
  { name: 'redeem', href: '/topup', icon: 'ticket', role: Role.user, right: 'billing' },
  { name: 'new_organisation', href: '/organisations?open=new', icon: 'organisation', role: Role.user },
  { name: 'new_channel', href: '/channel/add', icon: 'channels', role: Role.admin },
  { name: 'new_codes', href: '/redemption?open=new', icon: 'ticket', role: Role.admin },
  { name: 'new_user', href: '/user/add', icon: 'users', role: Role.admin },
];

/** Screens that no menu has. */
export const unlisted: readonly { to: Path; name: string; icon: IconName; role: number; right?: OrganisationRight }[] = [
  { to: '/statement', name: 'palette.statement', icon: 'list', role: Role.user, right: 'billing' },
  { to: '/apps', name: 'palette.apps', icon: 'key', role: Role.user },
  { to: '/outbox', name: 'palette.outbox', icon: 'outbox', role: Role.user, right: 'member' },
  { to: '/user-tokens', name: 'palette.user_tokens', icon: 'key', role: Role.admin },
  { to: '/balances', name: 'palette.balances', icon: 'list', role: Role.admin },
  { to: '/invitations', name: 'palette.invitations', icon: 'users', role: Role.admin },
  { to: '/price-updates', name: 'palette.price_updates', icon: 'price', role: Role.admin },
];

/** While the user acts for an organisation: what its role may. */
function isOffered(acting: ActingChoice | null, right: OrganisationRight | undefined): boolean {
  return acting === null || (right !== undefined && mayInOrganisation(acting.role, right));
}

export function useScreens(): PaletteItem[] {
  const { t } = useTranslation();
  const role = useStoredUser()?.role ?? Role.guest;
  const acting = useActing();
  const entries = useMenuEntries();
  const waiting = useOutbox().length;
  const screens = entries.map((entry): PaletteItem => ({
    key: `screen:${entry.to}`,
    group: 'screens',
    icon: entry.icon,
    name: t(entry.name),
    href: entry.to,
  }));
  const details: Partial<Record<string, string>> = {
    '/outbox': waiting === 0 ? undefined : t('common.freshness.waiting', { count: waiting }),
  };
  return [
    ...screens,
    ...unlisted
      .filter((one) => role >= one.role && isOffered(acting, one.right))
      .map(({ to, name, icon }): PaletteItem => ({
        key: `screen:${to}`,
        group: 'screens',
        icon,
        name: t(name),
        detail: details[to],
        href: to,
      })),
  ];
}

export function useActions(onSignOut: () => void): PaletteItem[] {
  const { t } = useTranslation();
  const user = useStoredUser();
  const acting = useActing();
  const queryClient = useQueryClient();
  const switchAccount = useSwitchAccount();
  const organisations = useQuery({ ...organisationsQuery, enabled: user !== null }).data ?? [];
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
      .filter((creation) => creation.role <= role && isOffered(acting, creation.right))
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
    ...(acting === null ? [] : [act('own_account', 'user', () => void switchAccount(null))]),
    ...organisations
      .filter(({ id, status }) => id !== acting?.id && status === UserStatus.active)
      .map(({ id, name, role: held = 'reader' }): PaletteItem => ({
        key: `action:organisation:${id}`,
        group: 'actions',
        icon: 'organisation',
        name: t('palette.action.organisation', { name }),
        act: () => void switchAccount({ id, name, role: held }),
      })),
    ...(user === null ? [] : [act('sign_out', 'leave', onSignOut)]),
  ];
}
