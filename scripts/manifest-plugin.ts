// Moves the manifest of the build, which `scripts/check-bundle.ts` reads, out of the console's folder, which the server would serve.
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';

export function manifestOutside(): Plugin {
  let folder = '';
  return {
    name: 'manifest-outside',
    apply: 'build',
    configResolved({ root, build }) {
      folder = path.resolve(root, build.outDir);
    },
    closeBundle: {
      order: 'pre',
      sequential: true,
      async handler() {
        await rename(path.join(folder, '.vite/manifest.json'), `${folder}-manifest.json`);
        await rm(path.join(folder, '.vite'), { recursive: true });
      },
    },
  };
}
