// Icons of everything but the sign-in; `ScreenProviders` brings them.
import type { ReactNode } from 'react';

export const frameIcons = {
  lock: <path d="M3.5 7.500h9v6h-9zM5.500 7.500V5.200a2.500 2.500 0 0 1 5 0v2.300" />,
  organisation: (
    <path d="M3 13.500v-11h6v11M9 6.500h4v7M1.800 13.500h12.400M5.200 5.200h1.600M5.200 7.800h1.600M5.200 10.400h1.600M11 9h.01M11 11.200h.01" />
  ),
  home: <path d="M2.5 7.2 8 2.6l5.5 4.6v6.1H9.8V9.6H6.2v3.7H2.5z" />,
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="2.7" />
      <path d="m7.2 8.8 5.6-5.6M10.6 5.4l2 2" />
    </>
  ),
  chart: <path d="M2.5 13.5h11M4 13.5V9M8 13.5V3.5M12 13.5V6.5" />,
  list: <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01" />,
  bill: <path d="M3.5 2h9v12l-1.5-1-1.5 1-1.5-1-1.5 1-1.5-1-1.5 1zM6 5.5h4M6 8.5h4" />,
  audit: <path d="M3.5 2.5h6l3 3v8h-9zM9.5 2.5v3h3M5.8 8.5h4.4M5.8 11h4.4" />,
  price: <path d="M2.5 2.5h5l6 6-5 5-6-6zM5.2 5.2h.01" />,
  wallet: <path d="M2.5 4.5h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM2.5 4.5l8-2v2M10.5 9h.01" />,
  ticket: <path d="M2 5.500V4h12v1.500a2.500 2.500 0 0 0 0 5V12H2v-1.500a2.500 2.500 0 0 0 0-5zM9.500 6.500v3" />,
  channels: (
    <>
      <circle cx="3.5" cy="8" r="1.5" />
      <circle cx="12.5" cy="3.5" r="1.5" />
      <circle cx="12.5" cy="12.5" r="1.5" />
      <path d="M5 8h2.2c2 0 1.6-4.5 3.8-4.5M7.2 8c2 0 1.6 4.5 3.8 4.5" />
    </>
  ),
  users: (
    <>
      <circle cx="6" cy="5.5" r="2.5" />
      <path d="M1.8 13.5c.3-2.6 1.9-4 4.2-4s3.9 1.4 4.2 4M10.6 3.3a2.5 2.5 0 0 1 0 4.4M12 9.9c1.3.5 2 1.7 2.2 3.6" />
    </>
  ),
  user: (
    <>
      <circle cx="8" cy="5.3" r="2.6" />
      <path d="M3 13.5c.4-2.8 2.3-4.2 5-4.2s4.6 1.4 5 4.2" />
    </>
  ),
  settings: (
    <>
      <circle cx="8" cy="8" r="2" />
      <path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  archive: <path d="M2.5 3h11v3h-11zM3.5 6v7.5h9V6M6.5 8.5h3" />,
  outbox: <path d="M8 10V2.2M5.2 4.8 8 2l2.8 2.8M2 9.3v4.2h12V9.3" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M4 8h8" />,
  more: <path strokeWidth="2.5" d="M3.5 8h.01M8 8h.01M12.5 8h.01" />,
  down: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  up: <path d="m4.5 9.5 3.5-3.5 3.5 3.5" />,
  right: <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />,
  left: <path d="m9.5 4.5-3.5 3.5 3.5 3.5" />,
  filter: (
    <>
      <path d="M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6" />
      <circle cx="10.2" cy="5" r="1.6" />
      <circle cx="5.8" cy="11" r="1.6" />
    </>
  ),
  columns: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="M6.2 3v10M9.8 3v10" />
    </>
  ),
  download: <path d="M8 2.5v7M5 7l3 3 3-3M3 13h10" />,
  play: <path d="M5 3.5v9l7-4.5z" />,
  pulse: <path d="M1.8 8.5h2.7L6.3 4l3.2 8 1.8-3.5h2.9" />,
  leave: (
    <path d="M9.5 4.5V3a.5.5 0 0 0-.5-.5H3.5A.5.5 0 0 0 3 3v10a.5.5 0 0 0 .5.5H9a.5.5 0 0 0 .5-.5v-1.5M6.5 8h7M11.2 5.6 13.6 8l-2.4 2.4" />
  ),
  enter: (
    <path d="M6.5 4.5V3a.5.5 0 0 1 .5-.5h5.5a.5.5 0 0 1 .5.5v10a.5.5 0 0 1-.5.5H7a.5.5 0 0 1-.5-.5v-1.5M2.5 8h7M7.2 5.6 9.6 8l-2.4 2.4" />
  ),
  edit: <path d="m10.5 3 2.5 2.5-7.3 7.3-3.2.7.7-3.200zM9 4.5 11.5 7" />,
  trash: <path d="M2.8 4.500h10.400M6 4.500v-2h4v2M4 4.500l.6 9h6.800l.6-9M6.7 7v4M9.3 7v4" />,
  refresh: <path d="M13 8a5 5 0 1 1-1.6-3.700L13 5.800M13 2.800v3h-3" />,
  link: <path d="M9.5 3h3.500v3.500M13 3 7.5 8.500M11.5 9.500V13h-8.500V4.500h3.5" />,
  spark: (
    <path d="M8 2.5c.6 3.300 2.200 4.900 5.500 5.500-3.300.6-4.900 2.200-5.500 5.500-.6-3.300-2.200-4.900-5.500-5.500 3.300-.6 4.900-2.200 5.500-5.500z" />
  ),
  chat: <path d="M2.5 3.5h11V11H7.5l-3 2.5V11h-2z" />,
  book: (
    <path d="M8 4.200C6.8 3.2 5 2.8 2.5 2.800v9.400c2.5 0 4.3.4 5.5 1.4 1.2-1 3-1.4 5.5-1.400V2.800C11 2.8 9.2 3.2 8 4.200zM8 4.200v9.4" />
  ),
  picture: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="m2.8 11.500 3.200-3.200 2.500 2.500 2-2 2.700 2.700M6 5.900h.01" />
    </>
  ),
  music: (
    <>
      <circle cx="4.500" cy="12" r="1.800" />
      <circle cx="11.200" cy="10.500" r="1.800" />
      <path d="M6.300 12V4.200l6.700-1.700v8" />
    </>
  ),
  collapse: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="M6.2 3v10M11 6.3 9.3 8 11 9.7" />
    </>
  ),
  expand: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="M6.2 3v10M9.3 6.3 11 8l-1.7 1.7" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type FrameIconName = keyof typeof frameIcons;
