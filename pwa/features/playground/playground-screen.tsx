import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import { usableGroupsQuery } from '#pwa/api/groups.ts';
import { selfQuery, useStoredUser } from '#pwa/api/self.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { NoCredit } from '#pwa/ui/billing/no-credit.tsx';
import { canTopUp } from '#pwa/api/can-top-up.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { acceptsUnpriced } from '#pwa/api/accepts-unpriced.ts';
import { isUnfunded } from '#pwa/api/low-water.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone, useMedia } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { LoadFailure } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { useStore } from '#pwa/ui/store.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { ask, followVideos, onCharged, stop } from './ask.ts';
import { Composer } from './composer.tsx';
import { costBefore } from './cost-before.ts';
import { emptyMedia, isLeftOpen, mediaFor } from './media-settings.ts';
import type { mediaCost as MediaCost } from './media-cost.ts';
import type { Sound } from './read-sound.ts';
import { chooseModels, chooseSettings, loadConversations, playground } from './conversations-state.ts';
import { ModelBar } from './model-bar.tsx';
import { Actions, SecondModelButton, type Part } from './playground-actions.tsx';
import { takesMask } from './takes-mask.ts';
import styles from './playground.module.css';
import { defaultModel, type OfferedModel, offeredModelsQuery } from './queries.ts';
import { takesSound } from './read-file.ts';
import { emptySettings, isSoundLost, unsendable } from './request-body.ts';
import { Thread } from './thread.tsx';

const PhoneActions = lazyPart(
  () => import('./phone-actions.tsx'),
  (part) => part.PhoneActions,
  <span className={styles.actionsSpace} />,
);
const ConversationList = lazyPart(
  () => import('./conversation-list.tsx'),
  (part) => part.ConversationList,
);
const Parameters = lazyPart(
  () => import('./parameters.tsx'),
  (part) => part.Parameters,
);
const ExportDialog = lazyPart(
  () => import('./export-dialog.tsx'),
  (part) => part.ExportDialog,
);

interface PlaygroundScreenProps {
  /** A text that another app has shared; '': none. */
  shared: string;
  onSharedTaken: () => void;
}

/** Questions to the models that the account may use, at its own charge. */
export function PlaygroundScreen({ shared, onSharedTaken }: PlaygroundScreenProps) {
  const { t } = useTranslation();
  const state = useStore(playground);
  const { open } = state;
  const isPhone = useIsPhone();
  const isWide = useMedia('(min-width: 1360px)');
  const [part, setPart] = useState<Part | null>(null);
  const [column, setColumn] = useState(0);
  const [example, setExample] = useState('');
  const offered = useOffered();
  const isRunning = open.turns.some((turn) => turn.answers.some((answer) => answer?.state === 'running' && answer.video === undefined));
  const shown = isPhone && open.models.length > 1 ? Math.min(column, open.models.length - 1) : null;
  const close = (): void => setPart(null);
  const reason = useReason(offered.data);
  const costText = useCostText();
  const kind = kindOfModel(open.models[0] ?? '') ?? 'chat';
  return (
    <Screen
      title={t('playground.title')}
      back="/"
      isAlone
      {...(!isPhone && { actions: <Actions isRunning={isRunning} isWide={isWide} offered={offered.data ?? []} onOpen={setPart} /> })}
      panel={
        isWide || part === 'conversations' || part === 'parameters' ? <PlaygroundPanel part={part} isWide={isWide} onClose={close} /> : null
      }
    >
      <ModelBar
        conversation={open}
        offered={offered.data ?? []}
        isRunning={isRunning}
        shown={shown}
        actions={isPhone && <PhoneActions onOpen={setPart} />}
      />
      {shown !== null && (
        <div className={styles.switch}>
          <Segments
            label={t('playground.model.shown')}
            value={String(shown)}
            options={open.models.map((model, place) => ({ value: String(place), label: model }))}
            onChange={(value) => setColumn(Number(value))}
          />
        </div>
      )}
      {offered.data === undefined && offered.query.error !== null && (
        <LoadFailure what={t('playground.model.all')} error={offered.query.error} onRetry={() => void offered.query.refetch()} />
      )}
      {offered.query.data?.length === 0 && <NoModels />}
      <Notices isUnstored={state.isUnstored} />
      <Thread key={open.id} conversation={open} shown={shown} canAsk={reason === undefined} onExample={setExample} />
      <div className={styles.composerPlace}>
        <Composer
          key={`composer ${open.id}`}
          kind={kind}
          isRunning={isRunning}
          reason={reason}
          taken={{ isDeaf: open.settings.format === 'claude' || !open.models.every(takesSound), isMasked: open.models.every(takesMask) }}
          isForSeveral={open.models.length > 1}
          onAsk={ask}
          onStop={() => stop(open.id)}
          // The conversation that was open last may be on its way still, with a field of its own.
          shared={state.isLoaded ? shared || example : ''}
          onSharedTaken={() => (shared === '' ? setExample('') : onSharedTaken())}
          costText={costText}
          extra={isPhone && <SecondModelButton isRunning={isRunning} offered={offered.data ?? []} />}
        />
      </div>
      {part === 'export' && <ExportDialog conversation={open} onClose={close} />}
    </Screen>
  );
}

