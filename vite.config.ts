// The build of the console. The server has no build: it runs its TypeScript directly.
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { serverPrefixes } from '#shared/paths.ts';
import { manifest } from './pwa/manifest.ts';

const server = process.env.TIDEGATE_SERVER ?? 'http://localhost:3000';

export default defineConfig({
  root: 'pwa',
  publicDir: '../public',
  plugins: [
    tanstackRouter({
      target: 'react',
      routesDirectory: './routes',
      generatedRouteTree: './route-tree.gen.ts',
      addExtensions: true,
      autoCodeSplitting: true,
      quoteStyle: 'single',
      semicolons: true,
    }),
    react(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: '.',
      filename: 'service-worker.ts',
      // Registered by pwa/offline/register-worker.ts, which asks before it updates.
      injectRegister: false,
      manifest,
      injectManifest: { globPatterns: ['**/*.{js,css,html,svg,png,woff2}'], globIgnores: ['**/screenshot-*'] },
    }),
  ],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // One small style sheet per screen; the shell's is shared.
    cssCodeSplit: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 30 },
            { name: 'router', test: /node_modules[\\/]@tanstack[\\/]/, priority: 20 },
            { name: 'texts-zh', test: /pwa[\\/]i18n[\\/]zh[\\/](common|shell|session|errors|home)\.json/, priority: 20 },
            { name: 'texts-en', test: /pwa[\\/]i18n[\\/]en[\\/](common|shell|session|errors|home)\.json/, priority: 20 },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(serverPrefixes.map((prefix) => [prefix, { target: server, ws: true }])) },
});
