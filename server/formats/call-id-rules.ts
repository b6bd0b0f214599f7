// Ids of tool calls in a conversation that other vendors' models have had a part in: those that the next provider refuses are replaced
// by ones that it takes, in the call and in its result alike. The caller keeps its ids, so nothing has to be remembered: the same id
// becomes the same one in every request, and a prompt stays in the provider's cache.
import { createHash } from 'node:crypto';

/** Ids that a provider takes. Without fields: any but an empty one, which no provider takes. */
export interface CallIdRule {
  /** Matches an id of the right letters. Missing: any letters. */
  letters?: RegExp;
  /** Characters of the longest id. Missing: any length. */
  most?: number;
  /** Characters of every id. Missing: ids differ in length. */
  exactly?: number;
  /** No two calls of a request have the same id. Missing: later calls may repeat an id. */
  areUnique?: true;
}

/** An id where it stands in a request. */
export interface IdUse {
  kind: 'call' | 'result';
  id: string;
  /** Position of the message or item; calls of one turn have the same. */
  turn: number;
}

/** Ids for the uses, in order; null: all are taken as they are. */
export function fittingIds(uses: readonly IdUse[], rule: CallIdRule): string[] | null {
  const isFit = (id: string) => fits(id, rule);
  if (uses.every(({ id }) => isFit(id)) && (rule.areUnique !== true || !hasRepeatedCall(uses))) return null;
  const ids = new IdReplacements(rule, new Set(uses.flatMap(({ id }) => (isFit(id) ? [id] : []))));
  return uses.map((use) => (use.kind === 'call' ? ids.ofCall(use) : ids.ofResult(use.id)));
}

function fits(id: string, { letters, most = Infinity, exactly }: CallIdRule): boolean {
  if (id === '' || id.length > most || (exactly !== undefined && id.length !== exactly)) return false;
  return letters === undefined || letters.test(id);
}

function hasRepeatedCall(uses: readonly IdUse[]): boolean {
  const calls = new Set<string>();
  return uses.some(({ kind, id }) => kind === 'call' && calls.size === calls.add(id).size);
}

class IdReplacements {
  readonly #rule: CallIdRule;
  readonly #taken: Set<string>;
  readonly #made = new Map<string, string>();
  readonly #calls = new Map<string, { count: number; turn: number; open: string[]; last: string }>();

  constructor(rule: CallIdRule, taken: Set<string>) {
    this.#rule = rule;
    this.#taken = taken;
  }

  ofCall({ id, turn }: IdUse): string {
    const before = this.#calls.get(id);
    const count = before?.count ?? 0;
    const given = this.#fitting(id, this.#rule.areUnique === true || id === '' ? count : 0);
    const open = before?.turn === turn ? [...before.open, given] : [given];
    this.#calls.set(id, { count: count + 1, turn, open, last: given });
    return given;
  }

  /** Results of calls that have the same id come in the order of the calls. */
  ofResult(id: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return this.#fitting(id, 0);
    call.last = call.open.shift() ?? call.last;
    return call.last;
  }

  /** @param nth how many calls before have had the same id */
  #fitting(id: string, nth: number): string {
    if (nth === 0 && fits(id, this.#rule)) return id;
    const key = `${nth} ${id}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    let made = madeId(key, this.#rule);
    for (let again = 1; this.#taken.has(made); again += 1) made = madeId(`${again} ${key}`, this.#rule);
    this.#taken.add(made);
    this.#made.set(key, made);
    return made;
  }
}

const prefix = 'call_';
/** Characters behind the prefix: fewer than any vendor's limit. */
const digits = 24;

/** Letters and digits alone, which every vendor takes. */
function madeId(key: string, { exactly }: CallIdRule): string {
  const hash = createHash('sha256').update(key).digest('base64url').replaceAll(/[-_]/g, 'x');
  return exactly === undefined ? `${prefix}${hash.slice(0, digits)}` : hash.slice(0, exactly);
}
