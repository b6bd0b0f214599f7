// The console's words by their keys, so that a test names a button as its user reads it and no wording is written twice.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../../../pwa/i18n');
const known = new Map<string, unknown>();

/** A text as i18next would render it, in the form of its `count` where the language has several. @throws when there is no such key */
export function text(key: string, values: Record<string, string | number> = {}, language: 'zh' | 'en' = 'en'): string {
  const form = Number(values['count']) === 1 ? 'one' : 'other';
  const found = textAt(key, language) ?? (values['count'] === undefined ? undefined : textAt(`${key}_${form}`, language));
  if (typeof found !== 'string') throw new Error(`No text ${key} in ${language}`);
  return found.replaceAll(/\{\{\s*(\w+)[^}]*\}\}/g, (_whole, name: string) => String(values[name] ?? ''));
}

function textAt(key: string, language: string): unknown {
  let found: unknown = slices(language);
  for (const name of key.split('.'))
    found = typeof found === 'object' && found !== null && name in found ? Reflect.get(found, name) : undefined;
  return found;
}

function slices(language: string): unknown {
  if (!known.has(language)) {
    const files = globSync(`${language}/*.json`, { cwd: folder });
    known.set(
      language,
      Object.fromEntries(
        files.map((file): [string, unknown] => [path.basename(file, '.json'), JSON.parse(readFileSync(path.join(folder, file), 'utf8'))]),
      ),
    );
  }
  return known.get(language);
}
