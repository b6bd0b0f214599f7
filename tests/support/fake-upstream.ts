// Provider over a real socket, for tests: responds in OpenAI's format or, on Claude's and Gemini's paths, in theirs, records every request, and
// misbehaves on demand. Its options are in `upstream-behaviour.ts`.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formOf } from './sent-form.ts';
import { answer, answerModels } from './upstream-answers.ts';
import type { Behaviour } from './upstream-behaviour.ts';
import { replay } from './upstream-delivery.ts';
import { Exchange, readAll, type UpstreamRequest } from './upstream-exchange.ts';
import { isObject, seededRandom } from './upstream-responses.ts';

export type { Behaviour } from './upstream-behaviour.ts';
export type { UpstreamRequest } from './upstream-exchange.ts';
export { embeddingOf } from './upstream-responses.ts';

/** Which requests a behaviour is for; all given fields must match. */
export interface When {
  model?: string;
  key?: string;
  /** How often it applies before older rules are looked at again. */
  times?: number;
}

export interface FakeUpstream extends AsyncDisposable {
  /** Without a trailing slash and without `/v1`. */
  url: string;
  requests: UpstreamRequest[];
  /** From now on; the newest rule that matches wins. */
  behave(behaviour: Behaviour, when?: When): void;
  /** The next requests, one behaviour each, before any rule. */
  queue(...behaviours: Behaviour[]): void;
  /** Forgets rules, queue and recorded requests. */
  reset(): void;
  /** The request of that number (from 0) as soon as it has come. */
  request(index: number): Promise<UpstreamRequest>;
  close(): Promise<void>;
}

export interface FakeUpstreamOptions {
  port?: number;
  /** Served by `/models`. */
  models?: readonly string[];
  /** Accepted keys; any when absent. */
  keys?: readonly string[];
  behaviour?: Behaviour;
}

interface Rule {
  behaviour: Behaviour;
  when: When;
  left: number;
}

export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const requests: UpstreamRequest[] = [];
  const rules: Rule[] = [];
  const queued: Behaviour[] = [];
  const waiting: { index: number; resolve: (request: UpstreamRequest) => void }[] = [];
  const randoms = new Map<Behaviour, () => number>();

  const choose = (request: UpstreamRequest): Behaviour => {
    const next = queued.shift();
    if (next !== undefined) return next;
    const model = isObject(request.body) ? request.body['model'] : undefined;
    const rule = rules.findLast(
      ({ when, left }) =>
        left > 0 && (when.model === undefined || when.model === model) && (when.key === undefined || when.key === request.key),
    );
    if (rule === undefined) return options.behaviour ?? {};
    rule.left -= 1;
    return rule.behaviour;
  };

  const resolveFailing = (behaviour: Behaviour): Behaviour => {
    if (behaviour.failing === undefined) return behaviour;
    let random = randoms.get(behaviour);
    if (random === undefined) randoms.set(behaviour, (random = seededRandom(behaviour.failing.seed)));
    return random() < behaviour.failing.rate ? behaviour.failing.as : behaviour;
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const receivedAt = performance.now();
    const bytes = await readAll(incoming);
    const exchange = new Exchange(incoming, response, { bytes, form: await formOf(incoming, bytes) }, receivedAt);
    const { request } = exchange;
    requests.push(request);
    for (const waiter of waiting.filter(({ index }) => index === requests.length - 1)) waiter.resolve(request);
    const behaviour = resolveFailing(choose(request));
    if (options.keys !== undefined && !options.keys.includes(request.key)) await exchange.refuse(401, undefined, {});
    else await answerAs(exchange, behaviour, options.models ?? ['gpt-4o-mini', 'text-embedding-3-small']);
  };

  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((failure) => (failure === undefined ? resolve() : reject(failure)));
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    behave: (behaviour, when = {}) => void rules.push({ behaviour, when, left: when.times ?? Infinity }),
    queue: (...behaviours) => void queued.push(...behaviours),
    reset() {
      requests.length = rules.length = queued.length = 0;
    },
    request: (index) =>
      new Promise((resolve) => {
        const known = requests[index];
        if (known === undefined) waiting.push({ index, resolve });
        else resolve(known);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answerAs(exchange: Exchange, behaviour: Behaviour, models: readonly string[]): Promise<void> {
  if (behaviour.firstByteDelay !== undefined) await exchange.pause(behaviour.firstByteDelay);
  if (exchange.isClosed) return;
  if (behaviour.refuse === true) return exchange.cut();
  if (behaviour.status !== undefined && behaviour.status >= 300) return exchange.refuse(behaviour.status, behaviour.error, behaviour);
  if (behaviour.replay !== undefined) return replay(exchange, behaviour, behaviour.replay);
  if (!(await answerModels(exchange, behaviour, models))) await answer(exchange, behaviour);
}
