import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { StatusIncident, StatusPage } from '#shared/status-page.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { pastQuery } from './queries.ts';
import { incidentSentence, incidentTime, incidentTitle, stateMarks, updateText } from './status-words.ts';
import styles from './status.module.css';

interface IncidentListProps {
  incidents: readonly StatusIncident[];
  /** Without their updates. */
  isBrief?: boolean;
  onOpen: (id: number) => void;
}

export function IncidentList({ incidents, isBrief = false, onOpen }: IncidentListProps) {
  return (
    <ol className={styles.incidents}>
      {incidents.map((incident) => (
        <Incident key={incident.id} incident={incident} isBrief={isBrief} onOpen={onOpen} />
      ))}
    </ol>
  );
}

function Incident({ incident, isBrief, onOpen }: Omit<IncidentListProps, 'incidents'> & { incident: StatusIncident }) {
  const { t } = useTranslation();
  const format = useFormat();
  const sentence = incidentSentence(t, incident, format);
  const title = (
    <button type="button" className={`${control.bare} ${styles.incidentName}`} onClick={() => onOpen(incident.id)}>
      {incidentTitle(t, incident, format.language)}
    </button>
  );
  const isOver = incident.ended_at !== undefined;
  return (
    <li>
      <span className={`${layout.baseline} ${styles.incidentHead}`}>
        {isOver ? title : <StatusMark status={incident.level === undefined ? 'note' : stateMarks[incident.level]}>{title}</StatusMark>}
        <span className={typography.note}>{incidentTime(t, incident, format)}</span>
      </span>
      {sentence !== '' && <p className={typography.secondary}>{sentence}</p>}
      <Updates updates={isBrief ? incident.updates.slice(0, 1) : incident.updates} />
    </li>
  );
}

export function Updates({ updates }: Pick<StatusIncident, 'updates'>) {
  const { t } = useTranslation();
  const format = useFormat();
  if (updates.length === 0) return null;
  return (
    <ol className={styles.updates}>
      {updates.map(({ id, at, state, text }) => (
        <li key={id}>
          <span className={typography.note}>
            <time dateTime={new Date(at * 1000).toISOString()}>
              {format.date(at)} {format.clock(at)}
            </time>{' '}
            · <b>{t(`status.update.${state}`)}</b>
          </span>
          <p className={styles.text}>{updateText(text, format.language)}</p>
        </li>
      ))}
    </ol>
  );
}

interface PastIncidentsProps {
  page: StatusPage;
  userId: number;
  isAll: boolean;
  onAll: () => void;
  onOpen: (id: number) => void;
}

export function PastIncidents({ page, userId, isAll, onAll, onOpen }: PastIncidentsProps) {
  const { t } = useTranslation();
  const query = useInfiniteQuery({ ...pastQuery(userId), enabled: isAll });
  const all = isAll ? query.data?.pages.flatMap(({ incidents }) => incidents) : undefined;
  const incidents = all ?? page.past;
  return (
    <>
      {incidents.length === 0 ? (
        <p className={`${typography.secondary} ${styles.quiet}`}>{t('status.no_past')}</p>
      ) : (
        <IncidentList incidents={incidents} isBrief onOpen={onOpen} />
      )}
      {(all === undefined ? page.has_more : query.hasNextPage) && (
        <div className={`${layout.row} ${styles.quiet}`}>
          <Button variant="subtle" loading={query.isFetching} onClick={() => (isAll ? void query.fetchNextPage() : onAll())}>
            {t('status.all_incidents')}
          </Button>
        </div>
      )}
    </>
  );
}
