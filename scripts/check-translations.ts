// Texts of the console: zh and en have the same keys and the same placeholders, every key in the code exists, and none is
// there for nothing; Chinese texts have one term for one thing. Code names a key as a literal ('tokens.list.title') or as a template with a literal head
// (`tokens.status.${name}`), so that this check and a reader's search both find it.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../pwa');
const languages = ['zh', 'en'] as const;
/** Chinese terms of which the console has one, that of the API's messages; search words may have others. */
const terms: readonly (readonly [other: RegExp, term: string])[] = [
  [/停用/, '禁用'],
  [/通道/, '渠道'],
  [/(?<=[\d个入出或、] ?)Tokens?(?![A-Za-z])/, 'token'],
];
const searchWords = 'setting_words.';
const pluralEnding = /_(zero|one|two|few|many|other)$/;

type Texts = Map<string, string>;

const faults: string[] = [];
const texts = Object.fromEntries(languages.map((language) => [language, readTexts(language)]));
const zh = texts.zh ?? new Map<string, string>();
const en = texts.en ?? new Map<string, string>();
const keys = new Set([...zh.keys(), ...en.keys()].map(plainKey));

compareLanguages();
checkTerms();
checkUses();

if (faults.length > 0) {
  process.stdout.write(`${faults.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`${keys.size} texts in ${languages.join(' and ')}\n`);

/** All texts of a language by their full key, `<file>.<place>.<thing>`. */
function readTexts(language: string): Texts {
  const all: Texts = new Map();
  for (const file of globSync(`i18n/${language}/*.json`, { cwd: folder })) {
    const content: unknown = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    collect(path.basename(file, '.json'), content, all);
  }
  return all;
}

function collect(key: string, value: unknown, all: Texts): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) collect(`${key}.${name}`, inner, all);
  } else if (typeof value === 'string' && value.trim() !== '') {
    all.set(key, value);
  } else {
    faults.push(`empty text: ${key}`);
  }
}

/** Numbers choose between `key_one` and `key_other` in English; Chinese has one form, `key` or `key_other`. */
function plainKey(key: string): string {
  const plain = key.replace(pluralEnding, '');
  return plain !== key && en.has(`${plain}_one`) && en.has(`${plain}_other`) ? plain : key;
}

/** The text that is shown for most numbers: a singular may name its one thing instead of counting it. */
function formOf(language: Texts, key: string): string | undefined {
  return language.get(key) ?? language.get(`${key}_other`);
}

function compareLanguages(): void {
  for (const key of keys) {
    const chinese = formOf(zh, key);
    const english = formOf(en, key);
    if (chinese === undefined) faults.push(`missing in zh: ${key}`);
    if (english === undefined) faults.push(`missing in en: ${key}`);
    if (chinese === undefined || english === undefined) continue;
    const [left, right] = [placeholders(chinese), placeholders(english)];
    if (left !== right) faults.push(`placeholders differ: ${key} has ${left || 'none'} in zh, ${right || 'none'} in en`);
  }
}

function checkTerms(): void {
  for (const [key, text] of zh) {
    if (key.startsWith(searchWords)) continue;
    for (const [other, term] of terms)
      if (other.test(text)) faults.push(`${other.exec(text)?.[0]} in zh, where the term is ${term}: ${key}`);
  }
}

/** What a text leaves open: `{{name}}` and `<1>`. */
function placeholders(content: string): string {
  const names = [...content.matchAll(/\{\{\s*[^},\s]+[^}]*\}\}|<\/?\w+\s*\/?>/g)].map(([whole]) => whole.replaceAll(/\s|,.*(?=\}\})/g, ''));
  return [...new Set(names)].sort().join(' ');
}

function checkUses(): void {
  const slices = new Set([...keys].map((key) => key.split('.')[0]));
  const used = new Set<string>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: folder })) {
    if (/\.test\.|\.gen\.|\.fixture\./.test(file)) continue;
    const code = readFileSync(path.join(folder, file), 'utf8');
    // Any literal that is a key counts as its use: keys also stand in tables, and reach `t` from there.
    for (const [, literal = ''] of code.matchAll(/['"]([a-z][\w-]*(?:\.\w+)+)['"]/g)) if (keys.has(literal)) used.add(literal);
    for (const [, literal = ''] of code.matchAll(/\b(?:t|translate)\(\s*['"]([^'"]+)['"]/g)) {
      if (!keys.has(literal)) faults.push(`missing: ${literal} (pwa/${file})`);
    }
    // The second pattern finds those inside of another template.
    for (const [, template = ''] of [...code.matchAll(/`([^`\n]*)`/g), ...code.matchAll(/\b(?:t|translate)\(\s*`([^`\n]*)`/g)]) {
      if (!template.includes('${') || !slices.has(template.split('.')[0])) continue;
      const matching = keysLike(template);
      for (const key of matching) used.add(key);
      if (matching.length === 0) faults.push(`nothing matches \`${template}\` (pwa/${file})`);
    }
    for (const [, ending = ''] of code.matchAll(/`\$\{[^}]+\}(_\w+)`/g)) for (const key of keys) if (key.endsWith(ending)) used.add(key);
  }
  for (const key of keys) if (!used.has(key)) faults.push(`unused: ${key}`);
}

/** The keys that a template can make: each `${…}` stands for one name between dots. */
function keysLike(template: string): string[] {
  const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replaceAll('.', '[.]'));
  const pattern = new RegExp(`^${parts.join('\\w+')}$`);
  return [...keys].filter((key) => pattern.test(key));
}
