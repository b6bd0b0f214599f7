// JSON at rest: encrypted, and in pieces where a record could not hold it.
import type { AppContext } from '#server/context.ts';

type Sealing = Pick<AppContext, 'secrets' | 'bodies'>;

/** Characters of a piece. MongoDB's records have 16 MB. */
const pieceCharacters = 4_000_000;
/** Longer ones are worked on in turn with everybody's long work. */
const longCharacters = 256 * 1024;

/** At least one piece. @param owner whose turn it takes, where it is long */
export async function sealJson({ secrets, bodies }: Sealing, owner: string, text: string): Promise<[string, ...string[]]> {
  const seal = () => secrets.encrypt(text, 'kept_json');
  const sealed = text.length > longCharacters ? await bodies.inTurn(owner, seal) : seal();
  const pieces: [string, ...string[]] = [sealed.slice(0, pieceCharacters)];
  for (let from = pieceCharacters; from < sealed.length; from += pieceCharacters) pieces.push(sealed.slice(from, from + pieceCharacters));
  return pieces;
}

/** What `sealJson` has made pieces of. */
export async function openJson({ secrets, bodies }: Sealing, owner: string, pieces: readonly string[]): Promise<unknown> {
  const sealed = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  const open = (): unknown => JSON.parse(secrets.decrypt(sealed, 'kept_json'));
  return sealed.length > longCharacters ? await bodies.inTurn(owner, open) : open();
}
