// What is read out of bills, in every form that they come in.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mappingFault } from '#shared/bill-formats.ts';
import { addDays, calendarOf, daysBetween, isDay, isZone, momentOf } from './calendar.ts';
import { BillSums } from './bill-sums.ts';
import { isFault, termsOf } from './entries.ts';
import { modelKey, modelOfLineItem, modelOfSku } from './model-names.ts';
import { cpuTime } from '#tests/support/cpu-time.ts';
import { BillFileError, type Mapping, readBillFile } from './read-file.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../tests/fixtures/bills/${name}`, import.meta.url));

interface ReadOptions {
  zone?: string;
  currency?: string;
  rate?: string;
  mappings?: Mapping[];
  chosen?: string;
  step?: number;
}

async function read(
  file: Uint8Array | string,
  { zone = 'UTC', currency = 'USD', rate = '1', mappings = [], chosen, step = 64 }: ReadOptions = {},
) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : Buffer.from(file);
  async function* parts() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  let format = '';
  const sums = new BillSums();
  const faults: string[] = [];
  try {
    for await (const rows of readBillFile(parts(), {
      terms: termsOf({ zone, currency, rate }),
      mappings,
      chosen,
      onFormat: (name) => (format = name),
    })) {
      for (const { line, result } of rows) {
        if (result === null) continue;
        if (isFault(result)) faults.push(`${line} ${result.fault} ${result.text}`);
        else sums.add(result);
      }
    }
  } catch (failure) {
    if (failure instanceof BillFileError) return { failed: failure.code, text: failure.message };
    throw failure;
  }
  const lines = sums
    .parts()
    .flatMap(({ day, part, lines: found }) =>
      found.map(({ model, amount, calls, input_tokens, output_tokens }) =>
        [day, part, model, amount ?? '', calls ?? '', input_tokens ?? '', output_tokens ?? ''].join(' '),
      ),
    );
  return { format, lines, faults, days: sums.parts().map(({ day }) => day) };
}

const plain: Mapping = { name: 'plain', columns: { date: 'Day', model: 'Model', amount: 'Cost' }, decimal: '.' };

