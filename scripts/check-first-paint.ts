// Compares the inline part of index.html, which repeats a few colours and sizes of app/tokens.css because it is rendered before any style sheet is
// there, with their source, and limits its size.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Bytes of script, style and markup of the first paint, as written; the build adds the list of first parts. */
const most = 6 * 1024;

const root = path.resolve(import.meta.dirname, '..');
const page = await readFile(path.join(root, 'pwa/index.html'), 'utf8');
const tokens = await readFile(path.join(root, 'pwa/app/tokens.css'), 'utf8');
const style = between(page, '<style>', '</style>');
const script = between(page, '<script>', '</script>');
const frame = between(page, '<div id="root">', '<script type="module"');
const faults: string[] = [];

const [light = '', dark = ''] = tokens.split(":root[data-mantine-color-scheme='dark']");
const [lightRule = '', darkRule = ''] = [/^:root\{[^}]*\}/m, /^:root\[data-mantine-color-scheme=dark\]\{[^}]*\}/m].map(
  (rule) => rule.exec(style)?.[0] ?? '',
);
const colours = { b: 'bg', s: 'sheet', l: 'line', k: 'ink', m: 'ink-3', t: 'track', w: 'water' };
for (const [short, name] of Object.entries(colours)) {
  compare(`${name} (light)`, long(valueOf(lightRule, short)), long(valueOf(light, name)));
  compare(`${name} (dark)`, long(valueOf(darkRule, short)), long(valueOf(dark, name)));
}
for (const [scheme, sheet] of [
  ['light', light],
  ['dark', dark],
] as const) {
  if (!script.includes(`'${valueOf(sheet, 'bg')}'`)) faults.push(`the script does not set the bar's colour of the ${scheme} scheme`);
}
const [grid] = /grid-template:[^;}]*/.exec(style) ?? [''];
compare('height of the bar / width of the navigation', grid, `grid-template:${valueOf(light, 'topbar')} 1fr/${valueOf(light, 'nav')} 1fr`);
compare('height of a row', /\.sh main i\{[^}]*height:(\d+px)/.exec(style)?.[1] ?? '', valueOf(light, 'row'));
compare('height of a place in the bottom bar', /\.sh nav i\{height:(56px);padding:0/.exec(style)?.[1] ?? '', valueOf(light, 'bottombar'));
compare('radius of the sheet', /border-top-left-radius:(\d+px)/.exec(style)?.[1] ?? '', valueOf(light, 'r-3'));
compare(
  'space beside rows',
  /padding:0 (24px);border-bottom/.exec(style)?.[1] ?? '',
  valueOf(tokens.slice(tokens.indexOf('min-width: 601px')), 'gutter'),
);

const bytes = Buffer.byteLength(script + style + frame);
process.stdout.write(`first paint, inline          ${(bytes / 1000).toFixed(1).padStart(7)} of 6 kB\n`);
if (bytes > most) faults.push(`the first paint has ${bytes} bytes of at most ${most}`);
for (const fault of faults) process.stdout.write(`pwa/index.html: ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`pwa/index.html has no ${start}`);
  return text.slice(from + start.length, to);
}

function valueOf(rules: string, name: string): string {
  return new RegExp(`--${name}:\\s*([^;}]+)`).exec(rules)?.[1]?.trim() ?? '';
}

/** `#fff` as `#ffffff`. */
function long(colour: string): string {
  return colour.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3').toLowerCase();
}

function compare(what: string, here: string, there: string): void {
  if (here === '' || here !== there) faults.push(`${what} is ${here || 'not found'}, app/tokens.css has ${there}`);
}
