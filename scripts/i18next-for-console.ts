// Parts of i18next that the console never uses: texts are plain, in two languages, and come from files of its own.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/** Methods that nothing here calls, or that have nothing to do, with what stands for them. */
const methods: Record<string, string> = {
  // References from one text to another: `$t(…)`.
  'nest(str, fc, options = {})': 'return str;',
  'saveMissing(languages, namespace, key, fallbackValue, isUpdate, options = {}, clb = () => {}, hasLoadedNamespace = this.newestCloneHasLoadedNamespace || this.services?.utils?.hasLoadedNamespace)':
    '',
  'cloneInstance(options = {}, callback = noop)': '',
  'hydrate(resources, lng)': '',
  'toJSON()': '',
  'dir(lng)': "return 'ltr';",
};

export function i18nextForConsole(): Plugin {
  return {
    name: 'i18next-for-console',
    enforce: 'pre',
    apply: 'build',
    async load(id) {
      if (!/[\\/]i18next[\\/]dist[\\/]esm[\\/]i18next\.js$/.test(id)) return null;
      return { code: shorten(await readFile(id, 'utf8')), moduleSideEffects: false };
    },
  };
}

function shorten(code: string): string {
  // `{{count, number}}`: amounts and counts are formatted before they come into a text.
  let short = replaced(code, /^class Formatter \{\n[\s\S]*?^\}/m, 'class Formatter {\n  format(value) {\n    return value;\n  }\n}');
  // Warnings for whoever writes texts; they are told by `npm run check` and by the console in development.
  short = replaced(short, /^(\s+(?:if \(.*\) )?)this\.logger\.(?:warn|log|deprecate)\(.*\);$/gm, '$1;');
  for (const [head, body] of Object.entries(methods)) {
    const start = short.indexOf(`\n  ${head} {\n`);
    const end = short.indexOf('\n  }\n', start);
    if (start === -1 || end === -1) throw new Error(`i18nextForConsole finds no ${head}: a newer i18next is written in another way`);
    short = `${short.slice(0, start)}\n  ${head} {${body}${short.slice(end + 1)}`;
  }
  return short;
}

function replaced(code: string, part: RegExp, by: string): string {
  const short = code.replace(part, by);
  if (short === code) throw new Error(`i18nextForConsole finds no ${part.source}: a newer i18next is written in another way`);
  return short;
}
