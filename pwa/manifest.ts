// The web app manifest: what the installed console is called and offers. Colours are --bg of the light and of the dark scheme.
import type { ManifestOptions } from 'vite-plugin-pwa';

export const manifest: Partial<ManifestOptions> = {
  id: '/',
  name: 'Tidegate',
  short_name: 'Tidegate',
  description: '模型 API 的网关与账本 · A gateway and billing console for AI model APIs',
  lang: 'zh-CN',
  dir: 'ltr',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  theme_color: '#eff5f5',
  background_color: '#eff5f5',
  categories: ['developer', 'finance', 'utilities'],
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
  ],
  shortcuts: [
    { name: '令牌 · Tokens', short_name: '令牌', url: '/token', icons: [{ src: '/icon-192.png', sizes: '192x192' }] },
    { name: '使用日志 · Usage logs', short_name: '日志', url: '/log', icons: [{ src: '/icon-192.png', sizes: '192x192' }] },
  ],
};
