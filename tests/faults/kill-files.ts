// Files that callers upload, whole and in parts, read and delete, while servers are killed: reported files exist, and no others are counted.
import type { RunningContext } from '#server/create-context.ts';
import { sweepFiles } from '#server/slices/files/sweep-files.ts';
import { addPart, begin, complete, halves, leave, post, type Reported } from '#tests/faults/held-files.ts';
import { type KillLoad, type Requesting, wasTaken } from '#tests/faults/kill-load.ts';
import type { FakeFiles } from '#tests/support/fake-files.ts';

/** Later than any upload's deadline, and before files expire. */
const laterMs = 3 * 3_600_000;

export class FileLoad implements KillLoad {
  readonly figures = { files: 0, uploads: 0 };
  readonly #problems: string[];
  readonly #provider: FakeFiles;
  /** Reported ids: of existing files, and of deleted ones. */
  readonly #stored = new Set<string>();
  readonly #deleted = new Set<string>();

  constructor(problems: string[], provider: FakeFiles) {
    this.#problems = problems;
    this.#provider = provider;
  }

  async ask({ server: { origin }, key, turn }: Requesting): Promise<void> {
    const caller = { origin, key };
    const isWhole = turn % 2 === 0;
    const id = isWhole ? this.#idIn('a file', await leave(caller, `file ${turn}`)) : await this.#upload(caller);
    if (id === null) return;
    this.#stored.add(id);
    this.figures[isWhole ? 'files' : 'uploads'] += 1;
    const read = await post(caller, `/files/${id}/content`, undefined, 'GET');
    wasTaken(this.#problems, 'the file that was told', read);
    // After a deletion that was cut off the outcome is unknown.
    this.#stored.delete(id);
    if (turn % 5 !== 0 && this.#idIn('a deletion', await post(caller, `/files/${id}`, undefined, 'DELETE')) === id) this.#deleted.add(id);
    else if (turn % 5 === 0) this.#stored.add(id);
  }

  async #upload(caller: { origin: string; key: string }): Promise<string | null> {
    const upload = this.#idIn('an upload', await begin(caller));
    if (upload === null) return null;
    const parts: string[] = [];
    for (const half of halves) parts.push(this.#idIn('a part', await addPart(caller, upload, half)) ?? '');
    const done = await complete(caller, { id: upload, parts });
    return this.#idIn('a completion', done) === null ? null : String(JSON.parse(done.text).file.id);
  }

  #idIn(what: string, reported: Reported): string | null {
    return wasTaken(this.#problems, what, reported) ? reported.id : null;
  }

  async check(context: RunningContext): Promise<void> {
    await sweepFiles({ ...context, now: () => Date.now() + laterMs });
    const known = new Map((await context.db.collection('files').find({})).map((file) => [file.id, file]));
    const there = this.#provider.files;
    for (const { id, state, upstream_id: upstream } of known.values())
      if (state !== 'stored' || !there.has(upstream)) this.#problems.push(`the file ${id}, which is not there, is counted as ${state}`);
    for (const id of this.#stored) if (!known.has(id)) this.#problems.push(`the file ${id} that was told is not known`);
    for (const id of this.#deleted) if (known.has(id)) this.#problems.push(`the file ${id}, which was deleted, is counted`);
    const names = new Set([...known.values()].map(({ upstream_id: id }) => id));
    for (const { id, seconds } of there.values())
      if (!names.has(id) && !(Number(seconds) > 0)) this.#problems.push(`nobody knows the file ${id} of the provider, and it never goes`);
  }
}
