// A formula as MathML, which browsers draw themselves. A chunk of its own: it is loaded with the first formula.
import temml from 'temml';
import { useMemo } from 'react';
import styles from './rich-text.module.css';

interface FormulaProps {
  tex: string;
  isBlock: boolean;
}

/** Longer ones are shown as they are written. */
const longest = 4_000;

/** What cannot be read is shown as it is written. Links, styles and pictures of TeX are off: these are a model's words. */
export function Formula({ tex, isBlock }: FormulaProps) {
  const mathMl = useMemo(() => render(tex, isBlock), [tex, isBlock]);
  if (mathMl === null) return <code>{tex}</code>;
  const html = { __html: mathMl };
  // Made by the library of nothing but the formula, which it escapes.
  return isBlock ? <div className={styles.formula} dangerouslySetInnerHTML={html} /> : <span dangerouslySetInnerHTML={html} />;
}

function render(tex: string, isBlock: boolean): string | null {
  if (tex.length > longest) return null;
  try {
    return temml.renderToString(tex, { displayMode: isBlock, throwOnError: true, trust: false, maxExpand: 500, maxSize: [10, 10] });
  } catch {
    return null;
  }
}
