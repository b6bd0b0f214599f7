// Icons of the console: 16 px grid, 1.5 px stroke, round ends. An icon is next to a word, or its control has a name. These are for the
// sign-in; those of all other screens load with the frame (frame-icons.tsx).
import type { ReactNode } from 'react';
import type { FrameIconName } from '#pwa/ui/frame/frame-icons.tsx';
import styles from './icon.module.css';

const shapes = {
  language: <path d="M2.5 4h6M5.5 2.5V4M7.4 4c-.5 2.4-2.2 4.3-4.6 5.3M4 6.2c.9 1.5 2 2.5 3.6 3.2M8 13.5l3-7 3 7M9 11.3h4" />,
  moon: <path d="M13 9.3A5.3 5.3 0 0 1 6.7 3 5.3 5.3 0 1 0 13 9.3z" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1" />
    </>
  ),
  system: (
    <>
      <rect x="2" y="3" width="12" height="8" rx="1" />
      <path d="M5.5 13.5h5M8 11v2.5" />
    </>
  ),
  check: <path d="m3.5 8.3 3 3 6-6.6" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
      <path d="M10.5 5.3V3a.5.5 0 0 0-.5-.5H3a.5.5 0 0 0-.5.5v7a.5.5 0 0 0 .5.5h2.3" />
    </>
  ),
  unlinked: (
    <path d="M6.5 9.5 5 11a2.5 2.5 0 0 1-3.5-3.5L3 6M9.5 6.5 11 5a2.5 2.5 0 0 1 3.5 3.5L13 10M5 2.8v1M2.8 5h1M11 13.2v-1M13.2 11h-1" />
  ),
  eye: (
    <>
      <path d="M1.8 8c1.4-2.7 3.5-4 6.2-4s4.8 1.3 6.2 4c-1.4 2.7-3.5 4-6.2 4S3.2 10.7 1.8 8z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  'eye-off': (
    <path d="M3.6 5.5C2.9 6.2 2.3 7 1.8 8c1.4 2.7 3.5 4 6.2 4 .9 0 1.8-.15 2.5-.44M6.3 4.200C6.8 4.06 7.4 4 8 4c2.7 0 4.8 1.3 6.2 4-.5 1-1.1 1.8-1.8 2.400M2.5 2.500l11 11" />
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes | FrameIconName;

const known = new Map<string, ReactNode>(Object.entries(shapes));

export function addIcons(further: Record<FrameIconName, ReactNode>): void {
  for (const [name, shape] of Object.entries(further)) known.set(name, shape);
}

export function Icon({ name, large = false }: { name: IconName; large?: boolean }) {
  return (
    <svg className={styles.icon} data-large={large || undefined} viewBox="0 0 16 16" aria-hidden="true">
      {known.get(name)}
    </svg>
  );
}

/** The product's mark: a gate with the water standing in it. */
export function Mark() {
  return (
    <svg className={styles.mark} viewBox="0 0 20 20" aria-hidden="true">
      <path d="M5 10.5h10V18H5z" fill="var(--water)" />
      <path d="M5 10.5h10" stroke="var(--ink)" strokeWidth="1.5" />
      <path d="M6.5 2.5h7v4.6h-7z" fill="none" stroke="var(--ink)" strokeWidth="1.5" />
      <path d="M3 1.5v17M17 1.5v17" stroke="var(--ink)" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  );
}
