// Finds words in comments and Markdown where the field has a standard term (`told`: returned, reported; `asked`:
// requested; `kept`: stored). Prints each occurrence; there may be none.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const words =
  /\b(?:told|tells?|telling|(?:un)?asked|asks?|asking|(?:un)?heard|hears?|kept|keeps?|keeping|(?:go(?:es|ing|ne)?|went) on|let(?:s|ting)? go|sp(?:eaks?|oke|oken) of|lies|beside|cheap(?:er|est)?|dear(?:er|est)?|meant|surely|whoever|nobody|somebody|lanes?|anew)\b/gi;
/** Standard terms that contain one of the words. */
const allowed = /keep-?alives?/gi;
const root = path.resolve(import.meta.dirname, '..');

for (const file of trackedFiles()) {
  const prose = proseOf(file, readFileSync(path.join(root, file), 'utf8'));
  for (const { index } of prose.matchAll(words)) {
    process.stdout.write(`${file}:${lineAt(prose, index)}\n`);
    process.exitCode = 1;
  }
}

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

function lineAt(prose: string, index: number): string {
  const before = prose.slice(0, index).split('\n');
  return `${before.length}: ${prose.split('\n')[before.length - 1]?.trim() ?? ''}`;
}
