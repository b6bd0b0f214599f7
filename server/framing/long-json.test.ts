import { describe, expect, it } from 'vitest';
import { PiecedBody, wholeOf } from './byte-source.ts';
import { bodyOfValue, LongTexts } from './long-json.ts';
import { type LongJson, readLongJson } from './read-long-json.ts';

function read(json: string | Buffer): LongJson | null {
  const steps = readLongJson(Buffer.from(json));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function known(json: string | Buffer): LongJson {
  const long = read(json);
  if (long === null) throw new Error('It is read as it is');
  return long;
}

function stepsOf(work: Generator<void, unknown>): number {
  let steps = 1;
  while (work.next().done !== true) steps += 1;
  return steps;
}

const written = async ({ json, texts }: LongJson) => (await wholeOf(texts.bytes(json))).toString('utf8');

/** Texts of every width, plain and escaped, around every limit. */
const alphabets = {
  plain: 'word ',
  latin: 'é',
  chinese: '用户',
  emoji: 'x\u{1F600}',
  quotes: '"',
  backslashes: '\\',
  controls: '\n\u0000\u001F',
  halves: 'a\uD800',
  mixed: '{"a":"\\u0041é\u{1F600}\n"}',
};
const lengths = [255, 256, 257, 32_767, 32_768, 262_145, 530_001];

describe('large JSON', () => {
  it('is the same behind a byte order mark, which is no part of it', async () => {
    const json = JSON.stringify({ a: 'word '.repeat(100) });
    expect(await written(known(`\uFEFF${json}`))).toBe(json);
  });

  it.each(Object.entries(alphabets))('%s texts are read and written exactly', async (_name, letters) => {
    for (const length of lengths) {
      for (const shift of ['', '_']) {
        const text = shift + letters.repeat(Math.ceil(length / letters.length)).slice(0, length);
        const value = { model: 'm', input: [{ text, n: 1.5 }, text], last: `${text}!` };
        const json = JSON.stringify(value);
        const long = known(json);
        expect(long.texts.fill(JSON.parse(long.json)), `${length}`).toEqual(value);
        expect(await written(long), `${length}`).toBe(json);
        expect((await wholeOf(long.texts.bytes(long.texts.write(value)))).toString('utf8'), `${length}`).toBe(json);
      }
    }
  });

  it('escapes that need not be are read as any, wherever the text is cut', () => {
    for (const letters of ['\\u0041', '\\/', '\\\\', '\\"', '\\ud83d\\ude00', '\\\\u0041', '\\n\\\\\\"']) {
      for (let shift = 0; shift < 7; shift += 1) {
        const text = `"${'x'.repeat(shift)}${letters.repeat(300_000)}"`;
        const { json, texts } = known(`{"a":${text}}`);
        const value = texts.fill(JSON.parse(json));
        expect(value !== null && typeof value === 'object' && 'a' in value && value.a === JSON.parse(text), `${letters} ${shift}`).toBe(
          true,
        );
      }
    }
  });

  it('what stands around the texts stays as it was written', async () => {
    const text = 'x'.repeat(1_000);
    const json = ` { "n" : 1.0, "big": 12345678901234567890, "e": 1E5, "text" : "${text}" ,"list":["${text}" , "${text}é"],"\\u006e":"\\u0041" } `;
    const long = known(json);
    expect(await written(long)).toBe(json);
    expect(long.json.length).toBeLessThan(400);
    expect(await written({ ...long, json: long.json.replace('"n"', '"m"') })).toBe(json.replace('"n"', '"m"'));
  });

  it('one text is never taken for another one', async () => {
    const first = 'a'.repeat(300);
    const long = known(JSON.stringify({ first, second: 'b'.repeat(300) }));
    const mark = /[\da-f]{24}:/.exec(long.json)?.[0] ?? '';
    // A guess of a mark does not match.
    const reported = JSON.stringify({ first, second: `${'0'.repeat(24)}:0` });
    expect(await written(known(reported))).toBe(reported);
    expect(known(reported).json).not.toContain(mark);
    expect(mark).not.toBe('');
  });

  it('what is added for one request is not there in another one', async () => {
    const { json, texts } = known(JSON.stringify({ text: 'a'.repeat(300) }));
    const [one, other] = [new LongTexts(texts), new LongTexts(texts)];
    const value = { text: 'b'.repeat(300) };
    expect((await wholeOf(one.bytes(one.write(value)))).toString()).toBe(JSON.stringify(value));
    expect((await wholeOf(other.bytes(json))).toString()).toBe(JSON.stringify({ text: 'a'.repeat(300) }));
  });

  it('names like `__proto__` are members', () => {
    const json = `{"__proto__":{"a":"${'x'.repeat(300)}"},"b":["${'y'.repeat(300)}"]}`;
    const long = known(json);
    expect(JSON.stringify(long.texts.fill(JSON.parse(long.json)))).toBe(json);
    expect(JSON.stringify(JSON.parse(new LongTexts().write(JSON.parse(json))))).toContain('__proto__');
  });

  it.each([
    ['a long name', `{"${'n'.repeat(300)}":1}`],
    ['a long name with blanks behind it', `{"${'n'.repeat(300)}" \n:1}`],
    ['a text without an end', `{"a":"${'x'.repeat(300)}`],
    ['a line break in a text', `{"a":"${'x'.repeat(300)}\n"}`],
    ['an unknown escape', `{"a":"${'x'.repeat(300)}\\x"}`],
    ['half an escape', `{"a":"${'x'.repeat(300)}\\u12"}`],
    ['bytes that are no UTF-8', Buffer.concat([Buffer.from(`{"a":"${'x'.repeat(300)}`), Buffer.from([0xc3]), Buffer.from('"}')])],
  ])('%s is left to whoever reads it whole', (_name, json) => {
    expect(read(json)).toBeNull();
  });

  it('pieces are written as they are asked for, from anywhere', async () => {
    const json = JSON.stringify({ a: 'é"'.repeat(100_000), b: ['x'.repeat(300), '\u{1F600}'.repeat(50_000)] });
    const long = known(json);
    const pieced = long.texts.bytes(long.json);
    if (!(pieced instanceof PiecedBody)) throw new Error('It has no pieces');
    const bytes = Buffer.from(json);
    expect(pieced.size).toBe(bytes.length);
    expect((await wholeOf(pieced)).equals(bytes)).toBe(true);
    // The body can be sent again.
    expect((await wholeOf(pieced)).equals(bytes)).toBe(true);
  });

  it('ten thousand texts take steps, and no step reads more than some thousands', () => {
    const steps = readLongJson(Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(300)}`))));
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).toBeGreaterThanOrEqual(6);
  });

  it('one long text takes steps, whatever its letters', () => {
    for (const letters of ['x', '"', '用', '\u{1F600}']) {
      const json = JSON.stringify({ a: letters.repeat(4_000_000 / letters.length) });
      expect(stepsOf(readLongJson(Buffer.from(json))), letters).toBeGreaterThanOrEqual(4);
    }
  });

  it('what is sent is written and measured in steps, and let through in turns', async () => {
    const value = { a: 'x"'.repeat(2_000_000), b: Array.from({ length: 5_000 }, (_, index) => `${index}`.repeat(100)) };
    const size = Buffer.byteLength(JSON.stringify(value));
    const { json, texts } = known(JSON.stringify(value));
    for (const body of [bodyOfValue(value, new LongTexts(texts)), texts.bytes(json)]) {
      if (!(body instanceof PiecedBody)) throw new Error('It has no pieces');
      const steps = body.measure();
      expect(steps === null ? 0 : stepsOf(steps)).toBeGreaterThanOrEqual(8);
      expect(body.size).toBe(size);
      let [turns, sent] = [0, 0];
      let waiting = setImmediate(function count() {
        turns += 1;
        waiting = setImmediate(count);
      });
      for await (const piece of body.open()) sent += piece.length;
      clearImmediate(waiting);
      expect(sent).toBe(size);
      expect(turns).toBeGreaterThanOrEqual(Math.floor(size / 1_048_576));
    }
  });

  it('what is small is written at once', () => {
    expect(bodyOfValue({ a: 1 }, undefined)).toEqual(Buffer.from('{"a":1}'));
  });
});
