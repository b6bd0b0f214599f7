// Midjourney proxy and Suno API over a real socket, for tests: accepts tasks, reports the results that the test sets, records its requests, and
// misbehaves on demand.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TaskVisit {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

type Answer =
  | { status?: number; body: unknown; text?: undefined }
  | { status?: number; text: string; body?: undefined }
  /** The connection breaks after the question has come. */
  | 'cut';

export interface FakeTaskUpstream extends AsyncDisposable {
  url: string;
  readonly visits: TaskVisit[];
  /** Submissions that were taken. */
  readonly taken: string[];
  /** What the next submissions are answered with, instead of being taken. */
  refuse(...answers: Answer[]): void;
  /** What has not been answered so is taken again. */
  refuseNoMore(): void;
  /** What the next questions about tasks are answered with, instead of what is known. */
  misanswer(...answers: Answer[]): void;
  /** Sets the report of a task from now on; null: none. */
  report(id: string, fields: Record<string, unknown> | null): void;
  /** Holds the next submission back until the result is called. */
  hold(): { arrived: Promise<void>; release(): void };
  /** Holds questions about seeds back until the result is called. */
  holdSeeds(): () => void;
  /** Questions about tasks. */
  polls(): TaskVisit[];
}

const json = { 'content-type': 'application/json' };

export async function startTaskUpstream(): Promise<FakeTaskUpstream> {
  const visits: TaskVisit[] = [];
  const taken: string[] = [];
  const refusals: Answer[] = [];
  const misanswers: Answer[] = [];
  const reported = new Map<string, Record<string, unknown>>();
  let held: { arrived: () => void; gate: Promise<void> } | null = null;
  let seedGate = Promise.resolve();
  let nextId = 1_320_098_173_412_000;

  function send(response: ServerResponse, answer: Answer): void {
    if (answer === 'cut') response.destroy();
    else response.writeHead(answer.status ?? 200, json).end(answer.text ?? JSON.stringify(answer.body));
  }

  async function serve(visit: TaskVisit, response: ServerResponse): Promise<void> {
    const path = visit.path.split('?')[0] ?? '';
    if (path.endsWith('/mj/task/list-by-condition') || path === '/suno/fetch') {
      const misanswer = misanswers.shift();
      if (misanswer !== undefined) return send(response, misanswer);
      const ids = Array.isArray(visit.body['ids']) ? visit.body['ids'].map(String) : [];
      const name = path === '/suno/fetch' ? 'task_id' : 'id';
      const found = ids.filter((id) => reported.has(id)).map((id) => ({ [name]: id, ...reported.get(id) }));
      return send(response, { body: path === '/suno/fetch' ? { code: 'success', message: '', data: found } : found });
    }
    if (path.endsWith('/image-seed')) {
      await seedGate;
      return send(response, { body: { code: 1, description: 'ok', properties: {}, result: '42' } });
    }
    const hold = held;
    held = null;
    if (hold !== null) {
      hold.arrived();
      await hold.gate;
    }
    const refusal = refusals.shift();
    if (refusal !== undefined) return send(response, refusal);
    const id = String((nextId += 1));
    taken.push(id);
    if (path.startsWith('/suno/')) {
      reported.set(id, { status: 'SUBMITTED', progress: '0%' });
      return send(response, { body: { code: 'success', message: '', data: id } });
    }
    reported.set(id, { status: 'SUBMITTED', progress: '0%', action: 'IMAGINE' });
    return send(response, { body: { code: 1, description: 'Submit success', result: id, properties: {} } });
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const visit = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : JSON.parse(text),
      };
      visits.push(visit);
      void serve(visit, response);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    visits,
    taken,
    refuse: (...answers) => void refusals.push(...answers),
    refuseNoMore: () => void refusals.splice(0),
    misanswer: (...answers) => void misanswers.push(...answers),
    report(id, fields) {
      if (fields === null) reported.delete(id);
      else reported.set(id, { ...reported.get(id), ...fields });
    },
    hold() {
      let release = () => {};
      let arrive = () => {};
      const gate = new Promise<void>((resolve) => (release = resolve));
      const arrived = new Promise<void>((resolve) => (arrive = resolve));
      held = { arrived: arrive, gate };
      return { arrived, release };
    },
    holdSeeds() {
      let release = () => {};
      seedGate = new Promise((resolve) => (release = resolve));
      return release;
    },
    polls: () => visits.filter(({ path }) => path.includes('list-by-condition') || path === '/suno/fetch'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
