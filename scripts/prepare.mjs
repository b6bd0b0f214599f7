// What a fresh clone lacks, done before anything else runs. Plain JavaScript for any Node from 20 on: the pinned Node only
// exists once dependencies are installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
const buildStamp = path.join(root, 'dist/console/.built-from');

/** Path of a tool that dependencies bring along. */
export function tool(name) {
  return path.join(root, 'node_modules/.bin', process.platform === 'win32' ? `${name}.cmd` : name);
}

/** Returns the environment in which `node` is the pinned version, with a compile cache: a server of many small files starts in half the time. */
export function toolEnvironment() {
  return {
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compiled'),
    ...process.env,
    PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
  };
}

/** Installs dependencies if node_modules differs from the lock file, whichever tool installed it. */
export function installMissing() {
  if (isInstalled()) return;
  console.log('Installing dependencies…');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], process.env);
}

/** npm lists the installed packages; packages of other platforms are in the lock file only. */
function isInstalled() {
  const installedList = path.join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installedList) || !existsSync(tool('node'))) return false;
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedList, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([place, { version, optional }]) =>
      place === '' || installed[place]?.version === version || (optional === true && !(place in installed)),
  );
}

/** What the build reads; the last ones are parts of `vite.config.ts`. */
const buildSources = [
  'pwa',
  'shared',
  'public',
  'package-lock.json',
  'vite.config.ts',
  'scripts/first-chunks.ts',
  'scripts/first-paint-plugin.ts',
  'scripts/manifest-plugin.ts',
  'scripts/precompress-plugin.ts',
];

/** Builds the console when its sources have changed since the last build. */
export function buildConsole() {
  const sources = hashTree(buildSources);
  if (existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === sources) return;
  console.log('Building the console…');
  run(tool('vite'), ['build', '--logLevel', 'error'], toolEnvironment());
  writeFileSync(buildStamp, sources);
}

/** Runs a command to its end; a failure ends this process with the same code. */
export function run(command, args, env = toolEnvironment()) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', env, shell: process.platform === 'win32' });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const memoryDisk = '/dev/shm';

/** The environment of tests. Their databases live in memory where there is room: a disk's own pace is no part of what they prove. */
export function testEnvironment() {
  const environment = toolEnvironment();
  if (!existsSync(memoryDisk)) return environment;
  const { bavail, bsize } = statfsSync(memoryDisk);
  if (bavail * bsize < 4e9) return environment;
  const folder = mkdtempSync(path.join(memoryDisk, 'tidegate-tests-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { ...environment, TMPDIR: folder };
}

/** Runs a command in our place: signals go to it, its exit code is ours. */
export function become(command, args, env = toolEnvironment()) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env, shell: process.platform === 'win32' });
  // A terminal sends Ctrl-C to the whole group, so the child has it already; a service manager's SIGTERM comes only to us.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // npm passes SIGTERM on to a shell that does not pass it on: we are orphans then, and that is our signal.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 250).unref();
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)));
  child.on('error', (failure) => {
    console.error(failure.message);
    process.exit(1);
  });
}

function hashTree(names) {
  const digest = createHash('sha256');
  for (const name of names) {
    for (const file of filesOf(path.join(root, name))) digest.update(file).update(readFileSync(file));
  }
  return digest.digest('hex');
}

function filesOf(place) {
  if (!existsSync(place)) return [];
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
