// Which of our modules stand in the first chunks. Followed along the imports from where a page begins, so that a module
// that becomes part of the sign-in or of the frame is in its chunk without being listed anywhere.
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
    return members.has(id) ? name : null;
  };
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
  // Entries keep their own chunks; routes are entries, and what they are searched by comes with them.
  return new Set([...found].filter((id) => isOurs(id) && !from.includes(id)));
}

function isOurs(id: string): boolean {
  return !/node_modules|\.css|[\\/]pwa[\\/](routes|features)[\\/]|route-tree\.gen/.test(id) && /[\\/](pwa|shared)[\\/]/.test(id);
}
