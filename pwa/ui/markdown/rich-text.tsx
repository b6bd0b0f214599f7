import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { SkeletonLines } from '#pwa/ui/frame/query-state.tsx';
import styles from './rich-text.module.css';

const MarkdownText = lazy(async () => ({ default: (await import('./markdown.tsx')).MarkdownText }));

interface RichTextProps {
  text: string;
  /** HTML within it is drawn too, as far as it is harmless; else it is shown as it is written. */
  hasHtml?: boolean;
  /** A model's words: pictures from elsewhere are links. */
  isUntrusted?: boolean;
  /** Draws code that has lines of its own; `children` is the `code` element. */
  codeBlock?: ComponentType<{ children?: ReactNode }>;
  /** Of the skeleton while the parts for it are loaded. */
  lines?: number;
}

/** Markdown. */
export function RichText({ text, hasHtml = false, isUntrusted = false, codeBlock, lines = 3 }: RichTextProps) {
  return (
    <div className={styles.text}>
      <Suspense fallback={<SkeletonLines lines={lines} />}>
        <MarkdownText text={text} hasHtml={hasHtml} isUntrusted={isUntrusted} codeBlock={codeBlock} />
      </Suspense>
    </div>
  );
}
