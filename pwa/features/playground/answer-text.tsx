import { memo } from 'react';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';
import { CodeBlock } from './code-block.tsx';
import styles from './answer.module.css';
import { splitBlocks } from './split-blocks.ts';

/** Markdown that may be growing: what stands already is not drawn again. */
export function AnswerText({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const blocks = splitBlocks(text);
  return (
    <div className={styles.text} data-growing={isGrowing || undefined}>
      {blocks.map((block, index) => (
        // A block never changes its place.
        <Block key={index} text={block} />
      ))}
    </div>
  );
}

/** Models' words: HTML in them is shown as it is written, and pictures are not fetched from anywhere. */
const Block = memo(({ text }: { text: string }) => <RichText text={text} isUntrusted codeBlock={CodeBlock} lines={1} />);