/** Panel next to the conversation. */
function PlaygroundPanel({ part, isWide, onClose }: { part: Part | null; isWide: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { open, stored } = useStore(playground);
  const parameters = <Parameters settings={open.settings} model={open.models[0] ?? ''} />;
  if (part === 'conversations') return <ConversationList stored={stored} openId={open.id} onClose={onClose} />;
  if (isWide)
    return (
      <aside className={styles.aside} aria-label={t('playground.parameter.title')}>
        <header className={`${layout.spread} ${styles.asideHead}`}>
          <h2>{t('playground.parameter.title')}</h2>
          <ResetButton />
        </header>
        {parameters}
      </aside>
    );
  if (part !== 'parameters') return null;
  return (
    <SidePanel title={t('playground.parameter.title')} onClose={onClose} isTall foot={<ResetButton />}>
      {parameters}
    </SidePanel>
  );
}

/** Models of the group that is chosen; a new conversation begins with the usual one. */
function useOffered() {
  const user = useStoredUser();
  const { userId, isLoaded, open } = useStore(playground);
  const queryClient = useQueryClient();
  const query = useQuery(offeredModelsQuery(user?.id ?? 0));
  const group = open.settings.group || user?.group || '';
  const status = useSiteStatus();
  const isPriceNeeded = status?.self_use_mode_enabled !== true && !acceptsUnpriced(user);
  const isTaken = ({ name, price }: OfferedModel): boolean =>
    kindOfModel(name) === 'video' ? status?.enable_task === true && price !== undefined : price !== undefined || !isPriceNeeded;
  const data = query.data?.filter((model) => model.groups.includes(group) && isTaken(model)).map(({ name }) => name);
  const first = data === undefined ? undefined : defaultModel(data);
  useEffect(() => {
    void loadConversations(user?.id ?? 0).then(followVideos);
  }, [user?.id]);
  useEffect(() => {
    if (isLoaded && userId === user?.id && open.models.length === 0 && first !== undefined) chooseModels([first]);
  }, [isLoaded, userId, user?.id, open.models.length, first]);
  useEffect(() => onCharged(() => void queryClient.invalidateQueries({ queryKey: selfQuery.queryKey })), [queryClient]);
  return { data, query };
}

/** Calls of the playground are the account's own, no token's: it says so, and about how much. */
function useCostText(): (text: string, sound: Sound | undefined) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const user = useStoredUser();
  const { open } = useStore(playground);
  const { data: models } = useQuery(offeredModelsQuery(user?.id ?? 0));
  const { data: groups } = useQuery(usableGroupsQuery);
  const groupRatio = groups?.[open.settings.group || (user?.group ?? '')]?.ratio;
  const priced = open.models.map((model) => ({ price: models?.find(({ name }) => name === model)?.price, groupRatio }));
  const kind = kindOfModel(open.models[0] ?? '') ?? 'chat';
  const mediaCost = useMediaCost(kind !== 'chat');
  return (text, sound) => {
    if (kind !== 'chat') {
      if (mediaCost === undefined) return t('playground.ask.cost_unknown');
      const asked = { kind, settings: open.settings.media, text, seconds: sound?.seconds, quotaPerUnit: format.quotaPerUnit };
      const costs = priced.map((one, place) => mediaCost({ ...asked, ...one, model: open.models[place] ?? '' }));
      if (costs.some((cost) => cost === undefined)) return t('playground.ask.cost_unknown');
      const sum = costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);
      // What is left to the model is reckoned at its most.
      const isMost = kind === 'picture' && open.models.some((model) => isLeftOpen(mediaFor(model, open.settings.media)));
      const amount = format.quotaExact(Number(sum.toPrecision(2)));
      return isMost ? t('playground.ask.cost_most', { most: amount }) : t('playground.ask.cost_about', { amount });
    }
    const cost = costBefore(open, text, priced, format.quotaPerUnit);
    if (cost === undefined) return t('playground.ask.cost_unknown');
    const amount = (quota: number): string => format.quotaExact(Number(quota.toPrecision(2)));
    if (cost.most !== undefined) return t('playground.ask.cost_most', { most: amount(cost.most) });
    if (cost.perThousand === 0) return t('playground.ask.cost_call', { amount: amount(cost.question) });
    return t('playground.ask.cost', {
      question: amount(cost.question),
      answer: format.quotaExact(Number((cost.perThousand * 1000).toPrecision(4))),
    });
  };
}

