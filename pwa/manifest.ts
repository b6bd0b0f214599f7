// The web app manifest: what the installed console is called and offers. Colours are --bg of the light and of the dark scheme.
import type { ManifestOptions } from 'vite-plugin-pwa';
import { sharePath } from './offline/shared-text.ts';

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
    shortcut('令牌 · Tokens', '令牌', '/token'),
    shortcut('使用日志 · Usage logs', '日志', '/log'),
    shortcut('钱包 · Wallet', '钱包', '/topup'),
    shortcut('操练场 · Playground', '操练场', '/playground'),
    shortcut('新建令牌 · New token', '新建令牌', '/token?open=new'),
  ],
  // Codes that are passed on by message are shared to the wallet, other texts to the playground. Sent as a form, so that no code stands in an address that a
  // server logs; the service worker takes it.
  share_target: {
    action: sharePath,
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { title: 'title', text: 'text', url: 'url' },
  },
};

function shortcut(name: string, short_name: string, url: string) {
  return { name, short_name, url, icons: [{ src: '/icon-192.png', sizes: '192x192' }] };
}
