// Icons that only the playground has.
import type { ReactNode } from 'react';
import styles from './playground.module.css';

const shapes = {
  attach: <path d="m12.8 7.5-5 5a3 3 0 0 1-4.3-4.3l5.3-5.2a2 2 0 0 1 2.8 2.8l-5 5a1 1 0 0 1-1.4-1.4l4.3-4.3" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" />,
  send: <path d="M8 13V3.500M4 7.200 8 3.200l4 4" />,
  branch: (
    <>
      <circle cx="4.5" cy="3.5" r="1.5" />
      <circle cx="4.5" cy="12.5" r="1.5" />
      <circle cx="11.5" cy="5.5" r="1.5" />
      <path d="M4.5 5v6M11.5 7c0 2.5-3.5 2-6 3.5" />
    </>
  ),
  code: <path d="m5.5 4.5-3.5 3.500 3.500 3.500M10.500 4.500l3.500 3.500-3.500 3.500" />,
  beside: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="M8 3v10" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export function ChatIcon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg className={styles.icon} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
