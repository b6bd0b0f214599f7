// JSON at rest: encrypted, and in pieces where a record could not hold it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppContext } from '#server/context.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { BodyHold } from '#server/http/bodies.ts';

type Sealing = Pick<AppContext, 'secrets' | 'bodies'>;

/** Characters of a piece. MongoDB's records have 16 MB. */
const pieceCharacters = 4_000_000;
/** Longer ones are worked on in turn with everybody's long work. */
export const longCharacters = 256 * 1024;
/** Milliseconds of work between two turns of the event loop. */
const stepMs = 5;

/** What is read is held by the one, and counted by the other before it is parsed. */
export interface Reading {
  hold: BodyHold;
  budget: PartBudget;
}

/** At least one piece. @param owner whose turn it takes, where it is long */
export async function sealJson({ secrets, bodies }: Sealing, owner: string, text: string): Promise<[string, ...string[]]> {
  const seal = () => secrets.encrypt(text, 'kept_json');
  const sealed = text.length > longCharacters ? await bodies.inTurn(owner, seal) : seal();
  const pieces: [string, ...string[]] = [sealed.slice(0, pieceCharacters)];
  for (let from = pieceCharacters; from < sealed.length; from += pieceCharacters) pieces.push(sealed.slice(from, from + pieceCharacters));
  return pieces;
}

/** The text that `sealJson` has made pieces of. */
export async function openText({ secrets, bodies }: Sealing, owner: string, pieces: readonly string[]): Promise<string> {
  const sealed = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  const open = () => secrets.decrypt(sealed, 'kept_json');
  return sealed.length > longCharacters ? await bodies.inTurn(owner, open) : open();
}

/** @param budget takes its parts before anything is built of it; missing: whoever wrote it was bounded @throws {AppError} as the budget */
export async function parseKept({ bodies }: Pick<Sealing, 'bodies'>, owner: string, text: string, budget?: PartBudget): Promise<unknown> {
  const parse = (): unknown => JSON.parse(text);
  if (text.length <= longCharacters) {
    budget?.takeText(text);
    return parse();
  }
  if (budget !== undefined) await bodies.inTurn(owner, () => budget.takeText(text));
  return bodies.inTurn(owner, parse);
}

/** What `sealJson` has made pieces of. @throws {AppError} as `parseKept` */
export async function openJson(sealing: Sealing, owner: string, pieces: readonly string[], budget?: PartBudget): Promise<unknown> {
  return parseKept(sealing, owner, await openText(sealing, owner, pieces), budget);
}

/** Called between many short pieces of work: lets others go on where that has lasted. */
export function createPauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < stepMs) return;
    await nextTurn();
    since = performance.now();
  };
}
