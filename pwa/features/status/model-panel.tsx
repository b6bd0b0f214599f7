import { useTranslation } from 'react-i18next';
import { dayLetters, statusDays, statusHours, type StatusIncident, type StatusModel, type StatusPage } from '#shared/status-page.ts';
import { refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { PanelSection, SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { HourLine } from './day-bars.tsx';
import { IncidentList } from './incident-list.tsx';
import { State } from './model-list.tsx';
import { useHideModel } from './queries.ts';
import { dayTexts } from './status-words.ts';
import styles from './status.module.css';

interface ModelPanelProps {
  model: StatusModel;
  page: StatusPage;
  incidents: readonly StatusIncident[];
  mayHide: boolean;
  onIncident: (id: number) => void;
  onClose: () => void;
}

/** One model: its figures, every day in words, its incidents. */
export function ModelPanel({ model, page, incidents, mayHide, onIncident, onClose }: ModelPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const hide = useHideModel();
  const isHidden = model.is_hidden === true;
  const time = (value: number | undefined): string => (value === undefined ? '—' : format.duration(value));
  return (
    <SidePanel
      title={model.model}
      onClose={onClose}
      foot={
        mayHide && (
          <OnlineButton
            variant="subtle"
            loading={hide.isPending}
            onClick={() => hide.mutate({ model: model.model, isHidden: !isHidden })}
            label={t(isHidden ? 'status.action.show' : 'status.action.hide')}
          />
        )
      }
    >
      <div className={`${layout.stackLg} ${styles.panel}`}>
        <span className={layout.spread}>
          <State model={model} />
          {model.since !== undefined && (
            <span className={typography.note}>
              {t('status.incident.since', { time: `${format.date(model.since)} ${format.clock(model.since)}` })}
            </span>
          )}
        </span>
        <Refusal text={refusalText(hide.error, { errors: {} })} />
        <SummaryList
          items={[
            { name: t('status.column.up'), value: model.up === undefined ? '—' : model.up.toFixed(2) },
            { name: t('status.column.p50_long'), value: time(model.p50) },
            { name: t('status.column.p95_long'), value: time(model.p95) },
            {
              name: t('status.column.hours', { count: statusHours }),
              value: <HourLine hours={model.hours} label={t('status.hours_label')} />,
            },
          ]}
        />
        <Days model={model} page={page} />
        {incidents.length > 0 && (
          <PanelSection title={t('status.incidents')}>
            <IncidentList incidents={incidents} isBrief onOpen={onIncident} />
          </PanelSection>
        )}
      </div>
    </SidePanel>
  );
}

/** Days as marks with a text each, and those that were not well as lines. */
function Days({ model, page }: Pick<ModelPanelProps, 'model' | 'page'>) {
  const { t } = useTranslation();
  const { language } = useFormat();
  const days = dayTexts(t, model, page, language);
  const marked = new Set(model.marks.map(({ day }) => day));
  const bad = days.filter((_, day) => marked.has(day)).toReversed();
  return (
    <PanelSection title={t('status.days', { count: statusDays })}>
      <ol className={styles.days}>
        {days.map(({ letter, text }, day) => (
          <li key={day} data-state={dayLetters[letter]} title={text}>
            <span className="visually-hidden">{text}</span>
          </li>
        ))}
      </ol>
      {bad.length > 0 && (
        <ul className={`${styles.dayLines} ${typography.compact}`} aria-hidden="true">
          {bad.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </PanelSection>
  );
}
