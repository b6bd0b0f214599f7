// Writes long additions to a conversation in advance, before they become visible, to bound each step of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';

/** Sealed characters and records per step. */
const mostAtOnce = { characters: 1_500_000, records: 200 };
/** Expiry of pieces that the sweep must not remove: they are deleted with their conversation. */
const neverSwept = Number.MAX_SAFE_INTEGER;

/** Ids per query. */
const mostLookedUp = 200;

/** Returns the ids among these that are stored already. */
export async function storedIds({ db }: Pick<AppContext, 'db'>, ids: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (let from = 0; from < ids.length; from += mostLookedUp) {
    const rows = await db.collection('conversation_items').find({ id: { in: ids.slice(from, from + mostLookedUp) } });
    for (const row of rows) stored.add(row.id);
    if (from + mostLookedUp < ids.length) await nextTurn();
  }
  return stored;
}

export class WritesAhead {
  /** Writes for the transaction that makes the addition visible. */
  left: Write[] = [];
  isAhead = false;
  readonly #context: Pick<AppContext, 'db'>;
  readonly #ready: (isFirst: boolean) => Promise<boolean>;
  #characters = 0;
  #isOver = false;

  /** @param ready called before each write; if it returns false, nothing more is written */
  constructor(context: Pick<AppContext, 'db'>, ready: (isFirst: boolean) => Promise<boolean>) {
    this.#context = context;
    this.#ready = ready;
  }

  /** Adds an item. Its row is inserted before its pieces, because removing the row removes them. */
  async addItem(row: Omit<ConversationItemRecord, 'content'>, sealed: AsyncIterable<string>): Promise<void> {
    let content: string | undefined;
    let pieces = 0;
    for await (const piece of sealed) {
      if (content === undefined) {
        content = piece;
        continue;
      }
      if (pieces === 0) await this.#add({ insert: { ...row, content, pieces }, into: 'conversation_items' }, content.length);
      const record = {
        id: `${row.id}:${pieces}`,
        response_id: row.id,
        kind: 'items' as const,
        number: pieces,
        content: piece,
        expires_at: neverSwept,
      };
      await this.#add({ insert: record, into: 'response_pieces' }, piece.length);
      pieces += 1;
    }
    if (pieces === 0) await this.#add({ insert: { ...row, content: content ?? '' }, into: 'conversation_items' }, content?.length ?? 0);
    else await this.#add({ patch: { set: { pieces } }, of: 'conversation_items', where: { id: row.id } }, 0);
  }

  async #add(write: Write, characters: number): Promise<void> {
    if (this.#isOver) return;
    const isTooMuch = this.#characters + characters > mostAtOnce.characters || this.left.length >= mostAtOnce.records;
    if (isTooMuch && this.left.length > 0) await this.#write();
    if (this.#isOver) return;
    this.left.push(write);
    this.#characters += characters;
  }

  async #write(): Promise<void> {
    this.#isOver = !(await this.#ready(!this.isAhead));
    this.isAhead = true;
    const written = this.left;
    [this.left, this.#characters] = [[], 0];
    if (this.#isOver) return;
    await this.#context.db.write(written);
    await nextTurn();
  }
}
