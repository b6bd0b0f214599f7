import { describe, expect, test } from 'vitest';
import { kindOfFile } from './bill-file.ts';

const plain = { name: 'plain', columns: { date: 'Day', model: 'Model', amount: 'Cost' } };
const kind = (text: string) => kindOfFile(new Blob([text]), [plain]);

describe('bill-file', () => {
  test('known formats, mappings, and tables that need one', async () => {
    expect(await kind('generation_id,created_at,cost_total,model_permaslug\n')).toEqual({ kind: 'known', format: 'openrouter' });
    expect(await kind('Day;Model;Cost\n1;2;3\n')).toEqual({ kind: 'mapped', mapping: 'plain' });
    expect(await kind('\uFEFFDate,Name,USD\n2026-01-12,m,1\n')).toEqual({
      kind: 'table',
      columns: ['Date', 'Name', 'USD'],
      example: ['2026-01-12', 'm', '1'],
    });
    expect(await kind('{"data":[]}')).toEqual({ kind: 'json' });
  });

  test('what is no table', async () => {
    for (const text of ['', '\n\n', '<html>', '"open']) expect(await kind(text)).toEqual({ kind: 'unreadable' });
  });

  test('only the beginning of a large file is read', async () => {
    expect(await kind(`Day,Model,Cost\n${'2026-01-12,m,1\n'.repeat(20_000)}`)).toEqual({ kind: 'mapped', mapping: 'plain' });
  });
});
