import type { ReactNode, Ref } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  parent?: ReactNode;
  /** On a phone the title stands in the top bar. */
  isTitleShown: boolean;
  facts?: ReactNode;
  actions?: ReactNode;
  /** Where the list below puts its age. */
  agePlace: Ref<HTMLElement>;
}

/** The head of a screen: title, sums, age, buttons. */
export function PageHeader({ title, parent, isTitleShown, facts, actions, agePlace }: PageHeaderProps) {
  return (
    <header className={styles.head}>
      {isTitleShown && (
        <h1 className={`${typography.ellipsis} ${typography.title} ${styles.title}`}>
          {parent !== undefined && <span className={styles.parent}>{parent} / </span>}
          {title}
        </h1>
      )}
      {facts !== undefined && <dl className={styles.facts}>{facts}</dl>}
      <span className={styles.age} ref={agePlace} />
      {actions !== undefined && <div className={`${layout.row} ${styles.actions}`}>{actions}</div>}
    </header>
  );
}

/** Sum next to the title: label, figure, unit. */
export function SummaryItem({ label, unit, children }: { label: string; unit?: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{label}</dt>
      <dd>
        <b>{children}</b>
        {unit !== undefined && unit !== '' && <span className={styles.unit}>{unit}</span>}
      </dd>
    </div>
  );
}
