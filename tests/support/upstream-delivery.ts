// How an answer of the fake upstream leaves, whatever its format: whole or as a stream, held, cut, or as garbage.
import { readFile } from 'node:fs/promises';
import type { Behaviour, Garbage } from './upstream-behaviour.ts';
import type { Exchange } from './upstream-exchange.ts';
import { errorFor } from './upstream-responses.ts';

export interface Answer {
  isStream: boolean;
  /** Sent instead, if a text was requested. */
  text?: string;
  /** Sent instead, piece by piece, if audio was requested. */
  sound?: { type: string; pieces: readonly Buffer[] };
  /** Made when it is wanted: a stream may be longer than fits into one. */
  whole(): object;
  events(): Iterable<object>;
  /** Of an event; missing: events have none. */
  nameOf?(event: object): string | undefined;
  /** It says that nothing follows: `withoutDone` leaves it out. */
  isDone?(event: object, index: number): boolean;
  /** What stands behind the last event where that is none itself. */
  done?: string;
}

/** Garbage is the same in every format. */
export async function deliver(exchange: Exchange, answer: Answer, behaviour: Behaviour): Promise<void> {
  const kind = behaviour.garbage;
  if (kind === undefined && answer.text !== undefined) return plain(exchange, answer.text, behaviour);
  if (kind === undefined && answer.sound !== undefined) return sound(exchange, answer.sound, behaviour);
  if (kind === 'json to a stream' || (kind === undefined && !answer.isStream)) return exchange.json(answer.whole(), behaviour);
  if (kind !== undefined && kind !== 'stream to a json call') return garbage(exchange, kind, answer.whole(), behaviour);
  return stream(exchange, answer, behaviour);
}

async function sound(exchange: Exchange, { type, pieces }: NonNullable<Answer['sound']>, behaviour: Behaviour): Promise<void> {
  exchange.head(200, type, behaviour);
  for (const [index, piece] of pieces.entries()) {
    if (await stopsHere(exchange, behaviour, index)) return;
    await exchange.write(piece, behaviour.bytesPerWrite);
    exchange.request.eventsSent += 1;
  }
  exchange.end();
}

async function plain(exchange: Exchange, text: string, behaviour: Behaviour): Promise<void> {
  exchange.head(200, 'text/plain; charset=utf-8', behaviour);
  await exchange.write(Buffer.from(text), behaviour.bytesPerWrite);
  exchange.end();
}

async function stream(exchange: Exchange, { events, nameOf, isDone, done }: Answer, behaviour: Behaviour): Promise<void> {
  exchange.head(200, 'text/event-stream; charset=utf-8', behaviour);
  let index = 0;
  for (const event of events()) {
    // The event at `index` follows `index − 1` events after the first one.
    if (index > 0 && (await stopsHere(exchange, behaviour, index - 1))) return;
    if (index > 0 && behaviour.chunkDelay !== undefined) await exchange.pause(behaviour.chunkDelay);
    if (exchange.isClosed) return;
    if (behaviour.withoutDone === true && isDone?.(event, index) === true) break;
    await exchange.event(JSON.stringify(event), behaviour, nameOf?.(event));
    index += 1;
  }
  if (done !== undefined && behaviour.withoutDone !== true) await exchange.event(done, behaviour);
  exchange.end();
}

/** True when the answer ended before its time. */
async function stopsHere(exchange: Exchange, behaviour: Behaviour, sent: number): Promise<boolean> {
  if (behaviour.holdAfter === sent) await exchange.hold();
  if (exchange.isClosed) return true;
  if (behaviour.cutAfter === sent) {
    exchange.cut();
    return true;
  }
  if (behaviour.errorAfter === sent) {
    const error = exchange.errorBody(behaviour.error, 500);
    await exchange.event(JSON.stringify(error), behaviour, exchange.isClaude ? 'error' : undefined);
    exchange.end();
    return true;
  }
  if (behaviour.endAfter === sent) {
    exchange.end();
    return true;
  }
  return false;
}

export async function replay(exchange: Exchange, behaviour: Behaviour, name: string): Promise<void> {
  const bytes = await readFile(new URL(`../fixtures/upstream/${name}`, import.meta.url));
  const isStream = name.endsWith('.sse');
  exchange.head(behaviour.status ?? 200, isStream ? 'text/event-stream; charset=utf-8' : 'application/json', behaviour);
  await exchange.write(bytes, behaviour.bytesPerWrite);
  exchange.end();
}

async function garbage(exchange: Exchange, kind: Garbage, whole: object, behaviour: Behaviour): Promise<void> {
  const text = JSON.stringify(whole);
  const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';
  const bodies: Partial<Record<Garbage, [type: string, body: string | Buffer]>> = {
    html: ['text/html; charset=utf-8', page],
    text: ['application/json', 'upstream connect error or disconnect/reset before headers'],
    empty: ['application/json', ''],
    'half json': ['application/json', text.slice(0, Math.floor(text.length / 2))],
    'wrong json': ['application/json', '[]'],
    'error object': ['application/json', JSON.stringify({ error: behaviour.error ?? errorFor(500) })],
    bytes: ['application/json', Buffer.from([0xff, 0xfe, 0x80, 0x00, 0xc3, 0x28])],
    'invalid events': ['text/event-stream', 'data: {"id":\n\nnonsense\n\ndata: <html>\n\n'],
  };
  const [type, body] = bodies[kind] ?? ['text/event-stream', ''];
  exchange.head(200, type, behaviour);
  if (kind === 'endless line') await exchange.flood('data: {"id":"', 'x'.repeat(65_536));
  else await exchange.write(Buffer.from(body), undefined);
  exchange.end();
}
