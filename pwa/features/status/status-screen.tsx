import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { type StatusIncident, statusFeeds, StatusKind, type StatusPage, statusSeconds } from '#shared/status-page.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { atBase } from '#pwa/ui/base-path.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { IncidentList, PastIncidents } from './incident-list.tsx';
import { ModelList } from './model-list.tsx';
import { pastQuery, statusQuery } from './queries.ts';
import type { StatusSearch } from './status-search.ts';
import { countSentence, pageSentence } from './status-words.ts';
import styles from './status.module.css';

const ModelPanel = lazyPart(
  () => import('./model-panel.tsx'),
  (part) => part.ModelPanel,
  <PanelSpace />,
);
const IncidentPanel = lazyPart(
  () => import('./incident-panel.tsx'),
  (part) => part.IncidentPanel,
  <PanelSpace />,
);

interface StatusScreenProps {
  search: StatusSearch;
  onSearch: (change: Partial<StatusSearch>) => void;
}

/** State, availability and first token of every model that the viewer may see, and incidents. */
export function StatusScreen({ search, onSearch }: StatusScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const user = useStoredUser();
  const audience = useSiteStatus()?.status_page;
  const isAdmin = (user?.role ?? Role.guest) >= Role.admin;
  const isOff = audience === 'off';
  const query = useQuery({ ...statusQuery(user?.id ?? 0), enabled: !isOff });
  const { data } = query;
  const hasPanel = search.open !== undefined || search.incident !== undefined;
  return (
    <Screen
      title={t('status.title')}
      layout="page"
      actions={
        !isOff && (
          <Actions
            isPublic={audience === 'public'}
            isAdmin={isAdmin}
            isQuiet={hasPanel}
            onNew={() => onSearch({ incident: 'new', open: undefined })}
          />
        )
      }
      panel={data !== undefined && <Panel page={data} userId={user?.id ?? 0} search={search} isAdmin={isAdmin} onSearch={onSearch} />}
    >
      {isPhone && user === null && <h1 className="visually-hidden">{t('status.title')}</h1>}
      {isOff ? (
        <Off isAdmin={isAdmin} />
      ) : (
        <QueryState query={query} what={t('status.title')} lines={8}>
          {(page) => <Page page={page} userId={user?.id ?? 0} search={search} onSearch={onSearch} />}
        </QueryState>
      )}
    </Screen>
  );
}

function Off({ isAdmin }: { isAdmin: boolean }) {
  const { t } = useTranslation();
  return (
    <div className={styles.off} data-void>
      <StatusMark status="off" strong>
        {t('status.off.title')}
      </StatusMark>
      {isAdmin && (
        <p>
          {t('status.off.text')}{' '}
          <Link to="/setting" search={{ tab: 'monitoring' }}>
            {t('status.off.settings')}
          </Link>
        </p>
      )}
    </div>
  );
}

interface ActionsProps {
  isPublic: boolean;
  isAdmin: boolean;
  /** A panel has the filled button. */
  isQuiet: boolean;
  onNew: () => void;
}

function Actions({ isPublic, isAdmin, isQuiet, onNew }: ActionsProps) {
  const { t } = useTranslation();
  const { language } = useFormat();
  return (
    <>
      {isPublic && (
        <>
          <Button variant="subtle" component="a" href={`${atBase(statusFeeds.rss)}?lang=${language}`} target="_blank" rel="noreferrer">
            RSS
          </Button>
          <Button variant="subtle" component="a" href={`${atBase(statusFeeds.json)}?lang=${language}`} target="_blank" rel="noreferrer">
            JSON
          </Button>
        </>
      )}
      {isAdmin && <OnlineButton variant={isQuiet ? 'default' : 'filled'} onClick={onNew} label={t('status.action.new')} />}
    </>
  );
}

interface PageProps extends StatusScreenProps {
  page: StatusPage;
  userId: number;
}

function Page({ page, userId, search, onSearch }: PageProps) {
  const { t } = useTranslation();
  const { current } = page;
  const handleIncident = (id: number): void => onSearch({ incident: String(id), open: undefined });
  return (
    <div className={styles.frame} data-panel={search.open !== undefined || search.incident !== undefined || undefined}>
      <div className={styles.page}>
        <Head page={page} />
        <section className={styles.now} aria-labelledby="status-now">
          <h2 className={typography.heading} id="status-now">
            {t('status.now')}
          </h2>
          {current.length === 0 ? (
            <p className={`${typography.secondary} ${styles.quiet}`}>{t('status.no_current')}</p>
          ) : (
            <IncidentList incidents={current} onOpen={handleIncident} />
          )}
        </section>
        <Models page={page} search={search} onSearch={onSearch} />
        <section className={styles.past} aria-labelledby="status-past">
          <h2 className={typography.heading} id="status-past">
            {t('status.past')}
          </h2>
          <PastIncidents
            page={page}
            userId={userId}
            isAll={search.past === 'all'}
            onAll={() => onSearch({ past: 'all' })}
            onOpen={handleIncident}
          />
        </section>
      </div>
    </div>
  );
}

