import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Organisation } from '#shared/organisations.ts';
import { actFor } from '#pwa/api/acting.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { NotOnDevice, SkeletonLines } from '#pwa/ui/frame/query-state.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './join.module.css';
import { openInviteQuery, refusalOf, useJoin } from './queries.ts';

interface JoinScreenProps {
  /** End of the link. */
  token: string;
  onJoined: (organisation: Organisation) => void;
  /** Signs in as another user. */
  onSwitch: () => void;
  onLeave: () => void;
}

/** Where the link of an invitation leads: who invites to what, and the button that joins. */
export function JoinScreen({ token, onJoined, onSwitch, onLeave }: JoinScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const user = useStoredUser();
  useScreenHeading(t('organisation_invite.title'));
  const invite = useQuery({ ...openInviteQuery(token), enabled: token !== '' });
  const join = useJoin(token);
  const refusal = token === '' ? t('organisation_invite.no_link') : refusalOf(invite.error ?? join.error);
  const name = user?.display_name || user?.username || '';

  function handleJoin(): void {
    join.mutate(undefined, {
      onSuccess: (organisation) => {
        actFor({ ...organisation, role: organisation.role ?? 'reader' });
        onJoined(organisation);
      },
    });
  }
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>
        {invite.data === undefined ? t('organisation_invite.title') : t('organisation_invite.join', { name: invite.data.organisation })}
      </h1>
      {invite.data === undefined &&
        refusal === undefined &&
        (invite.fetchStatus === 'paused' ? <NotOnDevice /> : <SkeletonLines lines={4} />)}
      {invite.data !== undefined && (
        <>
          <SummaryList
            items={[
              { name: t('organisation_invite.inviter'), value: <bdi>{invite.data.inviter}</bdi> },
              { name: t('organisation_invite.role'), value: t(`acting.role.${invite.data.role}`) },
              { name: t('organisation_invite.until'), value: format.dateTime(invite.data.expires_at) },
              { name: t('organisation_invite.account'), value: <bdi>{name}</bdi> },
            ]}
          />
          <p className={typography.note}>{t('organisation_invite.text')}</p>
        </>
      )}
      <Refusal text={refusal} />
      {invite.data !== undefined && (
        <OnlineButton variant="filled" fullWidth loading={join.isPending} onClick={handleJoin} label={t('organisation_invite.submit')} />
      )}
      <span className={layout.wrap}>
        <PlainButton variant="subtle" onClick={onSwitch}>
          {t('organisation_invite.other_account')}
        </PlainButton>
        <PlainButton variant="subtle" onClick={onLeave}>
          {t('organisation_invite.to_console')}
        </PlainButton>
      </span>
    </section>
  );
}
