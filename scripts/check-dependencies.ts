// The rules of .dependency-cruiser.mjs, and one that needs the whole graph: how many files may hold on to each other by types.
// A change to any file of such a knot may concern all of its files, whatever the folders say.
import { cruise, format, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const mostKnotted = 20;
const options = await extractOptions('./.dependency-cruiser.mjs');
const { output } = await cruise(['server', 'pwa', 'shared', 'tests', 'scripts', 'vite.config.ts'], options);
if (typeof output === 'string') throw new Error('Dependencies are given as text, not as a graph');
const report = await format(output, { outputType: 'err-long' });
if (typeof report.output === 'string') process.stdout.write(report.output);
const large = knotsOf(output).filter(({ length }) => length > mostKnotted);
for (const knot of large) {
  process.stdout.write(`${knot.length} files depend on each other by types, at most ${mostKnotted} may:\n`);
  for (const file of knot) process.stdout.write(`  ${file}\n`);
}
process.exitCode = report.exitCode !== 0 || large.length > 0 ? 1 : 0;

/** The strongly connected components (Tarjan), largest first. */
function knotsOf({ modules }: ICruiseResult): string[][] {
  const edges = new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]));
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const knots: string[][] = [];
  const visit = (file: string): number => {
    const place = order.size;
    order.set(file, place);
    let least = place;
    open.push(file);
    isOpen.add(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) least = Math.min(least, visit(next));
      else if (isOpen.has(next)) least = Math.min(least, order.get(next) ?? least);
    }
    low.set(file, least);
    if (least === place) {
      const knot = open.splice(open.indexOf(file));
      for (const one of knot) isOpen.delete(one);
      knots.push(knot.sort());
    }
    return least;
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return knots.sort((one, other) => other.length - one.length);
}
