// The build of the console. The server has no build: it runs its TypeScript directly.
import { readFile } from 'node:fs/promises';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { serverPrefixes } from '#shared/paths.ts';
import { manifest } from './pwa/manifest.ts';
import { firstChunk } from './scripts/first-chunks.ts';
import { firstPaint } from './scripts/first-paint-plugin.ts';

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
    zodForConsole(),
    contractsForConsole(),
    firstPaint(),
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
        // The sign-in names all chunks of all screens, and nothing compresses worse than a hash: fewer characters of it are enough.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:6][extname]',
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 30 },
            {
              name: 'router',
              test: /node_modules[\\/]@tanstack[\\/](?!.*(useBlocker|[uU]seQueries|queriesObserver|[iI]nfiniteQuery(Observer|Options)?)[.]js)/,
              priority: 20,
            },
            { name: 'library', test: /node_modules[\\/](zod|i18next|react-i18next[\\/]dist[\\/]es[\\/](?!Trans))/, priority: 20 },
            // In one piece each: forty small files compress worse and ask more often.
            { name: firstChunk('first'), priority: 15 },
            { name: firstChunk('frame'), priority: 10 },
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

/** What the OpenAPI document says of a call is for the server alone: the sign-in is lighter without it. */
function contractsForConsole(): Plugin {
  return {
    name: 'contracts-for-console',
    transform(code, id) {
      if (!/\/shared\/[\w-]+\.ts$/.test(id) || !code.includes('endpoint(')) return undefined;
      return { code: code.replaceAll(/\bsummary: (['"])(?:(?!\1)[^\\]|\\.)*\1,?/g, ''), map: null };
    },
  };
}

/**
 * Parts of zod that the console never uses, and that its constructors refer to so that they cannot be shaken off: a tenth
 * of the sign-in. Checks of a string's format are asked for as `z.email()`, not as `z.string().email()`.
 */
function zodForConsole(): Plugin {
  const absent = "const absent = () => { throw new Error('This part of zod is not in the console (vite.config.ts)'); };";
  const parts: { file: RegExp; shorten: (code: string) => string }[] = [
    {
      // The server makes JSON Schemas, for its OpenAPI document.
      file: /core[\\/](json-schema-processors|to-json-schema)\.js$/,
      shorten: (code) => {
        const names = code.matchAll(/^export (?:const|function|class) (\w+)/gm);
        const stubs = [...names].map(([, name = '']) => `export const ${name} = ${name.startsWith('create') ? '() => absent' : 'absent'};`);
        return [absent, ...stubs].join('\n');
      },
    },
    // Its sentences are never shown: what is wrong is said by texts of the console, or by the server.
    { file: /locales[\\/]en\.js$/, shorten: () => `export default () => ({ localeError: (issue) => issue.code });` },
    // Answers of the server are JSON: nothing in them contains itself.
    { file: /core[\\/]memoizer\.js$/, shorten: (code) => code.replace(/(export function memoizer\(\) \{)[^}]*\}/, '$1}') },
    {
      file: /classic[\\/]schemas\.js$/,
      shorten: (code) => {
        const methods = /^ {4}(\w+)\(params\) \{\s*return this\.check\(core\._\w+\(Zod\w+, params\)\);\s*\}/gm;
        // Compiled checks need eval, which the console's policy forbids (pwa/app/zod-without-eval.ts).
        return `${absent}\n${code.replace(methods, '    $1: absent').replaceAll('$ZodObjectJIT', '$ZodObject')}`;
      },
    },
  ];
  return {
    name: 'zod-for-console',
    enforce: 'pre',
    apply: 'build',
    async load(id) {
      const part = parts.find(({ file }) => /[\\/]zod[\\/]v4[\\/]/.test(id) && file.test(id));
      if (part === undefined) return null;
      const code = await readFile(id, 'utf8');
      const shorter = part.shorten(code);
      // A newer zod that is written in another way is not to grow the console in silence.
      if (shorter === code || shorter === `${absent}\n${code}`) throw new Error(`zodForConsole finds nothing to leave out of ${id}`);
      return { code: shorter, moduleSideEffects: false };
    },
  };
}
