// Stored and background responses while servers are killed: each is in the books once or not at all, and none runs forever.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { failOrphans } from '#server/slices/responses/background.ts';
import { type KillLoad, postJson, type Requesting, wasTaken } from '#tests/faults/kill-load.ts';
import { geminiModel, pacedModels } from '#tests/faults/kill-scene.ts';

interface BegunResponse {
  id: string;
  requestId: string;
}

/** Longest wait for one whose process was killed. */
const pollMs = 1_500;

export class StoredLoad implements KillLoad {
  readonly figures = { background: 0 };
  readonly #begun: BegunResponse[] = [];
  readonly #reported: string[] = [];
  readonly #problems: string[];

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  /** Starts one and follows it for a while, through any running process. */
  async ask({ server, key, caller, turn, current, answered }: Requesting): Promise<void> {
    const headers = { authorization: `Bearer ${key}` };
    const model = [...pacedModels, geminiModel][turn % 3];
    const body = { model, input: `Call ${caller} ${turn}`, max_output_tokens: 50, background: true };
    const got = await postJson(`${server.origin}/v1/responses`, body, headers);
    if (!wasTaken(this.#problems, 'background', got)) return;
    const { id } = JSON.parse(got.text);
    this.#begun.push({ id, requestId: got.requestId });
    const end = performance.now() + pollMs;
    while (performance.now() < end) {
      await sleep(40);
      const origin = current()?.origin;
      if (origin === undefined) continue;
      const read = await fetch(`${origin}/v1/responses/${id}`, { headers }).catch(() => null);
      if (read === null || read.status >= 500) continue;
      const { status, usage } = JSON.parse(await read.text());
      if (read.status !== 200) this.#problems.push(`the response ${id} that had begun is told as ${read.status}`);
      if (status === 'completed') {
        this.figures.background += 1;
        const reported = { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens };
        return answered({ requestId: got.requestId, reported });
      }
      if (status !== 'queued' && status !== 'in_progress') break;
    }
    throw new Error('It was not seen to end well');
  }

  /** The caller received all of it, and may continue it. */
  reported(id: string): void {
    this.#reported.push(id);
  }

  /** After the load has ended: later processes finish the orphans of the dead ones. */
  async check(context: RunningContext, rows: ReadonlyMap<string, readonly LogRecord[]>): Promise<void> {
    await failOrphans({ ...context, now: () => Date.now() + 120_000 });
    const { db } = context;
    const responses = db.collection('responses');
    for (const { id, requestId } of this.#begun) {
      const record = await responses.get(id);
      const billed = rows.get(requestId)?.length ?? 0;
      const least = record?.status === 'completed' ? 1 : 0;
      if (record === null) this.#problems.push(`the response ${id} that had begun is not there`);
      if (billed === 1 && record?.status === 'failed') this.#problems.push(`the response ${id} is billed and told as failed`);
      if (billed > 1 || billed < least) this.#problems.push(`the response ${id}, which has ${record?.status}, is billed ${billed} times`);
      const ends = await db.collection('response_pieces').count({ response_id: id, is_last: true });
      if (ends !== 1) this.#problems.push(`the events of the response ${id} end ${ends} times`);
    }
    for (const id of this.#reported) {
      const record = await responses.get(id);
      if (record?.status !== 'completed') this.#problems.push(`the response ${id} that was told is kept as ${record?.status}`);
    }
    const unfinished = await responses.count({ status: { in: ['queued', 'in_progress'] } });
    const placed = await responses.count({ place: { exists: true } });
    if (unfinished + placed > 0) this.#problems.push(`${unfinished} responses have not ended, ${placed} have a place`);
  }
}