/** How it is reckoned, once it is loaded: most conversations need none of it. */
function useMediaCost(isNeeded: boolean): typeof MediaCost | undefined {
  const [found, setFound] = useState<{ mediaCost: typeof MediaCost }>();
  useEffect(() => {
    // Without it the question can be sent all the same.
    if (isNeeded) void import('./media-cost.ts').then(setFound, () => undefined);
  }, [isNeeded]);
  return found?.mediaCost;
}

/** Reason why no question can be sent; undefined: there is none. */
function useReason(offered: readonly string[] | undefined): string | undefined {
  const { t } = useTranslation();
  const { open } = useStore(playground);
  if (offered?.length === 0) return t('playground.ask.no_models');
  if (open.models.length === 0 || open.models.includes('')) return t('playground.model.choose');
  if (isSoundLost(open)) return t('playground.ask.sound_lost');
  const faulty = kindOfModel(open.models[0] ?? '') === 'chat' ? unsendable(open.settings) : undefined;
  return faulty === undefined ? undefined : t('playground.ask.unsendable', { name: t(`playground.parameter.${faulty}`) });
}

/** No model can be called in any group: users who may change that get a link. */
function NoModels() {
  const { t } = useTranslation();
  const isAdmin = (useStoredUser()?.role ?? Role.guest) >= Role.admin;
  return (
    <p className={styles.notice}>
      <StatusMark status="look">{t(isAdmin ? 'playground.nothing.admin' : 'playground.nothing.user')}</StatusMark>{' '}
      {isAdmin && <Link to="/channel">{t('playground.nothing.channels')}</Link>}
    </p>
  );
}

function Notices({ isUnstored }: { isUnstored: boolean }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const status = useSiteStatus();
  const { data: self } = useQuery(selfQuery);
  return (
    <>
      {self !== undefined && isUnfunded(self) && (
        <div className={styles.notice}>
          <NoCredit user={self} canTopUp={canTopUp(status)} />
        </div>
      )}
      {(isUnstored || !isOnline) && (
        <p className={styles.notice}>
          <StatusMark status={isOnline ? 'look' : 'offline'}>{t(isOnline ? 'playground.unkept' : 'playground.offline')}</StatusMark>
        </p>
      )}
    </>
  );
}

function ResetButton() {
  const { t } = useTranslation();
  const { group } = useStore(playground).open.settings;
  return (
    <Button variant="subtle" onClick={() => chooseSettings({ ...emptySettings, media: emptyMedia, group })}>
      {t('playground.parameter.reset')}
    </Button>
  );
}
