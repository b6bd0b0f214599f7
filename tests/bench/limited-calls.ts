// What a token limit (requests and tokens per minute) and a hard monthly budget add to a JSON call: two tokens of one server take turns, so that other
// load of the machine meets both. Other load only ever adds time, by a lot on a shared machine, so that low quantiles are compared, not means.
import { connect } from 'node:net';
import { load, type Started } from '#tests/bench/processes.ts';
import { benchKey, limitedKey } from '#tests/bench/seed.ts';

export interface AddedCost {
  /** Microseconds of a call without limits: at the lowest tenth, and at the median. */
  plain: readonly [number, number];
  /** Difference of the same quantiles. */
  added: readonly [number, number];
}

const keys = [benchKey, limitedKey];
const turnSeconds = 0.5;
/** Turns in a row in which a busy machine may answer no call. */
const mostEmpty = 10;

/** CPU time per call, in turns of half a second. */
export async function costUnderLoad(server: Started, connections: number, turns: number): Promise<AddedCost> {
  const costs = keys.map((): number[] => []);
  for (const key of keys) await load({ port: server.port, connections, seconds: 2, warmupSeconds: 0, key: `sk-${key}` });
  for (let turn = 0; turn < turns; turn += 1) {
    // The order changes, so that a trend adds nothing.
    for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) costs[at]?.push(await costOf(server, connections, keys[at] ?? ''));
  }
  return compared(costs);
}

async function costOf(server: Started, connections: number, key: string): Promise<number> {
  for (let empty = 0; empty < mostEmpty; empty += 1) {
    const before = server.cpu();
    const result = await load({ port: server.port, connections, seconds: turnSeconds, warmupSeconds: 0, key: `sk-${key}` });
    if (result.failures > 0) throw new Error(`${result.failures} calls failed`);
    if (result.responses > 0) return (server.cpu() - before) / result.responses;
  }
  throw new Error('The server answers no calls');
}

/** Time of each of alternating calls on one connection, as its caller sees it. */
export async function costAlone(server: Started, calls: number): Promise<AddedCost> {
  const times = keys.map((): number[] => []);
  const caller = await openCaller(server.port);
  const warmUps = 1000;
  for (let call = -warmUps; call < calls; call += 1) {
    for (const at of call % 2 === 0 ? [0, 1] : [1, 0]) {
      const time = await caller.call(keys[at] ?? '');
      if (call >= 0) times[at]?.push(time);
    }
  }
  caller.close();
  return compared(times);
}

/** A connection that reads as little of a response as it can. */
async function openCaller(port: number): Promise<{ call(key: string): Promise<number>; close(): void }> {
  const body = JSON.stringify({
    model: 'mock',
    messages: [{ role: 'user', content: 'Tell me something about the tides, in two sentences please.' }],
  });
  const requests = new Map(
    keys.map((key) => [
      key,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sk-${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ]),
  );
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  let received = '';
  let ended: (failure?: Error) => void = () => {};
  socket.on('error', (failure) => ended(failure));
  socket.on('close', () => ended(new Error('The server closed the connection')));
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    if (!received.startsWith('HTTP/1.1 200')) ended(new Error(received));
    else if (received.length >= head + 4 + Number(/content-length: *(\d+)/i.exec(received)?.[1])) ended();
  });
  return {
    call: (key) =>
      new Promise((resolve, reject) => {
        const begunAt = performance.now();
        received = '';
        ended = (failure) => (failure === undefined ? resolve((performance.now() - begunAt) * 1000) : reject(failure));
        socket.write(requests.get(key) ?? '');
      }),
    close: () => socket.destroy(),
  };
}

function compared([plain = [], limited = []]: readonly number[][]): AddedCost {
  const both = (share: number) => [quantile(plain, share), quantile(limited, share) - quantile(plain, share)] as const;
  const [low, middle] = [both(0.1), both(0.5)];
  return { plain: [low[0], middle[0]], added: [low[1], middle[1]] };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
