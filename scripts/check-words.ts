// Counts words of the project's old dialect in comments and Markdown, where the field has a standard term (`told`: returned, reported;
// `asked`: requested; `kept`: stored). `scripts/word-budget.json` holds the most that each folder may have: a number may only fall.
// `--write` lowers the stored numbers to the counted ones and never raises one. `--list FOLDER` prints each occurrence.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const words =
  /\b(?:told|tells?|telling|(?:un)?asked|asks?|asking|(?:un)?heard|hears?|kept|keeps?|keeping|(?:go(?:es|ing|ne)?|went) on|let(?:s|ting)? go|sp(?:eaks?|oke|oken) of|lies|beside|cheap(?:er|est)?|dear(?:er|est)?|meant|surely|whoever|nobody|somebody|lanes?|anew)\b/gi;
/** Standard terms that contain one of the words. */
const allowed = /keep-?alives?/gi;
const root = path.resolve(import.meta.dirname, '..');
const budgetFile = path.join(root, 'scripts/word-budget.json');
const Budget = z.record(z.string(), z.number().int().nonnegative());

const budget = Budget.parse(JSON.parse(readFileSync(budgetFile, 'utf8')));
const counts = new Map<string, number>();
const listed = process.argv.includes('--list') ? process.argv.at(-1) : undefined;
for (const file of trackedFiles()) {
  const prose = proseOf(file, readFileSync(path.join(root, file), 'utf8'));
  const found = [...prose.matchAll(words)];
  const folder = folderOf(file);
  counts.set(folder, (counts.get(folder) ?? 0) + found.length);
  if (listed !== undefined && file.startsWith(listed)) {
    for (const { index } of found) process.stdout.write(`${file}:${lineAt(prose, index)}\n`);
  }
}

if (process.argv.includes('--write')) lowerBudget();
else if (listed === undefined) report();

function trackedFiles(): string[] {
  const all = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  return all.filter(
    (file) => /\.(?:tsx?|mjs|css|md)$/.test(file) && file !== 'scripts/check-words.ts' && existsSync(path.join(root, file)),
  );
}

/** Returns the comments of a source file, or the text of a Markdown file, without code. Lines stay where they are. */
function proseOf(file: string, content: string): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');
  let prose = content;
  if (file.endsWith('.md')) {
    prose = content.replaceAll(/^```[\s\S]*?^```/gm, blank);
  } else {
    // A comment follows white space or an opening bracket: `https://` and `'*/*'` begin none.
    const comments = [...content.matchAll(/(?<=^|[\s{(,;])(?:\/\/.*|\/\*[\s\S]*?\*\/)/g)];
    let end = 0;
    prose = '';
    for (const { 0: comment, index } of comments) {
      prose += blank(content.slice(end, index)) + comment;
      end = index + comment.length;
    }
  }
  return prose.replaceAll(/`[^`\n]*`/g, blank).replaceAll(allowed, blank);
}

/** Returns the first two folders of a path. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
}

function lineAt(prose: string, index: number): string {
  const before = prose.slice(0, index).split('\n');
  return `${before.length}: ${prose.split('\n')[before.length - 1]?.trim() ?? ''}`;
}

function lowerBudget(): void {
  const folders = [...counts.keys()].filter((folder) => allowedIn(folder) > 0 && (counts.get(folder) ?? 0) > 0).sort();
  const lines = folders.map((folder) => `  ${JSON.stringify(folder)}: ${Math.min(counts.get(folder) ?? 0, allowedIn(folder))}`);
  // Empty lines between the entries let two branches lower neighbouring folders without a conflict.
  writeFileSync(budgetFile, `{\n${lines.join(',\n\n')}\n}\n`);
}

function report(): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const most = [...counts].filter(([, count]) => count > 0).sort(([, left], [, right]) => right - left);
  for (const [folder, count] of most) {
    if (count <= allowedIn(folder)) continue;
    process.stdout.write(`${folder}: ${count} words, ${allowedIn(folder)} allowed: --list ${folder} prints them\n`);
    process.exitCode = 1;
  }
  const head = most.slice(0, 10).map(([folder, count]) => `${folder} ${count}`);
  process.stdout.write(`${total} words of the old dialect: ${head.join(', ')}\n`);
}

function allowedIn(folder: string): number {
  return budget[folder] ?? 0;
}
