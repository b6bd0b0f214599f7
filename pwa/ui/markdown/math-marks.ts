// Models mark formulas as they please: `\( … \)`, `\[ … \]`, `$ … $`, `$$ … $$`. Here all become `$$`, which nothing else is written with:
// amounts of money, and whatever stands in code, stay as they are.
import { codeIn } from './code-places.ts';

/** Between single dollars: not two amounts in one sentence, but what no amount has. */
const inDollars = /(?<![\\$\w])\$(?=[^\s$])([^$\n]{0,300}?[^\s$\\])\$(?![\w$])/g;
const isFormula = /[\\^_={}<>]|^[a-zA-Z]$|^[a-zA-Z]\s*[+\-*/]/;

/** A formula that has its lines to itself: Markdown knows it as such only with the marks on lines of their own. */
const alone = /^([ \t]*)\$\$(?!\$)((?:(?!\$\$)[\s\S]){1,4000}?)\$\$[ \t]*$/gm;

export function markFormulas(text: string): string {
  if (!text.includes('$') && !text.includes('\\(') && !text.includes('\\[')) return text;
  let marked = '';
  let end = 0;
  for (const code of codeIn(text)) {
    marked += mark(text.slice(end, code.start)) + text.slice(code.start, code.end);
    end = code.end;
  }
  return marked + mark(text.slice(end));
}

/** No formula has the beginning of another in it: each letter is looked at from one beginning alone. */
function mark(text: string): string {
  return text
    .replaceAll(alone, (_, indent: string, formula: string) => [`$$`, formula.trim(), `$$`].map((line) => `${indent}${line}`).join('\n'))
    .replaceAll(/(?<!\\)\\\[((?:(?!(?<!\\)\\\[)[\s\S]){1,4000}?)(?<!\\)\\\]/g, (_, formula: string) => `\n$$\n${formula.trim()}\n$$\n`)
    .replaceAll(/(?<!\\)\\\(((?:(?!(?<!\\)\\\()[^\n]){1,1000}?)(?<!\\)\\\)/g, (_, formula: string) => `$$${formula.trim()}$$`)
    .replaceAll(inDollars, (whole, formula: string) => (isFormula.test(formula) ? `$$${formula}$$` : whole));
}
