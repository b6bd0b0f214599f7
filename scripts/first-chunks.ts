// Which of our modules stand in the first chunks. Followed along the imports from where a page begins, so that a module
// that becomes part of the sign-in or of the frame is in its chunk without being listed anywhere.
import { readdirSync } from 'node:fs';
import path from 'node:path';

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const pwa = path.resolve(import.meta.dirname, '../pwa');
const component = (route: string) => path.join(pwa, 'routes', `${route}.tsx?tsr-split=component`);
const starts = {
  /** What every page consists of, the sign-in among them. */
  first: [path.join(pwa, 'main.tsx'), component('_plain'), component('_plain/login')],
  /** What stands around every other screen, with what it needs of the component library. */
  frame: [component('_shell')],
};

/** For a group of chunks: the name of the chunk, for a module of ours that belongs there. */
export function firstChunk(name: keyof typeof starts): (id: string, modules: Modules) => string | null {
  let members: ReadonlySet<string> | undefined;
  return (id, modules) => {
    members ??= reached(starts[name], modules);
    // Entries retain their own chunks; routes are entries, and their search parameters' code comes with them.
    return isOurs(id) && !starts[name].includes(id) && members.has(id) ? name : null;
  };
}

/**
 * Groups the common first modules of lists by the number of other screens that load them: in forty small files they would be a quarter larger, and
 * need forty requests. A module's own imports are at least as common as it is, so no chunk needs one of a rarer kind.
 */
export function sharedChunk(name: keyof typeof sharers): (id: string, modules: Modules) => string | null {
  return (id, modules) => {
    if (!/[\\/](pwa[\\/](api|offline|ui)|shared)[\\/]/.test(id)) return null;
    const { lists, others } = (screens ??= screensBy(modules));
    if (countOf(lists, id) < 5) return null;
    const count = countOf(others, id);
    return count >= sharers[name].from && count <= sharers[name].to ? name : null;
  };
}

/**
 * What Home and the log begin with besides, by which of the screens with little room in their budget begin with it too, and whether any other
 * does: one chunk for each such set, so that none of them loads what it does not need. `count` is the size of the sets: what more of
 * them need is chunked first.
 */
export function dailyChunk(count: number): (id: string, modules: Modules) => string | null {
  return (id, modules) => {
    if (/node_modules|\?tsr-split=|route-tree\.gen|[\\/]pwa[\\/](i18n|routes)[\\/]|[\\/]preload-/.test(id)) return null;
    const names = (crowded ??= crowdedBy(modules)).filter(([, members]) => members.has(id)).map(([name]) => name);
    return names.length === count && names.some((name) => name === 'home' || name === 'log') ? `of-${names.join('-')}` : null;
  };
}

const feature = (file: string) => path.join(pwa, 'features', file);
const crowdedStarts = {
  // An operator's part is requested with it.
  home: [component('_shell/index'), feature('home/operator-home.tsx')],
  log: [component('_shell/log')],
  // Requests for data do not wait for the components.
  early: [feature('home/preload-home.ts'), feature('logs/preload-logs.ts')],
  channel: [component('_shell/channel')],
  personal: [component('_shell/personal')],
  setting: [component('_shell/setting')],
};
/** The most names that a set has: the screens, and `others`. */
export const mostSharers = Object.keys(crowdedStarts).length + 1;
let crowded: (readonly [name: string, members: ReadonlySet<string>])[] | undefined;

function crowdedBy(modules: Modules): (readonly [name: string, members: ReadonlySet<string>])[] {
  const named = Object.entries(crowdedStarts);
  const listed = new Set(named.flatMap(([, from]) => from));
  const others = screenStarts(modules).filter((screen) => !listed.has(screen));
  return [...named, ['others', others] as const].map(([name, from]) => [name, reached(from, modules)] as const);
}

const sharers = {
  screen: { from: 3, to: Infinity },
  panel: { from: 1, to: 2 },
  list: { from: 0, to: 0 },
};

type ModuleSets = readonly ReadonlySet<string>[];
let screens: { lists: ModuleSets; others: ModuleSets } | undefined;

/** What each screen begins with. */
function screensBy(modules: Modules): { lists: ModuleSets; others: ModuleSets } {
  const found = screenStarts(modules).map((screen) => reached([screen], modules));
  const isList = (begins: ReadonlySet<string>) => begins.has(path.join(pwa, 'ui/list/data-list.tsx'));
  const lists = found.filter(isList);
  // A list that was renamed is not to dissolve the chunks in silence.
  if (lists.length < 5) throw new Error('The build finds no lists: pwa/ui/list/data-list.tsx');
  return { lists, others: found.filter((begins) => !isList(begins)) };
}

function screenStarts(modules: Modules): string[] {
  return (
    readdirSync(path.join(pwa, 'routes/_shell'))
      .map((file) => component(`_shell/${path.basename(file, '.tsx')}`))
      // Routes that only lead elsewhere draw nothing.
      .filter((screen) => modules.getModuleInfo(screen) !== null)
  );
}

function countOf(of: ModuleSets, id: string): number {
  return of.filter((begins) => begins.has(id)).length;
}

function reached(from: readonly string[], modules: Modules): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    const module = modules.getModuleInfo(id);
    // A start that was renamed is not to shrink the chunk in silence.
    if (module === null && from.includes(id)) throw new Error(`The build has no module ${id}`);
    found.add(id);
    waiting.push(...(module?.importedIds ?? []));
  }
  return found;
}

function isOurs(id: string): boolean {
  return !/node_modules|\.css|[\\/]pwa[\\/](routes|features)[\\/]|route-tree\.gen/.test(id) && /[\\/](pwa|shared)[\\/]/.test(id);
}
