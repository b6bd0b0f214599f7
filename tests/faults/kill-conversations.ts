// Conversations while servers are killed: turns of Claude's threads, each gone on from as soon as it was told, and calls of Responses whose
// conversation is summarized on the way. A turn that was told can be gone on from; a summary and its call are charged once each.
import type { LogRecord } from '#server/db/records/log.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';

export interface AnsweredCall {
  requestId: string;
  promptTokens: number;
  completionTokens: number;
}

interface AskedTurn {
  server: ServerProcess;
  key: string;
  model: string;
  caller: number;
  turn: number;
}

/** What may be said while accounts run dry and servers come and go. */
const expected = /quota|key_exhausted|database_unavailable|shutting_down/;

/** So long that it is summarized. */
const older = `When is high water in Brest? ${'Say it in many words. '.repeat(20)}`;

export class ConversationLoad {
  readonly #problems: string[];
  /** Id of the last message that each caller was told. */
  readonly #threads = new Map<number, string>();
  /** Sessions of calls that were to be shortened, and whether their response was told. */
  readonly #sessions = new Map<string, boolean>();
  #goneOn = 0;

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  /** Turns that went on from one that was told before, and calls that were told with their summary. */
  get figures(): { goneOn: number; shortened: number } {
    return { goneOn: this.#goneOn, shortened: [...this.#sessions.values()].filter((isTold) => isTold).length };
  }

  /** The next turn of the caller's thread. Null: it was not told. */
  async thread({ server, key, model, caller, turn }: AskedTurn): Promise<AnsweredCall | null> {
    const previous = this.#threads.get(caller);
    const thread = previous === undefined ? { type: 'create' } : { type: 'continue', previous_message_id: previous };
    const body = { model, max_tokens: 50, thread, messages: [{ role: 'user', content: `Turn ${caller} ${turn}` }] };
    const { response, text } = await post(server, '/v1/messages', body, { 'x-api-key': key });
    if (response.status !== 200) {
      if (!expected.test(text)) this.#problems.push(`a turn of a thread after ${previous ?? 'none'} answered ${response.status}: ${text}`);
      return null;
    }
    const { id, usage } = JSON.parse(text);
    if (previous !== undefined) this.#goneOn += 1;
    // Prompts grow with every turn.
    if (turn % 5 === 4) this.#threads.delete(caller);
    else this.#threads.set(caller, id);
    const requestId = response.headers.get('x-oneapi-request-id') ?? '';
    return { requestId, promptTokens: usage.input_tokens, completionTokens: usage.output_tokens };
  }

  /** A call that has its conversation summarized first. Null: it was not told. */
  async shortened({ server, key, model, caller, turn }: AskedTurn): Promise<AnsweredCall | null> {
    const session = `kill-${caller}-${turn}`;
    this.#sessions.set(session, false);
    const input = [
      { role: 'user', content: older },
      { role: 'assistant', content: 'At noon.' },
      { role: 'user', content: `And in Dover? ${caller} ${turn}` },
    ];
    const management = [{ type: 'compaction', compact_threshold: 60 }];
    const body = { model, input, context_management: management, max_output_tokens: 50, store: false };
    const { response, text } = await post(server, '/v1/responses', body, { authorization: `Bearer ${key}`, session_id: session });
    if (response.status !== 200) {
      if (!expected.test(text)) this.#problems.push(`a call that is shortened answered ${response.status}: ${text}`);
      return null;
    }
    const { output, usage } = JSON.parse(text);
    if (output[0]?.type !== 'compaction') this.#problems.push(`a long conversation was not shortened: ${text}`);
    this.#sessions.set(session, true);
    const requestId = response.headers.get('x-oneapi-request-id') ?? '';
    return { requestId, promptTokens: usage.input_tokens, completionTokens: usage.output_tokens };
  }

  check(rows: Iterable<LogRecord>): void {
    const charged = new Map<unknown, number>();
    for (const { other, quota } of rows) {
      const session = sessionIn(other);
      if (session !== undefined && quota > 0) charged.set(session, (charged.get(session) ?? 0) + 1);
    }
    for (const [session, isTold] of this.#sessions) {
      const count = charged.get(session) ?? 0;
      if (count > 2 || (isTold && count !== 2)) this.#problems.push(`the session ${session}, told: ${isTold}, is charged ${count} times`);
    }
  }
}

function sessionIn(other: LogRecord['other']): unknown {
  const session: unknown = other?.['session'];
  return typeof session === 'object' && session !== null && 'id' in session ? session.id : undefined;
}

async function post(server: ServerProcess, path: string, body: object, headers: Record<string, string>) {
  const response = await fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { response, text: await response.text() };
}
