// Pictures, sounds, forms and every other kind of call, one after the other, while servers are killed: whatever of a kind was answered costs the same, once.
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { askKind, everyKind } from '#tests/faults/every-kind.ts';
import { type KillLoad, type Requesting, wasTaken } from '#tests/faults/kill-load.ts';

export class MediaLoad implements KillLoad {
  readonly #problems: string[];
  /** Requests that were answered, by their kind. */
  readonly #answered = new Map(everyKind.map(({ name }) => [name, [] as string[]]));

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  get figures(): Record<string, number> {
    return Object.fromEntries([...this.#answered].map(([name, requests]) => [name, requests.length]));
  }

  async ask({ server, key, turn, answered }: Requesting): Promise<void> {
    const kind = everyKind[turn % everyKind.length];
    if (kind === undefined) return;
    const got = await askKind(server.origin, key, { kind, model: kind.family });
    if (!wasTaken(this.#problems, kind.name, got)) return;
    if (!got.isWhole) throw new Error('It was cut off');
    answered({ requestId: got.requestId });
    this.#answered.get(kind.name)?.push(got.requestId);
  }

  check(_context: RunningContext, rows: ReadonlyMap<string, readonly LogRecord[]>): void {
    for (const [name, requests] of this.#answered) {
      const costs = new Set(requests.map((id) => rows.get(id)?.[0]?.quota));
      if (costs.size > 1) this.#problems.push(`${name} was charged in different ways: ${[...costs].join(', ')}`);
    }
  }
}
