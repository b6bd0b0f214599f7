// Chats, whole and streamed, and turns of sockets, while servers are killed.
import type { StoredLoad } from '#tests/faults/kill-kept.ts';
import { type KillLoad, postJson, type Requesting, wasTaken } from '#tests/faults/kill-load.ts';
import { pacedModels } from '#tests/faults/kill-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';

export class ChatLoad implements KillLoad {
  readonly figures = { chats: 0, streams: 0 };
  readonly #problems: string[];

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  async ask({ server, key, caller, turn, answered }: Requesting): Promise<void> {
    const isStream = (caller + turn) % 3 === 0;
    const streamed = isStream ? { stream: true, stream_options: { include_usage: true } } : {};
    const messages = [{ role: 'user', content: `Call ${caller} ${turn}` }];
    const body = { model: pacedModels[turn % pacedModels.length], messages, max_tokens: 50, ...streamed };
    const got = await postJson(`${server.origin}/v1/chat/completions`, body, { authorization: `Bearer ${key}` });
    if (!wasTaken(this.#problems, 'a call', got)) return;
    if (isStream && !got.text.includes('data: [DONE]')) throw new Error('It was cut off');
    answered({ requestId: got.requestId, reported: usageOf(got.text) });
    this.figures[isStream ? 'streams' : 'chats'] += 1;
  }

  check(): void {}
}

/** One connection until it breaks, with many calls on it. */
export class SocketLoad implements KillLoad {
  readonly figures = { turns: 0 };
  readonly #problems: string[];
  readonly #stored: StoredLoad;

  /** @param stored checks the stored responses */
  constructor(problems: string[], stored: StoredLoad) {
    this.#problems = problems;
    this.#stored = stored;
  }

  async ask({ server, key, caller, isRunning, answered }: Requesting): Promise<void> {
    using client = await connectSocket(`${server.origin}/v1/responses`, { headers: { authorization: `Bearer ${key}` } });
    for (let turn = 0; isRunning(); turn += 1) {
      // A response that is not stored has the id of its call.
      const model = pacedModels[turn % pacedModels.length];
      const requested = { model, input: `Call ${caller} ${turn}`, max_output_tokens: 50, store: turn % 3 === 2 };
      client.send({ type: 'response.create', ...requested });
      const last = (await client.response()).at(-1) ?? {};
      if (last['type'] === 'error') {
        wasTaken(this.#problems, 'a turn', { status: 0, text: JSON.stringify(last) });
        continue;
      }
      const { id, usage } = last['response'];
      this.figures.turns += 1;
      if (requested.store) this.#stored.reported(id);
      else {
        const reported = { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens };
        answered({ requestId: id.slice('resp_'.length), reported });
      }
    }
  }

  check(): void {}
}

function usageOf(text: string): { promptTokens: number; completionTokens: number } {
  const usage = /"usage":\s*(\{[^}]*\}?)/g;
  const last = [...text.matchAll(usage)].at(-1)?.[1] ?? '';
  const number = (name: string) => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(last)?.[1] ?? Number.NaN);
  return { promptTokens: number('prompt_tokens'), completionTokens: number('completion_tokens') };
}