describe('provider-bills: files', () => {
  test('OpenAI costs: models of line items, an empty day in between', async () => {
    expect(await read(fixture('openai-costs.csv'))).toEqual({
      format: 'openai_costs',
      lines: [
        '2026-01-12 costs gpt-4o-2024-08-06 0.15   ',
        '2026-01-12 costs web search tool calls 2.5   ',
        '2026-01-14 costs gpt-4o-2024-08-06 0.3   ',
      ],
      faults: [],
      days: ['2026-01-12', '2026-01-13', '2026-01-14'],
    });
  });

  test('OpenAI usage has calls and tokens, and no amounts', async () => {
    expect((await read(fixture('openai-usage.csv'))).lines).toEqual([
      '2026-01-12 usage gpt-4o-2024-08-06  20 20000 10000',
      '2026-01-14 usage gpt-4o-2024-08-06  21 21000 10500',
    ]);
  });

  test('Anthropic costs: names for people, negative credits, searches without a model', async () => {
    expect((await read(fixture('anthropic-costs.csv'))).lines).toEqual([
      '2026-01-12 costs Claude Haiku 4.5 0.175   ',
      '2026-01-12 costs web_search 0.01   ',
      '2026-01-13 costs Claude Haiku 4.5 -0.02   ',
    ]);
    expect((await read(fixture('anthropic-usage.csv'))).lines).toEqual(['2026-01-12 usage claude-haiku-4-5-20251001   50000 25000']);
  });

  test('OpenRouter: a row for each generation, times of UTC', async () => {
    const found = await read(fixture('openrouter-activity.csv'));
    expect(found).toMatchObject({ format: 'openrouter', faults: [] });
    // Repeated rows count once where they are stored.
    expect(found.lines).toEqual(['2026-01-12 costs openai/gpt-4o-2024-08-06 0.445 5 94000 2500']);
    expect((await read(fixture('openrouter-activity.csv'), { zone: 'Asia/Shanghai' })).days).toEqual(['2026-01-12', '2026-01-13']);
  });

  test('Google: rows before the header, models of SKUs, sums at the end left out', async () => {
    expect(await read(fixture('google-report.csv'), { zone: 'America/Los_Angeles' })).toMatchObject({
      format: 'google',
      lines: ['2026-01-12 costs gemini-2.5-flash 0.85145   '],
      faults: [],
    });
    // The first half hour belongs to the day before in California; the credit is taken off, exactly.
    expect((await read(fixture('google-bigquery.json'), { zone: 'America/Los_Angeles' })).lines).toEqual([
      '2026-01-11 costs gemini-2.5-pro 1.0000000000000000001   ',
      '2026-01-12 costs gemini-2.5-pro 2   ',
    ]);
  });

  test('a row of a month is none of a day', async () => {
    const text =
      'SKU description,Usage start date,Usage end date,Cost (USD)\nGemini 2.5 Pro,2026-01-01,2026-01-31,4\nGemini 2.5 Pro,2026-01-01,2026-01-02,1\n';
    expect(await read(text)).toMatchObject({ lines: ['2026-01-01 costs gemini-2.5-pro 1   '], faults: ['2 span 2026-01-31'] });
  });

  test('answers of usage APIs, saved to a file', async () => {
    const cost = {
      object: 'page',
      data: [
        {
          object: 'bucket',
          start_time: 1_768_176_000,
          results: [{ amount: { value: 0.06, currency: 'usd' }, line_item: 'gpt-4o, input' }],
        },
      ],
    };
    expect((await read(JSON.stringify(cost, null, 2))).lines).toEqual(['2026-01-12 costs gpt-4o 0.06   ']);
    const claude = {
      data: [
        {
          starting_at: '2026-01-12T00:00:00Z',
          results: [{ currency: 'USD', amount: '123.45678', model: 'claude-opus-4-8', description: 'x' }],
        },
        { starting_at: '2026-01-13T00:00:00Z', results: [] },
      ],
    };
    expect(await read(JSON.stringify(claude))).toMatchObject({
      lines: ['2026-01-12 costs claude-opus-4-8 1.2345678   '],
      days: ['2026-01-12', '2026-01-13'],
    });
    const router = {
      data: [
        {
          date: '2026-01-12',
          model: 'openai/gpt-4.1',
          model_permaslug: 'openai/gpt-4.1-2025-04-14',
          usage: 0.015,
          requests: 5,
          prompt_tokens: 50,
          completion_tokens: 125,
        },
      ],
    };
    expect((await read(JSON.stringify(router))).lines).toEqual(['2026-01-12 costs openai/gpt-4.1-2025-04-14 0.015 5 50 125']);
  });

  test('any table by a mapping, in the encodings and with the signs of spreadsheets', async () => {
    const text = 'Day;Model;Cost;Count\r\n2026/01/12;"<b>x</b>;\n""y""";1.234,56;3\r\n2026-01-12;<b>x</b>;-0,56 €;\r\n';
    const comma: Mapping = { name: 'comma', columns: { date: 'day', model: 'MODEL', amount: 'cost', calls: 'count' }, decimal: ',' };
    const lines = ['2026-01-12 costs <b>x</b>;\n"y" 1234.56 3  ', '2026-01-12 costs <b>x</b> -0.56 0  '];
    for (const bytes of [
      Buffer.from(text),
      Buffer.from(`\uFEFF${text}`),
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
    ]) {
      for (const step of [1, 7, 1_000])
        expect(await read(bytes, { mappings: [comma], step })).toMatchObject({ format: 'comma', lines, faults: [] });
    }
  });

  test('wrong rows are left out with their line, and the rest is read', async () => {
    const text = [
      'Day,Model,Cost',
      '2026-01-12,m,1',
      '3/4/2026,m,1',
      '2026-02-30,m,1',
      '2026-01-12,m,"1,23"',
      '2026-01-12,m,',
      '2026-01-12,,1',
      '2026-01-12',
      '2026-01-12,m,2',
    ].join('\n');
    expect(await read(text, { mappings: [plain] })).toMatchObject({
      lines: ['2026-01-12 costs m 3   '],
      faults: ['3 date 3/4/2026', '4 date 2026-02-30', '5 amount 1,23', '6 amount ', '7 model ', '8 cells 2026-01-12'],
    });
  });

  test('amounts of another currency are exact dollars at the rate of the account, or refused', async () => {
    const mapping: Mapping = { ...plain, columns: { ...plain.columns, currency: 'Currency' } };
    const text = 'Day,Model,Cost,Currency\n2026-01-12,m,100.10,CNY\n2026-01-12,m,1,usd\n2026-01-12,m,1,EUR\n2026-01-12,m,1,\n';
    expect(await read(text, { mappings: [mapping], currency: 'CNY', rate: '0.14' })).toMatchObject({
      lines: ['2026-01-12 costs m 15.154   '],
      faults: ['4 currency EUR'],
    });
  });

  test('what is no bill is refused as a whole, with the reason', async () => {
    const cases: [string | Uint8Array, string][] = [
      ['', 'empty'],
      ['   \n', 'empty'],
      ['a,b\n1,2\n', 'unknown_format'],
      ['<html><body>Sign in</body></html>', 'unknown_format'],
      ['{"hello":1}', 'unknown_format'],
      ['{"data":[', 'json'],
      ['['.repeat(5_000), 'json'],
      [Buffer.from([0x44, 0x61, 0xff, 0x00, 0x80]), 'encoding'],
      ['Day,Model,Cost\n2026-01-12,"m,1\n', 'csv'],
    ];
    for (const [file, code] of cases)
      expect(await read(file, { mappings: [plain] }), String(file).slice(0, 40)).toMatchObject({ failed: code });
    // Days of UTC cannot be those of another zone.
    expect(await read(fixture('openai-costs.csv'), { zone: 'Asia/Shanghai' })).toEqual({ failed: 'zone', text: '' });
  });

  test('time grows with the length, however small the pieces are', async () => {
    const objects = Array.from({ length: 10_000 }, () => `{"a":"${'x'.repeat(80)}"}`).join();
    const took = await cpuTime(async () => {
      expect(await read(`{\n "data": [${objects}]}`, { step: 16 })).toMatchObject({ failed: 'unknown_format' });
      expect(await read('x'.repeat(140_000), { step: 1 })).toMatchObject({ failed: 'csv' });
      expect(await read('\n'.repeat(3_000_000), { step: 4096 })).toMatchObject({ failed: 'empty' });
    });
    expect(took).toBeLessThan(8_000);
  });

  test('a bill is bounded in models and days', async () => {
    const rows = (count: number, row: (index: number) => string) =>
      `Day,Model,Cost\n${Array.from({ length: count }, (_, index) => row(index)).join('\n')}`;
    const refused = { failed: 'too_many_lines' };
    expect(
      await read(
        rows(600, (index) => `2026-01-12,m${index},1`),
        { mappings: [plain], step: 4096 },
      ),
    ).toMatchObject(refused);
    expect(await read('Day,Model,Cost\n1999-01-01,m,1\n2026-01-12,m,1\n', { mappings: [plain] })).toMatchObject(refused);
  });

  test('a mapping names a column once, and all that is needed', () => {
    expect(mappingFault({ date: 'Day', model: 'Model', amount: 'Cost' })).toBeUndefined();
    expect(mappingFault({ date: 'Day', model: ' day ', amount: 'Cost' })).toBe('model');
    expect(mappingFault({ date: 'Day', model: 'Model' })).toBe('amount');
    expect(mappingFault({ model: 'Model', amount: 'Cost' })).toBe('date');
  });

  test('a column that is there twice fits no mapping', async () => {
    expect(await read('Day,Model,Cost,Cost\n2026-01-12,m,1,2\n', { mappings: [plain] })).toMatchObject({ failed: 'unknown_format' });
  });
});

