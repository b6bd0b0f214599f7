import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { snippetKinds, snippetParts, snippetText } from './snippets.ts';

const values = { baseUrl: 'https://ai.example/v1', key: 'sk-secret', model: 'gpt-4o-mini' };

it.each(snippetKinds)('snippets: %s holds address, key and model as they are', (kind) => {
  const text = snippetText(kind, values);
  for (const value of Object.values(values)) expect(text).toContain(value);
  expect(text).not.toMatch(/\{(url|key|model)\}/);
  const own = snippetParts(kind, values).filter((part) => part.isOwn);
  expect(own.map((part) => part.text)).toEqual([values.baseUrl, values.key, values.model]);
});

it('snippets: a model named like code stays a name', () => {
  const model = `a'; touch x; '"b\\`;
  const args = execFileSync('bash', ['-c', snippetText('curl', { ...values, model }).replace(/^curl/, 'printf "%s\\0"')]).toString();
  const body: unknown = JSON.parse(args.split('\0').find((argument) => argument.startsWith('{')) ?? '');
  expect(body).toMatchObject({ model });
  const node = snippetText('node', { ...values, model });
  const literal = /model: ('.*'),/.exec(node)?.[1] ?? '';
  expect(execFileSync(process.execPath, ['-e', `process.stdout.write(${literal})`]).toString()).toBe(model);
});
