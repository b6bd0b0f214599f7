// Lets one build serve below any path (BASE_PATH): what Vite writes as absolute addresses of chunks is read from the address of the chunk that loads
// them. A relative `base` does so as well, but adds the module's address to each of some hundred imports.
import type { Plugin } from 'vite';

const absolute = 'return "/"+dep';
/** Of `https://host/ai/assets/chunk.js`: `/ai/`. */
const folder = `import.meta.url.split('/').slice(3, -2).map((part) => part + '/').join('')`;

export function basePathAtRuntime(): Plugin {
  return {
    name: 'base-path-at-runtime',
    apply: 'build',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler(code) {
        if (!code.includes(absolute)) throw new Error(`Vite's helper that loads chunks does not contain ${absolute}`);
        return { code: `const base = "/"+${folder};${code.replace(absolute, 'return base+dep')}`, map: null };
      },
    },
  };
}
