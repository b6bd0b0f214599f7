// The build of the console. The server has no build: it runs its TypeScript directly.
import { readFile } from 'node:fs/promises';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { serverPrefixes } from '#shared/paths.ts';
import { manifest } from './pwa/manifest.ts';

const server = process.env.TIDEGATE_SERVER ?? 'http://localhost:3000';

/** The parts of the console that the shell and the sign-in consist of. */
const firstParts = new RegExp(
  [
    'pwa/api/(?!.*test)',
    'pwa/app/(?!shell/more-sheet)',
    'pwa/i18n/setup',
    'pwa/offline/(database|install-hint|online-status|outbox-store|query-persister|register-worker|update-prompt)',
    'pwa/ui/(as-of|breakpoint|copy-text|disclosure|format|format-context|freshness-chip|glyph|icon|level|list-search|places|screen-heading|status-mark|tag|toast|toasts|unsaved-store)\\.',
    'shared/(contract|envelope|paths|roles|session|site|users)\\.ts',
  ].join('|'),
);

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
    zodWithoutJsonSchema(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: '.',
      filename: 'service-worker.ts',
      // Registered by pwa/offline/register-worker.ts, which asks before it updates.
      injectRegister: false,
      manifest,
      injectManifest: {
        // A classic script is one file by nature; for a module the plugin asks rolldown for that by a name it has given up.
        rollupFormat: 'iife',
        globPatterns: ['**/*.{js,css,html,svg,png,woff2}'],
        globIgnores: ['**/screenshot-*'],
      },
    }),
  ],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // One small style sheet per screen; the shell's is shared.
    cssCodeSplit: true,
    // Every browser that the target means preloads modules.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 30 },
            { name: 'router', test: /node_modules[\\/]@tanstack[\\/]/, priority: 20 },
            { name: 'library', test: /node_modules[\\/](zod|i18next|react-i18next|idb|clsx)[\\/]/, priority: 20 },
            // What every page needs, in one piece: forty small files compress worse and ask more often.
            { name: 'shell', test: firstParts, priority: 10 },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(serverPrefixes.map((prefix) => [prefix, { target: server, ws: true, bypass: ownModule }])) },
});

/** While developing, the modules in `pwa/api/` are asked for under the server's prefix `/api`; they are not the server's. */
function ownModule({ url = '' }: { url?: string }): string | undefined {
  return /^\/api\/[\w-]+\.tsx?(\?|$)/.test(url) ? url : undefined;
}

/**
 * The console checks with zod but never makes JSON Schemas (the server does, for its OpenAPI document). zod's schemas
 * refer to that part from their constructors, so it cannot be shaken off; without it the first load is 6 kB smaller.
 */
function zodWithoutJsonSchema(): Plugin {
  return {
    name: 'zod-without-json-schema',
    enforce: 'pre',
    apply: 'build',
    async load(id) {
      if (!/[\\/]zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/.test(id)) return null;
      const names = (await readFile(id, 'utf8')).matchAll(/^export (?:const|function|class) (\w+)/gm);
      const stubs = [...names].map(([, name = '']) => `export const ${name} = ${name.startsWith('create') ? '() => absent' : 'absent'};`);
      const absent = "const absent = () => { throw new Error('JSON Schemas are not part of the console'); };";
      return { code: [absent, ...stubs].join('\n'), moduleSideEffects: false };
    },
  };
}
