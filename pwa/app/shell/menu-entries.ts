import { mayInOrganisation, type OrganisationRight, type OrganisationRole } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import type { SiteStatus } from '#shared/site.ts';
import { actingId } from '#pwa/api/acting.ts';
import type { IconName } from '#pwa/ui/controls/icon.tsx';
import type { Path } from '#pwa/ui/frame/paths.ts';

export interface MenuEntry {
  to: Path;
  /** Key of the name. */
  name: string;
  /** Key of the name in the bottom bar, for entries that may stand there. */
  short?: string;
  icon: IconName;
  /** Least role that sees it. */
  role: number;
  section: MenuSection;
  /** Right that it needs while the user acts for an organisation; absent: it is not there then. */
  right?: OrganisationRight;
  /** Its name meanwhile. */
  actingName?: string;
}

/** Groups of entries, in their order; all but the first have a heading, `shell.menu.<section>`. */
export const menuSections = ['main', 'own', 'admin'] as const;
type MenuSection = (typeof menuSections)[number];

const entries: readonly MenuEntry[] = [
  {
    to: '/',
    name: 'shell.menu.home',
    short: 'shell.menu.home_short',
    icon: 'home',
    role: Role.user,
    section: 'main',
    right: 'member',
    actingName: 'shell.menu.overview',
  },
  { to: '/detail', name: 'shell.menu.dashboard', icon: 'chart', role: Role.user, section: 'main', right: 'usage' },
  {
    to: '/token',
    name: 'shell.menu.tokens',
    short: 'shell.menu.tokens_short',
    icon: 'key',
    role: Role.user,
    section: 'main',
    right: 'keys',
  },
  { to: '/log', name: 'shell.menu.logs', short: 'shell.menu.logs_short', icon: 'list', role: Role.user, section: 'main', right: 'member' },
  { to: '/midjourney', name: 'shell.menu.drawings', icon: 'picture', role: Role.user, section: 'main', right: 'usage' },
  { to: '/task', name: 'shell.menu.tasks', icon: 'music', role: Role.user, section: 'main', right: 'usage' },
  {
    to: '/topup',
    name: 'shell.menu.wallet',
    short: 'shell.menu.wallet',
    icon: 'wallet',
    role: Role.user,
    section: 'own',
    right: 'billing',
  },
  {
    to: '/pricing',
    name: 'shell.menu.pricing',
    short: 'shell.menu.pricing_short',
    icon: 'price',
    role: Role.guest,
    section: 'main',
    right: 'member',
  },
  { to: '/status', name: 'shell.menu.status', icon: 'pulse', role: Role.guest, section: 'main', right: 'member' },
  { to: '/first-call', name: 'shell.menu.first_call', icon: 'play', role: Role.user, section: 'main' },
  { to: '/playground', name: 'shell.menu.playground', icon: 'spark', role: Role.user, section: 'main' },
  { to: '/chat', name: 'shell.menu.chat', icon: 'chat', role: Role.user, section: 'main' },
  {
    to: '/organisations',
    name: 'shell.menu.organisations',
    icon: 'organisation',
    role: Role.user,
    section: 'own',
    right: 'member',
  },
  { to: '/personal', name: 'shell.menu.personal', icon: 'user', role: Role.user, section: 'own', right: 'member' },
  { to: '/about', name: 'shell.menu.about', icon: 'book', role: Role.guest, section: 'own', right: 'member' },
  { to: '/channel', name: 'shell.menu.channels', icon: 'channels', role: Role.admin, section: 'admin' },
  { to: '/redemption', name: 'shell.menu.redemptions', icon: 'ticket', role: Role.admin, section: 'admin' },
  { to: '/user', name: 'shell.menu.users', icon: 'users', role: Role.admin, section: 'admin' },
  { to: '/bill', name: 'shell.menu.bills', icon: 'bill', role: Role.admin, section: 'admin' },
  { to: '/audit-log', name: 'shell.menu.audit_log', icon: 'audit', role: Role.admin, section: 'admin' },
  { to: '/backup', name: 'shell.menu.backups', icon: 'archive', role: Role.root, section: 'admin' },
  { to: '/import', name: 'shell.menu.imports', icon: 'download', role: Role.root, section: 'admin' },
  { to: '/setting', name: 'shell.menu.settings', icon: 'settings', role: Role.admin, section: 'admin' },
];

/** The entries that a role sees. The dashboard can be turned off; drawings and tasks are there once the site says so, chat applications where it has some. @param acting role in the organisation on whose behalf the user acts */
export function menuEntries(role: number, status: SiteStatus | undefined, acting?: OrganisationRole): MenuEntry[] {
  const isThere: Partial<Record<string, boolean>> = {
    '/detail': status?.enable_data_export ?? true,
    '/midjourney': status?.enable_drawing ?? false,
    '/task': status?.enable_task ?? false,
    '/status': status?.status_page === 'public' || (status?.status_page === 'members' && role >= Role.user),
    // Known to be none.
    '/chat': status?.chats === undefined || status.chats.length > 0,
  };
  const shown = entries.filter((entry) => entry.role <= role && isThere[entry.to] !== false);
  if (acting === undefined) return shown;
  return shown
    .filter(({ right }) => right !== undefined && mayInOrganisation(acting, right))
    .map(({ actingName, ...entry }) => (actingName === undefined ? entry : { ...entry, name: actingName, short: actingName }));
}

/** Entries of the phone's bar, apart from "more". */
const barPlaces = 4;

/** What of them stands in the phone's bar; the rest is under "more". */
export function barEntries(all: readonly MenuEntry[]): MenuEntry[] {
  return all.filter((entry) => entry.short !== undefined).slice(0, barPlaces);
}

/** Screens without an entry, and the entry whose screen leads to them. */
const parents: Partial<Record<string, Path>> = {
  '/apps': '/token',
  '/balances': '/user',
  '/invitations': '/user',
  '/price-updates': '/setting',
  '/statement': '/topup',
  '/user-tokens': '/user',
};

/** The entry whose screen leads to that of a path, which has none. */
export function parentOf(path: string): Path | undefined {
  const organisation = /^\/organisation\/(\d+)$/.exec(path)?.[1];
  if (organisation !== undefined) return organisation === String(actingId()) ? '/' : '/organisations';
  return parents[path];
}

/** Whether a path is the screen of an entry, or one within it, as links mark it. */
export function isWithin({ to }: Pick<MenuEntry, 'to'>, path: string): boolean {
  const parent = parentOf(path);
  if (parent !== undefined) return parent === to;
  return path === to || (to !== '/' && path.startsWith(`${to}/`));
}