describe('provider-bills: days and names', () => {
  test('days begin in the zone of the bill, also when clocks change', () => {
    const berlin = calendarOf('Europe/Berlin');
    expect(berlin.startOf('2026-03-29')).toBe(Date.UTC(2026, 2, 28, 23) / 1000);
    expect(berlin.startOf('2026-03-30')).toBe(Date.UTC(2026, 2, 29, 22) / 1000);
    expect(berlin.dayOf(Date.UTC(2026, 2, 29, 21, 59, 59) / 1000)).toBe('2026-03-29');
    const india = calendarOf('Asia/Kolkata');
    expect(india.startOf('2026-01-12')).toBe(Date.UTC(2026, 0, 11, 18, 30) / 1000);
    expect(india.dayOf(Date.UTC(2026, 0, 11, 18, 29, 59) / 1000)).toBe('2026-01-11');
    expect([isZone('UTC'), isZone('Asia/Shanghai'), isZone('Mars/Base'), isZone(''), isZone('+08:00')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([addDays('2026-02-28', 1), daysBetween('2025-12-31', '2026-01-02'), isDay('2026-02-29')]).toEqual(['2026-03-01', 2, false]);
  });

  test.each([
    ['2026-01-12', '2026-01-12', undefined],
    ['20260112', '2026-01-12', undefined],
    ['1768176000', '2026-01-12', 1_768_176_000],
    ['1768176000123', '2026-01-12', 1_768_176_000],
    ['2026-01-11T23:00:00Z', '2026-01-12', 1_768_172_400],
    ['2026-01-12 00:30', '2026-01-12', 1_768_174_200],
    ['2026-01-12 00:30:00+08:00', '2026-01-11', 1_768_149_000],
  ])('%s is in %s in Berlin', (text, day, at) => {
    expect(momentOf(text, calendarOf('Europe/Berlin'))).toEqual(at === undefined ? { day } : { day, at });
  });

  test.each([
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['openai/gpt-4.1-2025-04-14', 'gpt-4.1'],
    ['claude-haiku-4-5-20251001', 'Claude Haiku 4.5'],
    ['anthropic/claude-4.8-opus-20260528', 'claude-opus-4-8'],
    ['models/gemini-2.5-flash', 'Gemini 2.5 Flash'],
    ['chatgpt-4o-latest', 'chatgpt-4o'],
  ])('%s is %s', (one, other) => {
    expect(modelKey(one)).toBe(modelKey(other));
  });

  test.each([
    ['gpt-3.5', 'gpt-5.3'],
    ['gpt-4o', 'gpt-4o-mini'],
    ['gemini-2.5-flash', 'gemini-2.5-flash-lite'],
    ['llama-3.1-70b', 'llama-3.1-8b'],
  ])('%s is not %s', (one, other) => {
    expect(modelKey(one)).not.toBe(modelKey(other));
  });

  test('models within texts', () => {
    expect(modelOfLineItem('gpt-4o-2024-08-06, cached input')).toBe('gpt-4o-2024-08-06');
    expect(modelOfSku('Generate_content image output token count for Gemini 2.5 Flash Native Image Generation')).toBe(
      'gemini-2.5-flash-image',
    );
    expect(modelOfSku('Generate content input token count gemini 2.5 flash lite text')).toBe('gemini-2.5-flash-lite');
    expect(modelOfSku('Claude Sonnet 4.5 - Input Tokens')).toBe('claude-sonnet-4.5');
    expect(modelOfSku('Network Egress')).toBe('Network Egress');
  });
});
