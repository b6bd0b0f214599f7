import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { exportCode, exportKinds } from './export-code.ts';
import type { ChatBody } from './request-body.ts';

const hostile = `it's "quoted" \\ $HOME \`id\` $(id) \u2028 \n ''' """ {x} 潮`;
const body: ChatBody = {
  model: 'm\'o"d',
  messages: [{ role: 'user', content: hostile }],
  stream: true,
  stop: [],
  response_format: { type: 'json_object' },
  made_up: { __proto__x: null, flag: false },
  group: 'vip',
};
const url = 'https://gate.example/v1';

describe('code of a conversation', () => {
  test.each(exportKinds)('%s names the address, where the key is looked for, and no key or group', (kind) => {
    const code = exportCode(kind, body, url);
    expect(code).toContain(url);
    expect(code).toContain('TIDEGATE_API_KEY');
    expect(code).not.toContain('sk-');
    expect(code).not.toContain('"vip"');
  });

  test('a shell hands over exactly what the playground sends', () => {
    const code = exportCode('curl', body, url);
    const script = `curl() { for given in "$@"; do printf '%s\\0' "$given"; done; }\nTIDEGATE_API_KEY=k\n${code}`;
    const given = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0');
    expect(given[0]).toBe(`${url}/chat/completions`);
    expect(given).toContain('Authorization: Bearer k');
    const { group: _group, ...sent } = body;
    expect(JSON.parse(given[given.indexOf('-d') + 1] ?? '')).toEqual(sent);
  });

  test('JavaScript means exactly that object', () => {
    const literal = /create\((\{[\s\S]*?\n\})\);/.exec(exportCode('javascript', body, url))?.[1] ?? '';
    const { group: _group, ...sent } = body;
    // oxlint-disable-next-line typescript/no-implied-eval
    expect(new Function(`return (${literal});`)()).toEqual(sent);
  });

  test('Python has its own words, and fields that its library does not know stand apart', () => {
    const code = exportCode('python', body, url);
    expect(code).toContain('    stream=True,');
    expect(code).toContain('    stop=[],');
    expect(code).toContain('    extra_body={\n        "made_up": {\n            "__proto__x": None,\n            "flag": False,');
    expect(code).toContain(JSON.stringify(hostile));
    expect(code).not.toMatch(/^\s*(?:made_up|group)=/m);
  });
});
