import { lazy, Suspense } from 'react';
import { SkeletonLines } from '#pwa/ui/frame/query-state.tsx';
import styles from './rich-text.module.css';

const MarkdownText = lazy(async () => ({ default: (await import('./markdown.tsx')).MarkdownText }));

interface RichTextProps {
  text: string;
  /** HTML within it is drawn too, as far as it is harmless; else it is shown as it is written. */
  hasHtml?: boolean;
  /** Of the skeleton while the parts for it are loaded. */
  lines?: number;
}

/** Markdown. */
export function RichText({ text, hasHtml = false, lines = 3 }: RichTextProps) {
  return (
    <div className={styles.text}>
      <Suspense fallback={<SkeletonLines lines={lines} />}>
        <MarkdownText text={text} hasHtml={hasHtml} />
      </Suspense>
    </div>
  );
}
