// The build of the console. The server has no build: it runs its TypeScript directly.
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { serverPrefixes } from '#shared/paths.ts';
import { manifest } from './pwa/manifest.ts';
import { basePathAtRuntime } from './scripts/base-path-plugin.ts';
import { dailyChunk, firstChunk, mostSharers, sharedChunk } from './scripts/first-chunks.ts';
import { firstPaint } from './scripts/first-paint-plugin.ts';
import { manifestOutside } from './scripts/manifest-plugin.ts';
import { precompress } from './scripts/precompress-plugin.ts';

const server = process.env.TIDEGATE_SERVER ?? 'http://localhost:3000';

export default defineConfig({
  root: 'pwa',
  // React has the hook itself; the package that stands for it in older ones is left out.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim$/, replacement: 'react' }] },
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
    basePathAtRuntime(),
    firstPaint(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: '.',
      filename: 'service-worker.ts',
      // Registered by pwa/offline/register-worker.ts, which updates after a confirmation.
      injectRegister: false,
      manifest,
      injectManifest: {
        // A classic script is one file by nature; for a module the plugin requests that from rolldown by an option that no longer exists.
        rollupFormat: 'iife',
        globPatterns: ['**/*.{js,css,html,svg,png,woff2}'],
        globIgnores: ['**/screenshot-*'],
      },
    }),
    manifestOutside(),
    precompress(),
  ],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    manifest: true,
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
            {
              name: 'router',
              test: /node_modules[\\/]@tanstack[\\/](?!.*(useBlocker|[uU]seQueries|queriesObserver|[iI]nfiniteQuery(Observer|Options)?)[.]js)/,
              priority: 20,
            },
            { name: 'library', test: /node_modules[\\/](zod|i18next|react-i18next[\\/]dist[\\/]es[\\/](?!Trans))/, priority: 20 },
            // In one piece each: forty small files compress worse and need more requests.
            { name: firstChunk('first'), priority: 15 },
            { name: firstChunk('frame'), priority: 10 },
            {
              name: 'input',
              test: /node_modules[\\/]@mantine[\\/]core[\\/]esm[\\/]components[\\/](Input|InputBase|TextInput|CloseButton)[\\/]/,
              priority: 8,
            },
            { name: sharedChunk('screen'), priority: 7 },
            { name: sharedChunk('panel'), priority: 6 },
            { name: sharedChunk('list'), priority: 5 },
            ...Array.from({ length: mostSharers }, (_, index) => ({
              name: dailyChunk(index + 1),
              priority: 4 + index / 10,
              includeDependenciesRecursively: false,
            })),
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(serverPrefixes.map((prefix) => [prefix, { target: server, ws: true, bypass: ownModule }])) },
});

/** In development the browser requests the modules in `pwa/api/` under the server's prefix `/api`; they are not the server's. */
function ownModule({ url = '' }: { url?: string }): string | undefined {
  return /^\/api\/[\w-]+\.tsx?(\?|$)/.test(url) ? url : undefined;
}
