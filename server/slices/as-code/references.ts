// References to secrets in a document: `${NAME}` anywhere in a text, `$${` for a literal `${`, and `file:PATH` as the whole value of a secret.
import type { LocalText } from '#shared/errors.ts';
import { isSecret, isSettingKey } from '#shared/settings.ts';

/** What references are read from. */
export interface ReferenceSource {
  /** Undefined if there is no such value. */
  value(name: string): string | undefined;
  /** Content of a file, relative to the document's; undefined if documents from here may read none. @throws if it cannot be read */
  file?: (path: string, document: string) => string;
}

export const referenceTexts = {
  missing: (name: string): LocalText => ({ zh: `引用的 \${${name}} 没有值`, en: `refers to \${${name}}, which has no value` }),
  unreadable: (path: string): LocalText => ({ zh: `引用的文件 ${path} 无法读取`, en: `refers to the file ${path}, which cannot be read` }),
  noFiles: {
    zh: '不能通过 API 引用文件：请使用 ${NAME} 并在 secrets 中给出其值',
    en: 'refers to a file, which is not possible over the API: use ${NAME} and send its value in secrets',
  },
  plain: { zh: '直接包含密文：请改用引用', en: 'contains a secret: use a reference instead' },
} satisfies Record<string, LocalText | ((name: string) => LocalText)>;

type Path = readonly (string | number)[];

export interface Resolved {
  value: unknown;
  problems: { path: Path; text: LocalText }[];
  warnings: { path: Path; text: LocalText }[];
  /** Paths of texts with references, and of what they are in, joined by `/`. */
  referenced: ReadonlySet<string>;
  /** Values of references and plain secrets, for masking. */
  secrets: ReadonlySet<string>;
}

export function resolveReferences(document: unknown, file: string, source: ReferenceSource): Resolved {
  const problems: Resolved['problems'] = [];
  const warnings: Resolved['warnings'] = [];
  const referenced = new Set<string>();
  const secrets = new Set<string>();

  function text(given: string, path: Path): string {
    const isSecretPlace = isSecretPath(path);
    if (isSecretPlace && given.startsWith('file:')) return fileText(given.slice('file:'.length).trim(), path);
    let hasReference = false;
    const resolved = given.replace(/\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, escaped: string | undefined, name: string = '') => {
      if (escaped !== undefined) return escaped;
      hasReference = true;
      const value = source.value(name);
      if (value === undefined || value === '') problems.push({ path, text: referenceTexts.missing(name) });
      else secrets.add(value);
      return value === undefined || value === '' ? whole : value;
    });
    if (hasReference) noteReference(path);
    else if (isSecretPlace && resolved !== '') {
      secrets.add(resolved);
      warnings.push({ path, text: referenceTexts.plain });
    }
    return resolved;
  }

  function noteReference(path: Path): void {
    for (let length = path.length; length > 0; length -= 1) referenced.add(path.slice(0, length).join('/'));
  }

  function fileText(name: string, path: Path): string {
    noteReference(path);
    if (source.file === undefined) {
      problems.push({ path, text: referenceTexts.noFiles });
      return name;
    }
    try {
      const content = source.file(name, file).trim();
      if (content === '') throw new Error('empty');
      secrets.add(content);
      return content;
    } catch {
      problems.push({ path, text: referenceTexts.unreadable(name) });
      return name;
    }
  }

  function walk(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return text(value, path);
    if (Array.isArray(value)) return value.map((one, index) => walk(one, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, [...path, name])]));
  }

  return { value: walk(document, []), problems, warnings, referenced, secrets };
}

/** Reports whether the value there is a secret by itself. */
function isSecretPath([section, name, ...rest]: Path): boolean {
  if (section === 'settings') return typeof name === 'string' && isSettingKey(name) && isSecret(name);
  if (section === 'tokens') return rest[0] === 'key';
  if (section !== 'channels') return false;
  if (rest[0] === 'key' || (rest[0] === 'keys' && rest[2] === 'key')) return true;
  return rest[0] === 'setting' && rest[1] === 'header_override';
}

/** Replaces every secret in a text, the longest first, and cuts what is longer than people read. Short ones could be any word. */
export function masked(text: string, secrets: ReadonlySet<string>): string {
  const lengths = lengthsOf(secrets);
  let result = '';
  for (let at = 0; at < text.length;) {
    if (result.length >= longestMasked) return `${result}…`;
    const length = lengths.find((one) => at + one <= text.length && secrets.has(text.slice(at, at + one)));
    result += length === undefined ? text[at] : '***';
    at += length ?? 1;
  }
  return result;
}

const known = new WeakMap<ReadonlySet<string>, { size: number; lengths: readonly number[] }>();

/** Lengths of the secrets, the longest first. Texts are short and secrets may be many, so these are looked up by length. */
function lengthsOf(secrets: ReadonlySet<string>): readonly number[] {
  const found = known.get(secrets);
  if (found?.size === secrets.size) return found.lengths;
  const all = new Set(Array.from(secrets, ({ length }) => length).filter((length) => length >= shortestSecret));
  const lengths = [...all].toSorted((one, other) => other - one);
  known.set(secrets, { size: secrets.size, lengths });
  return lengths;
}

const shortestSecret = 6;
const longestMasked = 1000;
