import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createSpool } from '#server/http/spool.ts';
import type { SendFailure } from '#server/exchange/send-failure.ts';
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';
import { writtenTwice } from './inlined-results.ts';

/** Emits its chunks one after the other unless paused. */
function sourceOf(chunks: readonly string[]): EventSource & { isAborted: boolean } {
  const left = [...chunks];
  let [isPaused, isAborted] = [false, false];
  let sink: StreamSink | null = null;
  const give = () => {
    while (!isPaused && !isAborted && sink !== null) {
      const chunk = left.shift();
      if (chunk !== undefined) sink.data(Buffer.from(chunk), true);
      else [sink] = [null, sink.end()];
    }
  };
  return {
    get isAborted() {
      return isAborted;
    },
    read(reader) {
      sink = reader;
      give();
    },
    pause: () => void (isPaused = true),
    resume() {
      isPaused = false;
      give();
    },
    abort: () => void (isAborted = true),
  };
}

async function withSpool(bytes: number, work: (spool: ReturnType<typeof createSpool>) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'twice-'));
  const spool = createSpool({ folder, limits: { all: bytes, perOwner: bytes }, log: { warn: () => {} } });
  try {
    await work(spool);
    expect(spool.bytes).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const [head, middle, tail] = ['[', '][', ']'].map((text) => Buffer.from(text));
if (head === undefined || middle === undefined || tail === undefined) throw new Error('There is no frame');
const frame = { head, middle, tail };

/** Reads like a client that takes one chunk at a time. */
function readSlowly(source: EventSource | Buffer): Promise<string> {
  if (Buffer.isBuffer(source)) return Promise.resolve(source.toString());
  return new Promise((resolve, reject) => {
    let text = '';
    source.read({
      data(chunk) {
        text += chunk.toString();
        source.pause();
        setImmediate(() => source.resume());
      },
      end: () => resolve(text),
      fail: (failure: SendFailure) => reject(failure),
    });
  });
}

const chunks = ['one,', 'two,', 'x'.repeat(600_000), ',three'];
const twice = `[${chunks.join('')}][${chunks.join('')}]`;

test('items are written twice and read once', async () => {
  await withSpool(1_000_000, async (spool) => {
    const openAgain = () => Promise.reject(new Error('It was read again'));
    expect(await readSlowly(writtenTwice(sourceOf(chunks), { ...frame, copy: spool.open('me'), openAgain }))).toBe(twice);
    const whole = writtenTwice(Buffer.from('one'), { ...frame, copy: spool.open('me'), openAgain });
    expect(await readSlowly(whole)).toBe('[one][one]');
    expect(await readSlowly(writtenTwice(sourceOf([]), { ...frame, copy: spool.open('me'), openAgain }))).toBe('[][]');
  });
});

test('where a copy finds no space they are read again', async () => {
  await withSpool(1000, async (spool) => {
    const again = [sourceOf(chunks), Buffer.from(chunks.join(''))];
    for (const source of again) {
      const openAgain = () => Promise.resolve(source);
      expect(await readSlowly(writtenTwice(sourceOf(chunks), { ...frame, copy: spool.open('me'), openAgain }))).toBe(twice);
    }
    const lost = { ...frame, copy: spool.open('me'), openAgain: () => Promise.reject(new Error('gone')) };
    await expect(readSlowly(writtenTwice(sourceOf(chunks), lost))).rejects.toThrow('gone');
  });
});

test('a reader that leaves leaves nothing behind', async () => {
  await withSpool(1_000_000, async (spool) => {
    const source = sourceOf(chunks);
    const written = writtenTwice(source, { ...frame, copy: spool.open('me'), openAgain: () => Promise.reject(new Error('again')) });
    if (Buffer.isBuffer(written)) throw new Error('It is a stream');
    await new Promise<void>((resolve, reject) => {
      let bytes = 0;
      written.read({
        data(chunk) {
          bytes += chunk.length;
          // Aborts while the copy is being sent.
          if (bytes < 600_020) return;
          written.abort();
          resolve();
        },
        end: () => reject(new Error('It ended')),
        fail: reject,
      });
    });
    await expect.poll(() => spool.bytes).toBe(0);
    expect(source.isAborted || spool.bytes === 0).toBe(true);
  });
});
