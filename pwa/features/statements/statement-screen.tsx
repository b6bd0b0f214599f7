import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Statement } from '#shared/statement.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { statementQuery } from './queries.ts';
import { isExact, statementAmount, statementFile } from './statement-lines.ts';
import { type Period, periods, type StatementSearch } from './statement-search.ts';
import styles from './statement.module.css';

interface StatementScreenProps {
  search: StatementSearch;
  onSearch: (change: Partial<StatementSearch>) => void;
}

/** What an account had, what came, what calls took and what is left: to be read, printed and filed. */
export function StatementScreen({ search, onSearch }: StatementScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const query = useQuery(statementQuery(search));
  const kindText = useKindText();
  const { data } = query;
  const hasLines = data !== undefined && data.from < data.to;
  const handleSave = (statement: Statement): void => {
    const texts = {
      opening: t('statement.opening'),
      closing: t('statement.closing'),
      calls: t('statement.calls'),
      others: t('statement.others'),
      imported: (amount: string) => t('statement.imported_line', { amount }),
      kind: kindText,
    };
    const days = [statement.from, lastSecond(statement)].map((seconds) => format.dayKey(seconds));
    const name = `statement-${[statement.username, ...days].join('-')}.csv`;
    saveText(name, statementFile(statement, texts), { type: 'text/csv' });
  };
  return (
    <Screen
      title={t('statement.title')}
      back={search.user === undefined ? '/topup' : '/user'}
      layout="page"
      filters={
        <span className={`${layout.row} ${layout.wrap} ${styles.filters}`}>
          <RangeFilter
            label={t('statement.period.label')}
            range={search.period ?? 'this_month'}
            ranges={periods.map((value) => ({ value, label: t(`statement.period.${value}`) }))}
            onRange={(period: Period) => onSearch({ period, from: undefined, to: undefined })}
            from={search.from}
            to={search.to}
            labels={{ from: t('statement.period.from'), to: t('statement.period.to') }}
            onChange={onSearch}
          />
        </span>
      }
      actions={
        <>
          <Button disabled={!hasLines} onClick={() => data !== undefined && handleSave(data)}>
            {t('statement.csv')}
          </Button>
          <Button variant="filled" disabled={!hasLines} onClick={() => print()}>
            {t('statement.print')}
          </Button>
        </>
      }
    >
      <QueryState query={query} what={t('statement.title')} lines={8}>
        {(statement) =>
          statement.from < statement.to ? (
            <Sheet statement={statement} kindText={kindText} />
          ) : (
            <p className={styles.none}>{t('statement.none')}</p>
          )
        }
      </QueryState>
    </Screen>
  );
}

interface SheetProps {
  statement: Statement;
  kindText: (kind: string) => string;
}

function Sheet({ statement, kindText }: SheetProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const site = useSiteStatus();
  const { entries, more_entries: more, calls, more_calls: others, quota_per_unit: unit } = statement;
  const usd = (quota: number): string => statementAmount(quota, unit);
  const charged = calls.reduce((sum, { amount }) => sum + amount, others.amount);
  const credited = entries.reduce((sum, { amount }) => sum + amount, more.amount);
  return (
    <article className={styles.sheet}>
      <header className={styles.head}>
        {/* On the screen it is above. */}
        <p className={styles.paperTitle}>{t('statement.title')}</p>
        <p className={styles.site}>{site?.system_name ?? ''}</p>
        <p>
          <b>{statement.display_name || statement.username}</b>{' '}
          <span className={`${typography.compact} ${typography.muted}`}>#{statement.user_id}</span>
        </p>
        <p className={`${typography.compact} ${typography.muted}`}>
          {t('statement.span', { from: format.dateTime(statement.from), to: format.dateTime(lastSecond(statement)) })}
        </p>
      </header>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('statement.what')}</th>
            <th scope="col" className={styles.when}>
              {t('statement.when')}
            </th>
            <th scope="col" className={styles.amount}>
              USD
            </th>
          </tr>
        </thead>
        <tbody>
          <TotalRow name={t('statement.opening')} amount={usd(statement.opening)} />
        </tbody>
        <tbody>
          <SectionRow name={t('statement.credits')} amount={usd(credited)} />
          {entries.map(({ id, created_at, kind, amount }) => (
            <LineRow
              key={id}
              name={kindText(kind)}
              when={isPhone ? format.date(created_at) : format.dateTime(created_at)}
              amount={usd(amount)}
            />
          ))}
          {more.count > 0 && <LineRow name={t('statement.more_entries', { count: more.count })} when="" amount={usd(more.amount)} />}
        </tbody>
        <tbody>
          <SectionRow name={t('statement.calls')} amount={usd(-charged)} />
          {calls.map((one) => (
            <LineRow
              key={one.model_name}
              name={one.model_name || t('statement.others')}
              when={t('statement.count', { count: one.calls })}
              amount={usd(-one.amount)}
            />
          ))}
          {others.models > 0 && (
            <LineRow
              name={t('statement.more_models', { count: others.models })}
              when={t('statement.count', { count: others.calls })}
              amount={usd(-others.amount)}
            />
          )}
        </tbody>
        <tfoot>
          <TotalRow name={t('statement.closing')} amount={usd(statement.closing)} />
        </tfoot>
      </table>
      <Remarks statement={statement} usd={usd} />
    </article>
  );
}

function Remarks({ statement, usd }: { statement: Statement; usd: (quota: number) => string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { rows_from: rowsFrom = 0, imported_calls: imported } = statement;
  return (
    <footer className={`${typography.compact} ${typography.muted} ${styles.foot}`}>
      <p>{t('statement.about')}</p>
      {imported !== undefined && (
        <p>{t('statement.imported', { count: imported.calls, calls: format.count(imported.calls), amount: usd(imported.amount) })}</p>
      )}
      {rowsFrom > statement.from && <p>{t('statement.deleted', { time: format.dateTime(Math.min(rowsFrom, statement.to)) })}</p>}
      {!isExact(statement) && <p>{t('statement.rounded')}</p>}
    </footer>
  );
}

/** The end of its time is no part of it: a month ends on its last day. */
function lastSecond({ from, to }: Statement): number {
  return Math.max(from, to - 1);
}

function TotalRow({ name, amount }: { name: string; amount: string }) {
  return (
    <tr className={styles.total}>
      <th scope="row" colSpan={2}>
        {name}
      </th>
      <td className={styles.amount}>{amount}</td>
    </tr>
  );
}

function SectionRow({ name, amount }: { name: string; amount: string }) {
  return (
    <tr className={styles.section}>
      <th scope="rowgroup" colSpan={2}>
        {name}
      </th>
      <td className={styles.amount}>{amount}</td>
    </tr>
  );
}

function LineRow({ name, when, amount }: { name: string; when: string; amount: string }) {
  return (
    <tr>
      <td className={styles.name}>{name}</td>
      <td className={styles.when}>{when}</td>
      <td className={styles.amount}>{amount}</td>
    </tr>
  );
}

const kinds = ['order', 'redemption', 'transfer', 'organisation', 'refund', 'storage', 'bonus', 'setup', 'import', 'edit'] as const;

/** What changed a balance; a kind of a newer server is another one. */
function useKindText(): (kind: string) => string {
  const { t } = useTranslation();
  return (kind) => t(`statement.kind.${kinds.find((known) => known === kind) ?? 'other'}`);
}
