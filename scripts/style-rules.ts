// Rules of stylelint for the console's CSS Modules: a sheet has at most so many lines, each class is used and each used class exists, and
// what a class of `pwa/ui/styles/` declares is not declared again. `.stylelintrc.mjs` turns them on.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import stylelint, { type PostcssResult, type Rule } from 'stylelint';

type Sheet = Parameters<ReturnType<Rule>>[0];
type StyleRule = Extract<Sheet['nodes'][number], { type: 'rule' }>;

const root = path.resolve(import.meta.dirname, '..');
const sharedFolder = 'pwa/ui/styles/';
const className = /\.([A-Za-z][\w-]*)/g;

const maxLines = rule<number>('tidegate/max-lines', (sheet, report, most) => {
  const lines = (sheet.source?.input.css ?? '').trimEnd().split('\n').length;
  if (lines > most) report(sheet, `${lines} lines of at most ${most}: split the sheet by component`);
});

const usedClasses = rule<true>('tidegate/used-classes', (sheet, report) => {
  const file = fileOf(sheet);
  if (!file.endsWith('.module.css')) return;
  const uses = usesBySheet().get(file) ?? [];
  const classes = new Map<string, StyleRule>();
  sheet.walkRules((node) => {
    for (const name of classesIn(node.selector)) if (!classes.has(name)) classes.set(name, node);
  });
  for (const [name, node] of classes) {
    if (!uses.some((use) => use.covers(name))) report(node, `nothing uses the class ${name}`);
  }
  for (const use of new Map(uses.map((one) => [`${one.file} ${one.name}`, one])).values()) {
    if (![...classes.keys()].some(use.covers)) report(sheet, `${use.file} uses the class ${use.name}, which does not exist`);
  }
});

const sharedBlocks = rule<true>('tidegate/shared-blocks', (sheet, report) => {
  if (fileOf(sheet).startsWith(sharedFolder)) return;
  sheet.each((node) => {
    if (node.type !== 'rule' || !node.selectors.every((selector) => /^\.[\w-]+$/.test(selector))) return;
    const declared = declarationsOf(node);
    // A sheet that others compose from has no component that could name a second class.
    if (declared.has('composes') || isComposed(node)) return;
    for (const { name, declarations, isWhole } of sharedClasses()) {
      if (name.startsWith('layout.stack') && hasColumns(sheet, node)) continue;
      const repeats = [...declarations].every(([property, value]) => declared.get(property) === value);
      if (repeats && (!isWhole || declared.size === declarations.size)) report(node, `${node.selector} repeats ${name}: use that class`);
    }
  });
});

export const styleRules = [maxLines, usedClasses, sharedBlocks];

type Report = (node: Sheet | StyleRule, message: string) => void;

function rule<Option>(name: string, check: (sheet: Sheet, report: Report, option: Option) => void): stylelint.Plugin {
  const checks = (option: Option) => (sheet: Sheet, result: PostcssResult) => {
    check(sheet, (node, message) => stylelint.utils.report({ ruleName: name, result, node, message: `${message} (${name})` }), option);
  };
  return stylelint.createPlugin(name, Object.assign(checks, { ruleName: name, messages: {} }));
}

/** A place in the code or in another sheet that uses a class, or with a computed name all classes that begin or end so. */
interface Use {
  file: string;
  name: string;
  covers(name: string): boolean;
}

let knownUses: Map<string, Use[]> | undefined;

function usesBySheet(): Map<string, Use[]> {
  if (knownUses !== undefined) return knownUses;
  const uses = new Map<string, Use[]>();
  const add = (sheet: string, use: Use) => uses.set(sheet, [...(uses.get(sheet) ?? []), use]);
  for (const file of globSync('pwa/**/*.{ts,tsx}', { cwd: root }).map(slashes)) {
    const code = readFileSync(path.join(root, file), 'utf8');
    for (const [, local = '', source = ''] of code.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
      const sheet = source.startsWith('#') ? source.slice(1) : path.posix.join(path.posix.dirname(file), source);
      const body = code.replaceAll(/^import .*$/gm, '');
      for (const [, name = ''] of body.matchAll(new RegExp(`(?<![\\w.'"\`-])${local}\\.([A-Za-z]\\w*)`, 'g')))
        add(sheet, useOf(file, name));
      for (const [, head = ''] of body.matchAll(new RegExp(`(?<![\\w.'"\`-])${local}\\[\`(\\w+)\\$\\{`, 'g'))) {
        add(sheet, { file, name: `${head}…`, covers: (name) => name.startsWith(head) });
      }
    }
  }
  for (const file of globSync('pwa/**/*.css', { cwd: root }).map(slashes)) {
    const css = readFileSync(path.join(root, file), 'utf8');
    for (const [, names = '', source] of css.matchAll(/composes:\s*([\w\s-]+?)(?:\s+from\s+'([^']+)')?;/g)) {
      const sheet = source === undefined ? file : path.posix.join(path.posix.dirname(file), source);
      for (const name of names.split(/\s+/)) add(sheet, useOf(file, name));
    }
  }
  return (knownUses = uses);
}

function useOf(file: string, name: string): Use {
  return { file, name, covers: (other) => other === name };
}

/** Classes of a selector that the module renames: names in `:global()` stay as they are. */
function classesIn(selector: string): string[] {
  return [...selector.replaceAll(/:global\((?:[^()]|\([^()]*\))*\)/g, '').matchAll(className)].map(([, name = '']) => name);
}

interface SharedClass {
  name: string;
  declarations: Map<string, string>;
  /** One declaration alone is shared only by a class that needs nothing else. */
  isWhole: boolean;
}

let knownShared: SharedClass[] | undefined;

function sharedClasses(): SharedClass[] {
  if (knownShared !== undefined) return knownShared;
  const files = globSync(`${sharedFolder}*.module.css`, { cwd: root }).map(slashes);
  if (files.length === 0) throw new Error(`There are no sheets in ${sharedFolder}`);
  knownShared = files.flatMap((file) => {
    const css = readFileSync(path.join(root, file), 'utf8');
    return [...css.matchAll(/\.([\w-]+) \{([^}]*)\}/g)].map(([, name = '', body = '']) => {
      const pairs = [...body.matchAll(/([\w-]+):\s*([^;]+);/g)].map(([, property = '', value = '']) => [property, value] as const);
      return { name: `${path.basename(file, '.module.css')}.${name}`, declarations: new Map(pairs), isWhole: pairs.length === 1 };
    });
  });
  return knownShared;
}

function isComposed(node: StyleRule): boolean {
  const uses = usesBySheet().get(fileOf(node.root())) ?? [];
  return uses.some((use) => use.file.endsWith('.css') && classesIn(node.selector).some(use.covers));
}

/** A grid with columns or areas is no stack, also where it has them in a part of the widths only. */
function hasColumns(sheet: Sheet, node: StyleRule): boolean {
  let found = false;
  sheet.walkRules((other) => {
    const subjects = new Set(other.selectors.map((selector) => selector.split(/[ >+~]+/).at(-1) ?? '').flatMap(classesIn));
    if (!classesIn(node.selector).some((name) => subjects.has(name))) return;
    other.walkDecls(/^grid-(template|auto)/, () => {
      found = true;
    });
  });
  return found;
}

function declarationsOf(node: StyleRule): Map<string, string> {
  return new Map(node.nodes.flatMap((child) => (child.type === 'decl' ? [[child.prop, child.value] as const] : [])));
}

function fileOf(sheet: Sheet): string {
  return slashes(path.relative(root, sheet.source?.input.file ?? ''));
}

function slashes(file: string): string {
  return file.replaceAll('\\', '/');
}
