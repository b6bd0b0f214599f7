import { useTranslation } from 'react-i18next';
import { statusDays, statusHours, type StatusModel, type StatusPage } from '#shared/status-page.ts';
import { createFormat } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Tag } from '#pwa/ui/controls/tag.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { DayBars, HourLine } from './day-bars.tsx';
import { stateMarks } from './status-words.ts';
import styles from './status.module.css';

interface ModelListProps {
  page: Pick<StatusPage, 'first_day'>;
  models: readonly StatusModel[];
  open: string | undefined;
  onOpen: (model: string) => void;
}

/** Every model with its state, its days and its times: a table, or cards on a phone. */
export function ModelList(props: ModelListProps) {
  return useIsPhone() ? <ModelCards {...props} /> : <ModelTable {...props} />;
}

function ModelTable({ page, models, open, onOpen }: ModelListProps) {
  const { t } = useTranslation();
  const { language } = useFormat();
  const utc = createFormat({ language, quotaPerUnit: 1, inCurrency: true, timeZone: 'UTC' });
  return (
    <table className={`${typography.compact} ${styles.table}`} aria-label={t('status.models')}>
      <thead>
        <tr>
          <th scope="col">{t('status.column.model')}</th>
          <th scope="col">{t('status.column.now')}</th>
          <th scope="col">
            <span className={layout.spread}>
              <span>{t('status.column.days', { count: statusDays, date: utc.date(page.first_day) })}</span>
              <span>{t('status.column.today')}</span>
            </span>
          </th>
          <th scope="col">{t('status.column.up')}</th>
          <th scope="col">
            <abbr title={t('status.column.p50_long')}>p50</abbr>
          </th>
          <th scope="col">
            <abbr title={t('status.column.p95_long')}>p95</abbr>
          </th>
          <th scope="col">{t('status.column.hours', { count: statusHours })}</th>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <tr key={model.model} data-open={model.model === open || undefined} onClick={() => onOpen(model.model)}>
            <th scope="row">
              <ModelName model={model} onOpen={onOpen} />
            </th>
            <td>
              <State model={model} />
            </td>
            <td>
              <DayBars days={model.days} />
            </td>
            <td>{model.up === undefined ? '—' : model.up.toFixed(2)}</td>
            <td>
              <Time value={model.p50} />
            </td>
            <td>
              <Time value={model.p95} />
            </td>
            <td>
              <HourLine hours={model.hours} label={t('status.hours_label')} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ModelCards({ models, onOpen }: ModelListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const figures = ({ up, p50, p95 }: StatusModel): string =>
    [
      up === undefined ? '' : t('status.card.up', { percent: up.toFixed(2) }),
      p50 === undefined ? '' : `p50 ${format.duration(p50)}`,
      p95 === undefined ? '' : `p95 ${format.duration(p95)}`,
    ]
      .filter((part) => part !== '')
      .join(' · ');
  return (
    <ul className={styles.cards} aria-label={t('status.models')}>
      {models.map((model) => (
        <li key={model.model} onClick={() => onOpen(model.model)}>
          <span className={layout.spread}>
            <ModelName model={model} onOpen={onOpen} />
            <State model={model} />
          </span>
          <DayBars days={model.days} />
          <span className={typography.note}>{figures(model)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The row's control for keys and screen readers; a press anywhere on the row does the same. */
function ModelName({ model: { model, is_hidden: isHidden }, onOpen }: { model: StatusModel; onOpen: (model: string) => void }) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={`${control.bare} ${layout.row} ${styles.name}`}
      onClick={(event) => {
        event.stopPropagation();
        onOpen(model);
      }}
    >
      <span className={typography.ellipsis}>{model}</span> {isHidden === true && <Tag>{t('status.hidden')}</Tag>}
    </button>
  );
}

export function State({ model: { state } }: { model: Pick<StatusModel, 'state'> }) {
  const { t } = useTranslation();
  return <StatusMark status={stateMarks[state]}>{t(`status.state.${state}`)}</StatusMark>;
}

function Time({ value }: { value: number | undefined }) {
  const format = useFormat();
  return value === undefined ? '—' : format.duration(value);
}
