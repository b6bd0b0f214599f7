// Adds to package-lock.json what `npm install` left out: packages for other platforms that the registry in use does not carry (mirrors often have
// Linux only). Without them `npm ci` refuses the lock file on every machine. `--check` only looks.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const file = path.resolve(import.meta.dirname, '../package-lock.json');
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = [];
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!isIn(place, name)) missing.push({ name, version, isDevelopment: entry.dev === true });
  }
}

if (missing.length === 0) {
  console.log('The lock file names a package for every platform.');
} else if (process.argv.includes('--check')) {
  const names = missing.map(({ name, version }) => `${name}@${version}`).join(', ');
  console.log(`package-lock.json lacks ${names}. Run \`node scripts/complete-lock.mjs\`.`);
  process.exitCode = 1;
} else {
  for (const { name, version, isDevelopment } of missing) {
    if (!/^\d+\.\d+\.\d+[^ ]*$/.test(version)) throw new Error(`${name} has no exact version: ${version}`);
    lock.packages[`node_modules/${name}`] = { version, ...platformOf(name, isDevelopment) };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([left], [right]) => left.localeCompare(right, 'en')));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`Added ${missing.length} packages of other platforms.`);
}

/** Returns whether `require` from a package at `place` finds `name`: in the same folder or in any folder above. */
function isIn(place, name) {
  for (let from = place; ;) {
    if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in lock.packages) return true;
    if (from === '') return false;
    const above = from.lastIndexOf('node_modules/');
    from = from.slice(0, Math.max(0, above - 1));
  }
}

/** Platform packages carry theirs in the name: `…-linux-x64-gnu`, `…/darwin-arm64`. Fields in npm's order. */
function platformOf(name, isDevelopment) {
  const words = name.split(/[-/]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined) throw new Error(`The name of ${name} does not tell its platform`);
  const end = words.at(-1) ?? '';
  const libc = os !== 'linux' ? {} : end.startsWith('musl') ? { libc: ['musl'] } : end.startsWith('gnu') ? { libc: ['glibc'] } : {};
  return { cpu: [cpu], ...(isDevelopment ? { dev: true } : {}), ...libc, optional: true, os: [os] };
}
