import { isValidElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './code-block.module.css';

/** Code within an answer, with its language and a button that copies it. `children`: the `code` element. */
export function CodeBlock({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  const { language, text } = codeOf(children);
  return (
    <div className={`${surface.well} ${styles.block}`}>
      <div className={styles.head}>
        <span className={`${typography.ellipsis} ${layout.fill}`}>{language}</span>
        <CopyIcon text={text} label={t('playground.code.copy')} />
      </div>
      {/* It scrolls by itself, so the keyboard must be able to. */}
      {/* oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="region" aria-label={language === '' ? t('playground.code.region') : language}>
        {children}
      </pre>
    </div>
  );
}

function codeOf(children: ReactNode): { language: string; text: string } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return { language: '', text: textOf(children) };
  const { className = '', children: inner } = children.props;
  return { language: /language-(\S+)/.exec(className)?.[1] ?? '', text: textOf(inner).replace(/\n$/, '') };
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  return '';
}
