import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { Organisation } from '#shared/organisations.ts';
import { useActing } from '#pwa/api/acting.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { LoadFailure, NotOnDevice, SkeletonLines } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { OrganisationLevels } from './organisation-levels.tsx';
import styles from './organisations.module.css';
import { type OrganisationSearch, type OrganisationTab, tabs } from './organisation-search.ts';
import { organisationQuery } from './queries.ts';
import { MemberPart, MembersTab, type TabProps, useMembers } from './members-tab.tsx';

const InvitePanel = lazyPart(
  () => import('./invite-panel.tsx'),
  (part) => part.InvitePanel,
  <PanelSpace />,
);
const TeamsTab = lazyPart(
  () => import('./teams-tab.tsx'),
  (part) => part.TeamsTab,
);
const NewTeamButton = lazyPart(
  () => import('./teams-tab.tsx'),
  (part) => part.NewTeamButton,
);
const TeamPart = lazyPart(
  () => import('./teams-tab.tsx'),
  (part) => part.TeamPart,
  <PanelSpace />,
);
const UsageTab = lazyPart(
  () => import('./usage-tab.tsx'),
  (part) => part.UsageTab,
);
const InvitesTab = lazyPart(
  () => import('./invites-tab.tsx'),
  (part) => part.InvitesTab,
);
const SettingsTab = lazyPart(
  () => import('./settings-tab.tsx'),
  (part) => part.SettingsTab,
);

interface OrganisationScreenProps {
  id: number;
  search: OrganisationSearch;
  onSearch: (change: Partial<OrganisationSearch>) => void;
  /** Acts for the organisation, or for the user again. */
  onSwitch: (organisation: Organisation | null) => void;
}

/** One organisation: its wallet, members, teams, usage, invitations and settings. */
export function OrganisationScreen({ id, search, onSearch, onSwitch }: OrganisationScreenProps) {
  const { t } = useTranslation();
  const query = useQuery(organisationQuery(id));
  const organisation = query.data;
  if (organisation === undefined) {
    return (
      <Screen title={t('organisations.one')} back="/organisations" layout={query.error === null ? 'list' : 'page'}>
        {query.error !== null ? (
          <LoadFailure what={t('organisations.one')} error={query.error} onRetry={() => void query.refetch()} />
        ) : query.fetchStatus === 'paused' ? (
          <NotOnDevice />
        ) : (
          <Shape />
        )}
      </Screen>
    );
  }
  return <Loaded organisation={organisation} search={search} onSearch={onSearch} onSwitch={onSwitch} />;
}

/** What is on its way: two levels above a list. */
function Shape() {
  return (
    <>
      <div className={styles.levels}>
        <section className={styles.level}>
          <SkeletonLines lines={3} />
        </section>
        <section className={styles.level}>
          <SkeletonLines lines={3} />
        </section>
      </div>
      <SkeletonLines lines={10} />
    </>
  );
}

const inviting = 'invite';

function Loaded({ organisation, search, onSearch, onSwitch }: Omit<OrganisationScreenProps, 'id'> & { organisation: Organisation }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const isTouched = useIsTouched();
  const acting = useActing();
  const { role = 'reader' } = organisation;
  const manages = mayInOrganisation(role, 'manage');
  const offered = tabs.filter((tab) => tab !== 'invites' || manages);
  const tab = offered.find((one) => one === search.tab) ?? 'members';
  const props: TabProps = { organisation, search, onSearch, manages };
  const state = useMembers(props, tab === 'members');
  const isInviting = search.open === inviting;
  const isActing = acting?.id === organisation.id;
  const handleClose = (): void => onSearch({ open: undefined });
  return (
    <Screen
      title={organisation.name}
      {...(isActing ? {} : { back: '/organisations' as const })}
      layout={tab === 'settings' ? 'page' : 'list'}
      facts={isTouched ? undefined : <Facts organisation={organisation} />}
      actions={
        <>
          {!isActing && <Button onClick={() => onSwitch(organisation)}>{t('organisations.switch')}</Button>}
          {manages && (
            <InviteButton
              isMain={search.open === undefined && state.many === undefined && tab !== 'settings'}
              onInvite={() => onSearch({ open: inviting })}
            />
          )}
        </>
      }
      panelFollows
      panel={
        isInviting && manages ? (
          <InvitePanel organisation={organisation} onClose={handleClose} />
        ) : tab === 'members' ? (
          (state.many !== undefined || state.opened.row !== undefined) && <MemberPart {...props} state={state} />
        ) : (
          tab === 'teams' && search.open !== undefined && <TeamPart key={search.open} {...props} />
        )
      }
    >
      {/* On a phone they are the height of the screen, with the list of each tab below. */}
      {(!isPhone || tab === 'members') && (
        <OrganisationLevels organisation={organisation} onSettings={() => onSearch({ tab: 'settings', open: undefined })} />
      )}
      <Tabs offered={offered} tab={tab} onSearch={onSearch}>
        {tab === 'teams' && manages && <NewTeamButton onSearch={onSearch} />}
      </Tabs>
      {tab === 'members' && <MembersTab {...props} state={state} />}
      {tab === 'teams' && <TeamsTab {...props} />}
      {tab === 'usage' && <UsageTab {...props} />}
      {tab === 'invites' && <InvitesTab {...props} />}
      {tab === 'settings' && <SettingsTab {...props} onSwitch={onSwitch} />}
    </Screen>
  );
}

interface TabsProps extends Pick<OrganisationScreenProps, 'onSearch'> {
  offered: readonly OrganisationTab[];
  tab: OrganisationTab;
  /** What can be done in the tab. */
  children: ReactNode;
}

function Tabs({ offered, tab, onSearch, children }: TabsProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.tabs}>
      <Segments
        label={t('organisations.tab.label')}
        value={tab}
        options={offered.map((value) => ({ value, label: t(`organisations.tab.${value}`) }))}
        onChange={(value) =>
          onSearch({
            tab: value === 'members' ? undefined : value,
            open: undefined,
            p: undefined,
            keyword: undefined,
            part: undefined,
            member: undefined,
            team: undefined,
          })
        }
      />
      <span className={styles.space} />
      {children}
    </div>
  );
}

function Facts({ organisation: { members, tokens, role = 'reader' } }: { organisation: Organisation }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      <SummaryItem label={t('organisations.column.members')}>{format.count(members)}</SummaryItem>
      <SummaryItem label={t('organisations.column.tokens')}>{format.count(tokens)}</SummaryItem>
      <SummaryItem label={t('organisations.column.your_role')}>{t(`acting.role.${role}`)}</SummaryItem>
    </>
  );
}

function InviteButton({ isMain, onInvite }: { isMain: boolean; onInvite: () => void }) {
  const { t } = useTranslation();
  return (
    <OnlineButton
      variant={isMain ? 'filled' : 'default'}
      icon={<Icon name="plus" />}
      onClick={onInvite}
      label={t('organisations.invite.action')}
    />
  );
}
