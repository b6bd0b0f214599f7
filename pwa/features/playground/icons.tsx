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
  file: <path d="M4 2.500h5l3 3v8H4zM9 2.500v3h3" />,
  sound: <path d="M2.500 6.500v3M5.250 4v8M8 6v4M10.750 3v10M13.500 6.500v3" />,
  microphone: (
    <>
      <rect x="6" y="2" width="4" height="7.500" rx="2" />
      <path d="M3.500 7.500a4.500 4.500 0 0 0 9 0M8 12v2.500" />
    </>
  ),
  download: <path d="M8 2.500v7.500M4.500 7 8 10.500 11.500 7M3 13.500h10" />,
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
