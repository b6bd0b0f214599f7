// Texts of the console: zh and en have the same keys and the same placeholders, every key in the code exists, and none is
// there for nothing. Code names a key as a literal ('tokens.list.title') or as a template with a literal head
// (`tokens.status.${name}`), so that this check and a reader's search both find it.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../pwa');
const languages = ['zh', 'en'] as const;
const pluralEnding = /_(zero|one|two|few|many|other)$/;

type Texts = Map<string, string>;

const faults: string[] = [];
const texts = Object.fromEntries(languages.map((language) => [language, readTexts(language)]));
const zh = texts.zh ?? new Map<string, string>();
const en = texts.en ?? new Map<string, string>();
const keys = new Set([...zh.keys(), ...en.keys()].map(plainKey));

compareLanguages();
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

/** Numbers choose between `key_one` and `key_other` in English; Chinese has one form, under either name. */
function plainKey(key: string): string {
  const plain = key.replace(pluralEnding, '');
  return plain !== key && (en.has(`${plain}_one`) || zh.has(`${plain}_other`)) ? plain : key;
}

function formsOf(language: Texts, key: string): string[] {
  return [...language].filter(([name]) => name === key || (name.startsWith(`${key}_`) && plainKey(name) === key)).map(([, text]) => text);
}

function compareLanguages(): void {
  for (const key of keys) {
    const chinese = formsOf(zh, key);
    const english = formsOf(en, key);
    if (chinese.length === 0) faults.push(`missing in zh: ${key}`);
    if (english.length === 0) faults.push(`missing in en: ${key}`);
    if (en.has(`${key}_one`) !== en.has(`${key}_other`)) faults.push(`en needs both _one and _other: ${key}`);
    if (chinese.length === 0 || english.length === 0) continue;
    const [left, right] = [placeholders(chinese), placeholders(english)];
    if (left !== right) faults.push(`placeholders differ: ${key} has ${left || 'none'} in zh, ${right || 'none'} in en`);
  }
}

/** What a text leaves open, `{{name}}` and `<1>`, over all forms of a language ("one token" need not name the count). */
function placeholders(forms: string[]): string {
  const names = forms.flatMap((text) => [...text.matchAll(/\{\{\s*([^},\s]+)[^}]*\}\}|<\/?(\w+)\s*\/?>/g)].map(([whole]) => whole));
  return [...new Set(names.map((name) => name.replaceAll(/\s/g, '')))].sort().join(' ');
}

function checkUses(): void {
  const slices = new Set([...keys].map((key) => key.split('.')[0]));
  const used = new Set<string>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: folder })) {
    if (/\.test\.|\.gen\.|\.fixture\./.test(file)) continue;
    const code = readFileSync(path.join(folder, file), 'utf8');
    // Any literal that is a key counts as its use: keys also stand in tables, and reach `t` from there.
    for (const [, literal = ''] of code.matchAll(/['"]([a-z][\w]*(?:\.\w+)+)['"]/g)) if (keys.has(literal)) used.add(literal);
    for (const [, literal = ''] of code.matchAll(/\b(?:t|translate)\(\s*['"]([^'"]+)['"]/g)) {
      if (!keys.has(literal)) faults.push(`missing: ${literal} (pwa/${file})`);
    }
    for (const [, template = ''] of code.matchAll(/`([^`\n]*)`/g)) {
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
