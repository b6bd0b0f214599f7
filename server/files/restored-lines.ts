// Results of a batch whose provider has another name for the model: their caller reads the one that it asked for.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { EventSource, StreamSink } from '#server/upstream/upstream-stream.ts';
import { SendFailure } from '#server/upstream/send-failure.ts';
import { LineCutter } from './line-cutter.ts';

/** Bytes of a line; what a provider answers is not longer. */
const longest = 64 * 1024 * 1024;

export function restoredLines(source: EventSource | Buffer, model: string): EventSource | Buffer {
  if (Buffer.isBuffer(source)) {
    const cutter = new LineCutter(longest);
    return Buffer.concat([...cutter.push(source).map((line) => ended(line, model)), restored(cutter.rest(), model)]);
  }
  return {
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => source.abort(),
    read: (sink) => source.read(restoring(sink, model, () => source.abort())),
  };
}

function restoring(sink: StreamSink, model: string, abort: () => void): StreamSink {
  const cutter = new LineCutter(longest);
  const give = (bytes: Buffer) => bytes.length > 0 && sink.data(bytes, true);
  return {
    data(chunk) {
      try {
        give(Buffer.concat(cutter.push(chunk).map((line) => ended(line, model))));
      } catch (cause) {
        abort();
        sink.fail(new SendFailure('too_large', String(cause)));
      }
    },
    end() {
      give(restored(cutter.rest(), model));
      sink.end();
    },
    fail: (failure) => sink.fail(failure),
  };
}

const lineFeed = Buffer.from('\n');

function ended(line: Buffer, model: string): Buffer {
  return Buffer.concat([restored(line, model), lineFeed]);
}

/** The line as its caller reads it; what is none of a result stays. */
export function restored(line: Buffer, model: string): Buffer {
  const result = parseObject(line.toString('utf8'));
  const response = result?.['response'];
  const body = isObject(response) ? response['body'] : undefined;
  if (!isObject(body) || typeof body['model'] !== 'string') return line;
  body['model'] = model;
  return Buffer.from(JSON.stringify(result));
}
