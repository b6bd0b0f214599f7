// Conversations while servers are killed: turns of Claude's threads, each continued as soon as its response arrived, and calls of Responses whose
// conversation is summarized on the way. A turn whose response arrived can be continued; a summary and its call are charged once each.
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { type KillLoad, postJson, type Requesting, wasTaken } from '#tests/faults/kill-load.ts';
import { pacedModels } from '#tests/faults/kill-scene.ts';

/** So long that it is summarized. */
const wordy = 'Say it in many words. '.repeat(20);

export class ConversationLoad implements KillLoad {
  readonly #problems: string[];
  /** Id of the last message that each caller received. */
  readonly #threads = new Map<number, string>();
  /** Sessions of calls that were to be shortened, and whether their response arrived. */
  readonly #sessions = new Map<string, boolean>();
  #goneOn = 0;

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  /** Turns that continued a received one, and calls whose response arrived with its summary. */
  get figures(): { goneOn: number; shortened: number } {
    return { goneOn: this.#goneOn, shortened: [...this.#sessions.values()].filter((isReported) => isReported).length };
  }

  ask(requesting: Requesting): Promise<void> {
    const model = pacedModels[requesting.turn % pacedModels.length] ?? '';
    return requesting.turn % 2 === 0 ? this.#thread(requesting, model) : this.#shortened(requesting, model);
  }

  /** The next turn of the caller's thread. */
  async #thread({ server, key, caller, turn, answered }: Requesting, model: string): Promise<void> {
    const previous = this.#threads.get(caller);
    const thread = previous === undefined ? { type: 'create' } : { type: 'continue', previous_message_id: previous };
    const body = { model, max_tokens: 50, thread, messages: [{ role: 'user', content: `Turn ${caller} ${turn}` }] };
    const got = await postJson(`${server.origin}/v1/messages`, body, { 'x-api-key': key });
    if (!wasTaken(this.#problems, `a turn of a thread after ${previous ?? 'none'}`, got)) return;
    const { id, usage } = JSON.parse(got.text);
    if (previous !== undefined) this.#goneOn += 1;
    // Prompts grow with every turn.
    if (turn % 5 === 4) this.#threads.delete(caller);
    else this.#threads.set(caller, id);
    answered({ requestId: got.requestId, reported: { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens } });
  }

  /** A call that has its conversation summarized first. */
  async #shortened({ server, key, caller, turn, answered }: Requesting, model: string): Promise<void> {
    const session = `kill-${caller}-${turn}`;
    this.#sessions.set(session, false);
    const input = [
      // A summary whose call has failed would serve the next conversation that begins so.
      { role: 'user', content: `When is high water in Brest? ${caller} ${turn} ${wordy}` },
      { role: 'assistant', content: 'At noon.' },
      { role: 'user', content: 'And in Dover?' },
    ];
    const management = [{ type: 'compaction', compact_threshold: 60 }];
    const body = { model, input, context_management: management, max_output_tokens: 50, store: false };
    const got = await postJson(`${server.origin}/v1/responses`, body, { authorization: `Bearer ${key}`, session_id: session });
    if (!wasTaken(this.#problems, 'a call that is shortened', got)) return;
    const { output, usage } = JSON.parse(got.text);
    if (output[0]?.type !== 'compaction') this.#problems.push(`a long conversation was not shortened: ${got.text}`);
    this.#sessions.set(session, true);
    answered({ requestId: got.requestId, reported: { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens } });
  }

  check(_context: RunningContext, rows: ReadonlyMap<string, readonly LogRecord[]>): void {
    const charged = new Map<unknown, number>();
    for (const { other, quota } of [...rows.values()].flat()) {
      const session = sessionIn(other);
      if (session !== undefined && quota > 0) charged.set(session, (charged.get(session) ?? 0) + 1);
    }
    for (const [session, isReported] of this.#sessions) {
      const count = charged.get(session) ?? 0;
      if (count > 2 || (isReported && count !== 2))
        this.#problems.push(`the session ${session}, told: ${isReported}, is charged ${count} times`);
    }
  }
}

function sessionIn(other: LogRecord['other']): unknown {
  const session: unknown = other?.['session'];
  return typeof session === 'object' && session !== null && 'id' in session ? session.id : undefined;
}
