// Shapes of statuses beyond the sign-in; `ScreenProviders` brings them.
import type { ReactNode } from 'react';

const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;

export const frameGlyphs = {
  square: <rect x="1.75" y="1.75" width="8.5" height="8.5" rx="1" {...line} />,
  alarm: (
    <>
      <path d="M6 .6 11.7 11H.3z" fill="currentColor" />
      <path d="M6 4.4v3.1M6 9.2v.1" stroke="var(--sheet)" strokeWidth="1.4" strokeLinecap="round" />
    </>
  ),
  basin: <path d="M1.5 1.5v7.25a1.75 1.75 0 0 0 1.75 1.75h5.5a1.75 1.75 0 0 0 1.75-1.75V1.5M1.8 8.4h8.4" {...line} />,
  clock: (
    <>
      <circle cx="6" cy="6" r="4.75" {...line} strokeWidth={1.25} />
      <path d="M6 3.4V6l1.8 1.1" {...line} strokeWidth={1.25} />
    </>
  ),
  ring: <circle cx="6" cy="6" r="4.5" {...line} />,
  split: (
    <>
      <path d="M6 1 11 6 6 11 1 6z" {...line} />
      <path d="M6 1v10" {...line} />
    </>
  ),
  live: (
    <>
      <circle cx="6" cy="6" r="2.25" fill="currentColor" />
      <circle cx="6" cy="6" r="5" {...line} strokeWidth={1.25} />
    </>
  ),
  waiting: <path d="M6 7.5V1.2M3.6 3.4 6 1.1l2.4 2.3M1.2 7v3.6h9.6V7" {...line} />,
  full: <rect x="1.5" y="1.5" width="9" height="9" rx="1" fill="currentColor" />,
  half: (
    <>
      <rect x="1.75" y="1.75" width="8.5" height="8.5" {...line} />
      <path d="M2 10V2h4v8z" fill="currentColor" />
    </>
  ),
  dashed: (
    <rect x="1.75" y="1.75" width="8.5" height="8.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.1 2.15" />
  ),
} satisfies Record<string, ReactNode>;

export type FrameGlyphName = keyof typeof frameGlyphs;
