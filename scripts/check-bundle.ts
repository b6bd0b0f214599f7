// What the console weighs, gzipped, by the build of its sources as they are: the sign-in, the first load (shell and sign-in), then what each
// further screen adds.
// Computed from the manifest of the build, so a chunk that is shared is counted where it is needed first.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { buildConsole } from './prepare.mjs';

/** kB (1000 bytes) of the gzipped files. */
const budget = { signIn: 165, firstScript: 202, firstStyle: 40, screen: 60 };
/** Screens of administrators with more fields than any other. The list only gets shorter: their texts belong to their pages. */
const larger = new Map([
  ['routes/_shell/audit-log.tsx', 61],
  ['routes/_shell/channel.tsx', 61],
  ['routes/_shell/setting.tsx', 66],
  ['routes/_shell/personal.tsx', 61],
]);
/** A file costs a slow phone more than its bytes: how many the screens of every day may add to the first load. */
const mostFiles = 24;
const daily = new Set(['routes/_shell/index.tsx', 'routes/_shell/log.tsx']);

const Chunk = z.object({
  file: z.string(),
  isEntry: z.boolean().optional(),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
});
const Manifest = z.record(z.string(), Chunk);

const root = path.resolve(import.meta.dirname, '..');
const routeTree = path.join(root, 'pwa/route-tree.gen.ts');
const folder = path.join(root, 'dist/console');
const before = await readFile(routeTree, 'utf8');
buildConsole();
const isSmall = await report(Manifest.parse(JSON.parse(await readFile(`${folder}-manifest.json`, 'utf8'))));
const isTreeCurrent = (await readFile(routeTree, 'utf8')) === before;
if (!isTreeCurrent) process.stdout.write('pwa/route-tree.gen.ts was not up to date: the build has renewed it, commit it\n');
process.exitCode = isSmall && isTreeCurrent ? 0 : 1;

async function report(manifest: z.output<typeof Manifest>): Promise<boolean> {
  const routes = Object.keys(manifest).filter((name) => name.startsWith('routes/'));
  const isFirst = (name: string) => /^routes\/(_shell|_plain|_plain\/login)[.]tsx/.test(name);
  const isSignIn = (name: string) => /^routes\/(_plain|_plain\/login)[.]tsx/.test(name);
  const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry === true);
  const first = new Set<string>();
  // One language is loaded, zh before anything was chosen.
  for (const name of [...entries, 'i18n/first-zh.ts', ...routes.filter(isSignIn)]) addFiles(manifest, name, first);
  const signIn = await weigh([...first].filter((file) => file.endsWith('.js')));
  for (const name of routes.filter(isFirst)) addFiles(manifest, name, first);
  for (const slice of await textsOf('routes/_shell.tsx')) addFiles(manifest, `i18n/zh/${slice}.json`, first);
  if (entries.length === 0 || !routes.some(isFirst)) throw new Error('The manifest names no entry or no first screen');

  const script = await weigh([...first].filter((file) => file.endsWith('.js')));
  const style = await weigh([...first].filter((file) => file.endsWith('.css')));
  let isGood = line('sign-in, JavaScript', signIn, budget.signIn);
  isGood = line('first load, JavaScript', script, budget.firstScript) && isGood;
  isGood = line('first load, CSS', style, budget.firstStyle) && isGood;
  for (const name of routes.filter((route) => !isFirst(route))) {
    const own = new Set<string>();
    addFiles(manifest, name, own);
    for (const slice of await textsOf(name)) addFiles(manifest, `i18n/zh/${slice}.json`, own);
    const files = [...own].filter((file) => !first.has(file));
    isGood =
      line(name.replace(/^routes\/(.*)\.tsx.*$/, '$1'), await weigh(files), larger.get(name.replace(/\?.*$/, '')) ?? budget.screen) &&
      isGood;
    if (daily.has(name.replace(/\?.*$/, ''))) isGood = filesLine(files.length) && isGood;
  }
  return isGood;
}

/** A chunk with everything that it imports at once. What a screen loads later by itself (charts) does not count. */
function addFiles(manifest: z.output<typeof Manifest>, name: string, files: Set<string>): void {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`The build has no chunk ${name}`);
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const style of chunk.css) files.add(style);
  for (const imported of chunk.imports) addFiles(manifest, imported, files);
}

/** Returns the slices of texts that a route loads. */
async function textsOf(route: string): Promise<string[]> {
  const code = await readFile(path.join(root, 'pwa', route.replace(/\?.*$/, '')), 'utf8');
  const inside = [...code.matchAll(/loadTexts\(([^)]*)\)/g)].map(([, names = '']) => names).join(',');
  return [...new Set([...inside.matchAll(/'([\w-]+)'/g)].map(([, slice = '']) => slice))];
}

async function weigh(files: string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += gzipSync(await readFile(path.join(folder, file))).length;
  return bytes / 1000;
}

function line(name: string, size: number, most: number): boolean {
  const isGood = size <= most;
  process.stdout.write(`${name.padEnd(28)}${size.toFixed(1).padStart(7)} of ${most} kB${isGood ? '' : '  TOO MUCH'}\n`);
  return isGood;
}

function filesLine(count: number): boolean {
  const isGood = count <= mostFiles;
  process.stdout.write(`${''.padEnd(28)}${String(count).padStart(7)} of ${mostFiles} files${isGood ? '' : '  TOO MANY'}\n`);
  return isGood;
}
