// Shapes of 12 px: of a status, of the source of a number, of freshness. Each has a word next to it.
import type { ReactNode } from 'react';
import type { FrameGlyphName } from '#pwa/ui/frame/frame-glyphs.tsx';
import styles from './glyph.module.css';

const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;

/** Those of the sign-in. */
const shapes = {
  dot: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  cross: <path d="m2.2 2.2 7.6 7.6M9.8 2.2 2.2 9.8" {...line} strokeWidth={2} />,
  diamond: <path d="M6 1 11 6 6 11 1 6z" {...line} />,
  barred: (
    <>
      <circle cx="6" cy="6" r="4.75" {...line} />
      <path d="M2.7 9.3 9.3 2.7" {...line} />
    </>
  ),
};

export type GlyphName = keyof typeof shapes | FrameGlyphName;

const known = new Map<string, ReactNode>(Object.entries(shapes));

export function addGlyphs(further: Record<FrameGlyphName, ReactNode>): void {
  for (const [name, shape] of Object.entries(further)) known.set(name, shape);
}

export function Glyph({ name }: { name: GlyphName }) {
  return (
    <svg className={styles.glyph} viewBox="0 0 12 12" aria-hidden="true">
      {known.get(name)}
    </svg>
  );
}