function Models({ page, search, onSearch }: Omit<PageProps, 'userId'>) {
  const { t } = useTranslation();
  const { models } = page;
  const kinds = StatusKind.options.filter((kind) => models.some((model) => model.kind === kind));
  const kind = kinds.includes(search.kind ?? 'chat') ? search.kind : undefined;
  const shown = kind === undefined ? models : models.filter((model) => model.kind === kind);
  return (
    <section className={styles.models} aria-label={t('status.models')}>
      <div className={`${layout.spread} ${styles.filters}`}>
        {kinds.length > 1 && (
          <Segments
            label={t('status.kind.label')}
            value={kind ?? 'all'}
            options={[
              { value: 'all', label: t('status.kind.all', { count: models.length }) },
              ...kinds.map((value) => ({
                value,
                label: t(`status.kind.${value}`, { count: models.filter((model) => model.kind === value).length }),
              })),
            ]}
            onChange={(value) => onSearch({ kind: value === 'all' ? undefined : value })}
          />
        )}
        <Legend />
      </div>
      {models.length === 0 ? (
        <p className={`${typography.secondary} ${styles.quiet}`}>{t('status.no_models')}</p>
      ) : (
        <ModelList page={page} models={shown} open={search.open} onOpen={(model) => onSearch({ open: model, incident: undefined })} />
      )}
      <p className={`${typography.note} ${styles.foot}`}>{t('status.foot')}</p>
    </section>
  );
}

/** The answer first, in words, with its age. */
function Head({ page }: { page: StatusPage }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const { status, text } = pageSentence(t, page);
  const counts = countSentence(t, page);
  const isToday = format.dayKey(page.at) === format.dayKey(Date.now() / 1000);
  const time = isToday ? format.clock(page.at) : `${format.date(page.at)} ${format.clock(page.at)}`;
  return (
    <div className={styles.head}>
      <p className={styles.answer} role="status">
        <StatusMark status={status}>{text}</StatusMark>
      </p>
      {counts !== '' && <p className={typography.secondary}>{counts}</p>}
      <span className={`${typography.note} ${styles.age}`} data-stale={!isOnline || undefined}>
        <Glyph name="clock" />
        {isOnline ? t('status.as_of', { time, seconds: statusSeconds }) : t('common.freshness.as_of', { time })}
      </span>
    </div>
  );
}

/** What the marks of the days mean. */
function Legend() {
  const { t } = useTranslation();
  return (
    <ul className={`${typography.note} ${styles.legend}`} aria-hidden="true">
      <li>
        <svg width="12" height="12" viewBox="0 0 12 12">
          <path d="M0 1h2v10h-2zM5 1h2v10h-2zM10 1h2v10h-2z" data-day="good" />
        </svg>
        {t('status.legend.operational')}
      </li>
      <li>
        <svg width="4" height="12" viewBox="0 0 4 12">
          <path d="M0 4h4v5h-4z" data-day="slow" />
        </svg>
        {t('status.legend.slow')}
      </li>
      <li>
        <svg width="6" height="12" viewBox="0 0 6 12">
          <path d="M0 0h6l-3 3zM1 4h4v8h-4z" data-day="down" />
        </svg>
        {t('status.legend.down')}
      </li>
      <li>
        <svg width="7" height="12" viewBox="0 0 7 12">
          <path d="M0 5h2v2h-2zM5 5h2v2h-2z" data-day="none" />
        </svg>
        {t('status.legend.unknown')}
      </li>
    </ul>
  );
}

function Panel({ page, userId, search, isAdmin, onSearch }: PageProps & { isAdmin: boolean }) {
  const older =
    useInfiniteQuery({ ...pastQuery(userId), enabled: search.past === 'all' }).data?.pages.flatMap(({ incidents }) => incidents) ?? [];
  const model = page.models.find((one) => one.model === search.open);
  const incident = [...page.current, ...page.past, ...older].find(({ id }) => String(id) === search.incident);
  const handleClose = (): void => onSearch({ open: undefined, incident: undefined });
  if (model !== undefined) {
    const concerned = (one: StatusIncident): boolean => one.models.includes(model.model);
    return (
      <ModelPanel
        key={model.model}
        model={model}
        page={page}
        incidents={[...page.current, ...page.past].filter(concerned)}
        mayHide={isAdmin}
        onIncident={(id) => onSearch({ incident: String(id), open: undefined })}
        onClose={handleClose}
      />
    );
  }
  if (search.incident === undefined || (incident === undefined && (search.incident !== 'new' || !isAdmin))) return null;
  return (
    <IncidentPanel
      key={search.incident}
      incident={incident}
      models={page.models.map((one) => one.model)}
      mayEdit={isAdmin}
      onOpen={(id) => onSearch({ incident: String(id) })}
      onClose={handleClose}
    />
  );
}
