// Adds to the first paint of index.html: the parts of each screen, so that they are requested before the first script has run; and the hash by which
// the Content-Security-Policy permits the inline script.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const place = '/*first-parts*/ null';
/** Read by server/http/console-headers.ts. */
const policyFile = 'content-policy.json';
const routes = path.resolve(import.meta.dirname, '../pwa/routes');

type Chunks = ReadonlyMap<string, Rolldown.OutputChunk>;

/** By which a start puts back what the device has. */
const stored = 'pwa/offline/stored-answers.ts';

export function firstPaint(): Plugin {
  return {
    name: 'first-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(page, { bundle }) {
        if (!page.includes(place)) throw new Error(`index.html has no ${place}`);
        return stylesLast(page.replace(place, JSON.stringify(firstParts(bundle ?? {}))));
      },
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        // The service worker's build has no page.
        const page = bundle['index.html'];
        if (page?.type !== 'asset') return;
        this.emitFile({ type: 'asset', fileName: policyFile, source: JSON.stringify({ scripts: inlineHashes(String(page.source)) }) });
      },
    },
  };
}

/** In the head a style sheet blocks rendering; after the frame it blocks only the scripts. */
function stylesLast(page: string): string {
  const links = page.match(/[ \t]*<link rel="stylesheet"[^>]*>\n?/g) ?? [];
  const without = links.reduce((rest, link) => rest.replace(link, ''), page);
  if (links.length === 0 || !without.includes('</body>')) throw new Error('index.html has no style sheet to move, or no body');
  return without.replace('</body>', `${links.join('')}</body>`);
}

/** Hashes of the scripts that stand in a page, as a policy names them. */
function inlineHashes(page: string): string[] {
  const scripts = page.matchAll(/<script>([\s\S]*?)<\/script>/g);
  return [...scripts].map(([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
}

/** By the first part of an address: the files for everybody, with zh and with en texts, as numbers in `files`. */
function firstParts(bundle: Rolldown.OutputBundle) {
  const chunks: Chunks = new Map(
    Object.values(bundle)
      .filter((part) => part.type === 'chunk')
      .map((chunk) => [chunk.fileName, chunk]),
  );
  const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
  if (entry === undefined) throw new Error('The build has no entry');
  // The page requests these itself.
  const already = closure(chunks, entry);
  const files: string[] = [];
  const numberOf = (file: string): number => {
    const name = file.replace(/^assets\//, '');
    if (!files.includes(name)) files.push(name);
    return files.indexOf(name);
  };
  const numbers = (parts: Rolldown.OutputChunk[]): number[] =>
    [...new Set(parts.flatMap((part) => [...closure(chunks, part)]))].filter((file) => !already.has(file)).map(numberOf);

  const of: Record<string, [number[], number[], number[]]> = {};
  for (const chunk of chunks.values()) {
    const file = /routes\/(.*)\.tsx\?tsr-split=component$/.exec(chunk.facadeModuleId ?? '')?.[1];
    const [layout = '', name = ''] = file?.split('/') ?? [];
    // Layouts stand with their screens, and screens below a list with the list.
    if (name === '' || name.includes('.')) continue;
    const frame = [...chunks.values()].filter((one) => one.facadeModuleId?.endsWith(`routes/${layout}.tsx?tsr-split=component`));
    const texts = (language: string) =>
      numbers(
        [...chunks.values()].filter((one) => {
          const id = one.facadeModuleId ?? '';
          return (
            id.endsWith(`i18n/first-${language}.ts`) ||
            [...textsOf(layout), ...textsOf(`${layout}/${name}`)].some((slice) => id.endsWith(`i18n/${language}/${slice}.json`))
          );
        }),
      );
    const preloads = [...(layout === '_shell' ? [stored] : []), ...preloadsOf(layout), ...preloadsOf(`${layout}/${name}`)];
    const early = [...chunks.values()].filter((one) => preloads.some((part) => one.facadeModuleId?.endsWith(part)));
    of[name === 'index' ? '/' : name] = [numbers([...frame, chunk, ...early]), texts('zh'), texts('en')];
  }
  return { files, of };
}

/** A chunk, everything it imports at once, and their styles. */
function closure(chunks: Chunks, chunk: Rolldown.OutputChunk, found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  for (const name of chunk.imports) {
    const imported = chunks.get(name);
    if (imported !== undefined) closure(chunks, imported, found);
  }
  return found;
}

/** Returns the modules by which a screen's route requests its data. */
function preloadsOf(route: string): string[] {
  return [...codeOf(route).matchAll(/import\('#(pwa\/(?:app|features)\/[\w-]+\/preload-[\w-]+\.ts)'\)/g)].map(([, file = '']) => file);
}

/** Returns the slices of texts that a screen's route loads. */
function textsOf(route: string): string[] {
  const code = codeOf(route);
  const inside = [...code.matchAll(/loadTexts\(([^)]*)\)/g)].map(([, names = '']) => names).join(',');
  return [...inside.matchAll(/'(\w+)'/g)].map(([, slice = '']) => slice);
}

function codeOf(route: string): string {
  return readFileSync(path.join(routes, `${route}.tsx`), 'utf8');
}
