import type { ReactNode } from 'react';
import styles from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  /** On a phone the title stands in the top bar. */
  isTitleShown: boolean;
  facts?: ReactNode;
  actions?: ReactNode;
}

/** The head of a screen: title, sums, buttons. */
export function PageHeader({ title, isTitleShown, facts, actions }: PageHeaderProps) {
  if (!isTitleShown && facts === undefined && actions === undefined) return null;
  return (
    <header className={styles.head}>
      {isTitleShown && <h1 className={styles.title}>{title}</h1>}
      {facts !== undefined && <dl className={styles.facts}>{facts}</dl>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}

/** A sum beside the title: label, figure, unit. */
export function Fact({ label, unit, children }: { label: string; unit?: string; children: ReactNode }) {
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
