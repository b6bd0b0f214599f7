import { expect, test } from 'vitest';
import { liftLongTexts, spanAt } from './long-texts.ts';

function lifted(json: Buffer) {
  const steps = liftLongTexts(json);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

test('long texts stay where they are, and all else is told', () => {
  const long = 'x'.repeat(20_000);
  const json = Buffer.from(JSON.stringify({ a: long, b: ['短 "quoted" \\', `${long}\\"`], n: 7 }));
  const read = lifted(json);
  const reported = JSON.parse(read?.text ?? '');
  expect(reported).toMatchObject({ b: ['短 "quoted" \\', expect.any(String)], n: 7 });
  const spans = [reported.a, reported.b[1]].map((text: string) => spanAt(text, read ?? { spans: [] }));
  expect(spans.map((span) => JSON.parse(`"${json.toString('utf8', span?.start, span?.end)}"`))).toEqual([long, `${long}\\"`]);
  expect(spanAt('short', read ?? { spans: [] })).toBeUndefined();
});

test('a text without an end, and too much around the long ones, is none', () => {
  expect(lifted(Buffer.from('{"a":"b'))).toBeNull();
  expect(lifted(Buffer.from(JSON.stringify(Array.from({ length: 50_000 }, () => 'x'.repeat(100)))))).toBeNull();
});
