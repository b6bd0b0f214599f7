// Rewrites batch results for the caller: restores the requested model's name.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import { LineCutter } from './line-cutter.ts';

/** Maximum bytes of a line, above any provider's response. */
const longest = 64 * 1024 * 1024;

/** Edits a line without its line feed; empty results are dropped. */
export type EditLine = (line: Buffer) => Buffer;

export function restoredLines(source: EventSource | Buffer, edit: EditLine): EventSource | Buffer {
  if (Buffer.isBuffer(source)) {
    const cutter = new LineCutter(longest);
    return Buffer.concat([...[...cutter.cut(source)].map((line) => ended(line, edit)), edit(cutter.rest())]);
  }
  return {
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => source.abort(),
    read: (sink) => source.read(restoring(sink, edit, () => source.abort())),
  };
}

function restoring(sink: StreamSink, edit: EditLine, abort: () => void): StreamSink {
  const cutter = new LineCutter(longest);
  const give = (bytes: Buffer) => bytes.length > 0 && sink.data(bytes, true);
  return {
    data(chunk) {
      try {
        give(Buffer.concat([...cutter.cut(chunk)].map((line) => ended(line, edit))));
      } catch (cause) {
        abort();
        sink.fail(new SendFailure('too_large', String(cause)));
      }
    },
    end() {
      give(edit(cutter.rest()));
      sink.end();
    },
    fail: (failure) => sink.fail(failure),
  };
}

const lineFeed = Buffer.from('\n');

function ended(line: Buffer, edit: EditLine): Buffer {
  const reported = edit(line);
  return reported.length === 0 && line.length > 0 ? reported : Buffer.concat([reported, lineFeed]);
}

/** @param upstream model name hidden from callers, wherever it occurs. Lines that are no results are unchanged */
export function restored(line: Buffer, model: string, upstream = ''): Buffer {
  if (upstream !== '' && line.includes(upstream))
    return Buffer.from(line.toString('utf8').replaceAll(upstream, () => JSON.stringify(model).slice(1, -1)));
  const result = parseObject(line.toString('utf8'));
  const response = result?.['response'];
  const body = isObject(response) ? response['body'] : undefined;
  if (!isObject(body) || typeof body['model'] !== 'string') return line;
  body['model'] = model;
  return Buffer.from(JSON.stringify(result));
}
