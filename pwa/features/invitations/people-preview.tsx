import { useTranslation } from 'react-i18next';
import type { LineProblem } from '#shared/invitations.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './invitations.module.css';
import type { OwnProblem, PersonLine } from './people-list.ts';

export interface PreviewLine extends Omit<PersonLine, 'problem'> {
  problem: LineProblem | OwnProblem | undefined;
}

/** As many as a person reads; those with a problem stand first. */
const linesShown = 300;

/** The lines of a list as they were understood, each with its problem. `title`: replaces the counts. */
export function PeoplePreview({ lines, title }: { lines: readonly PreviewLine[]; title?: string }) {
  const { t } = useTranslation();
  const wrong = lines.filter(({ problem }) => problem !== undefined);
  const sorted = [...wrong, ...lines.filter(({ problem }) => problem === undefined)];
  const hidden = Math.max(0, sorted.length - linesShown);
  return (
    <section className={layout.stackSm} aria-label={t('invitations.preview.label')}>
      <p role="status">{title ?? t('invitations.preview.counts', { ready: lines.length - wrong.length, wrong: wrong.length })}</p>
      <ul className={styles.lines}>
        {sorted.slice(0, linesShown).map((line) => (
          <Line key={line.number} line={line} />
        ))}
      </ul>
      {hidden > 0 && <p className={typography.muted}>{t('invitations.preview.more', { count: hidden })}</p>}
    </section>
  );
}

function Line({ line: { number, line, problem } }: { line: PreviewLine }) {
  const { t } = useTranslation();
  const format = useFormat();
  const facts = [line.email, line.group, line.quota > 0 ? format.quota(line.quota) : ''].filter((fact) => fact !== '');
  return (
    <li>
      <span className={styles.person}>
        <span className={styles.number}>{number}</span>
        <b>{line.username || '—'}</b> <span className={typography.muted}>{facts.join(' · ')}</span>
      </span>
      <StatusMark status={problem === undefined ? 'on' : problem === 'same' ? 'off' : 'failed'}>
        {t(`invitations.line.${problem ?? 'ready'}`)}
      </StatusMark>
    </li>
  );
}
