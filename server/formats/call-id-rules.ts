// Tool call ids in conversations with several vendors: ids that the next provider rejects are replaced in calls and results. Replacement
// is deterministic, so nothing is stored and prompts stay in the provider's cache.
import { createHash } from 'node:crypto';

/** Ids that a provider accepts. A rule without fields accepts any id except an empty one. */
export interface CallIdRule {
  /** Matches an id of the right characters. If undefined, any characters pass. */
  letters?: RegExp;
  /** Maximum length. If undefined, unlimited. */
  most?: number;
  /** Exact length. If undefined, lengths differ. */
  exactly?: number;
  /** Whether the ids of a request must be unique. If undefined, later calls may repeat an id. */
  areUnique?: true;
}

/** One occurrence of an id in a request. */
export interface IdUse {
  kind: 'call' | 'result';
  id: string;
  /** Position of the message or item; calls of one turn share it. */
  turn: number;
}

/** Returns the ids to write, in the order of the uses; null if the provider accepts all ids unchanged. */
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

  /** Returns the id of a result. Results of calls with the same id are in the order of the calls. */
  ofResult(id: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return this.#fitting(id, 0);
    call.last = call.open.shift() ?? call.last;
    return call.last;
  }

  /** @param nth number of earlier calls with the same id */
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
/** Length of a generated id, below every vendor's limit. */
const digits = 24;

/** Generates an id of letters and digits, which every vendor accepts. */
function madeId(key: string, { exactly }: CallIdRule): string {
  const hash = createHash('sha256').update(key).digest('base64url').replaceAll(/[-_]/g, 'x');
  return exactly === undefined ? `${prefix}${hash.slice(0, digits)}` : hash.slice(0, exactly);
}
