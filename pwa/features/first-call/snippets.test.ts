import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { clientKinds, type SnippetKind, snippetKinds } from './snippet-blocks.ts';
import { claudeModelsOf, snippetParts, snippetText, snippetUses } from './snippets.ts';

const values = {
  baseUrl: 'https://ai.example/v1',
  key: 'sk-secret',
  model: 'gpt-4o-mini',
  kind: 'chat' as const,
  claudeModels: claudeModelsOf('gpt-4o-mini', []),
  models: [] as string[],
  smallModel: 'gpt-4o-mini',
};
const every = snippetKinds.flatMap((kind) => snippetUses(kind).map(({ use, place = 'that' }, at) => ({ kind, use, place, at })));
/** A name that would end strings and arguments if it could. */
const nasty = `a'; touch x; '"b\\`;

/** Says nothing of the reader's own. */
const signInOnly = '~/.gemini/settings.json';

it.each(every.filter(({ place }) => place !== signInOnly))(
  'snippets: $kind to $use holds address, key and model as they are',
  ({ kind, use, at }) => {
    const text = snippetText(kind, values, at);
    expect(text).toContain('https://ai.example');
    expect(text).toContain(values.model);
    // A set-up gets a key of its own.
    expect(text.includes(values.key)).toBe(!use.startsWith('setup'));
    expect(text).not.toMatch(/\{(url|origin|key|model|haiku|sonnet|opus|model:json)\}/);
    const own = snippetParts(kind, values, at).filter((part) => part.isOwn);
    expect(own.map((part) => part.text).every((part) => /^(https:\/\/ai\.example(\/v1)?|sk-secret|gpt-4o-mini)$/.test(part))).toBe(true);
  },
);

it('snippets: programs of vendors whose addresses have no version get none', () => {
  for (const kind of ['claude_code', 'gemini_cli', 'anthropic', 'google'] as const)
    expect(wholeText(kind), kind).not.toContain('ai.example/v1');
  for (const kind of clientKinds.filter((one) => !['claude_code', 'gemini_cli', 'anthropic', 'google'].includes(one)))
    expect(wholeText(kind), kind).toContain('https://ai.example/v1');
});

it('snippets: models that Claude Code knows by a family are ones that there are', () => {
  const offered = ['claude-opus-5', 'claude-haiku-4-5', 'claude-opus-4-8'];
  const all = { ...values, model: 'claude-opus-4-8', claudeModels: claudeModelsOf('claude-opus-4-8', offered) };
  const named = {
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'claude-haiku-4-5',
    // None of that family is offered.
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'claude-opus-4-8',
    // Chosen before any other of its family.
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-8',
  };
  for (const [name, model] of Object.entries(named)) expect(snippetText('claude_code', all)).toContain(`${name}='${model}' \\\n`);
  expect(JSON.parse(snippetText('claude_code', all, 1)).env).toMatchObject(named);
  expect(claudeModelsOf('gpt-5', ['gpt-5', 'gpt-5-mini'])).toEqual({ haiku: 'gpt-5', sonnet: 'gpt-5', opus: 'gpt-5' });
  expect(claudeModelsOf('gpt-5', [...offered, 'claude-sonnet-5'])).toEqual({
    haiku: 'claude-haiku-4-5',
    sonnet: 'claude-sonnet-5',
    opus: 'claude-opus-5',
  });
});

it('snippets: what a model says is printed, whether or not it has thought before', () => {
  expect(snippetText('anthropic', values)).toContain(
    'for block in answer.content:\n    if block.type == "text":\n        print(block.text)',
  );
});

it('snippets: a model named like code stays a name', () => {
  const curl = snippetText('curl', { ...values, model: nasty, claudeModels: claudeModelsOf(nasty, []) }).replace(/^curl/, 'printf "%s\\0"');
  const args = execFileSync('bash', ['-c', curl]).toString();
  const body: unknown = JSON.parse(args.split('\0').find((argument) => argument.startsWith('{')) ?? '');
  expect(body).toMatchObject({ model: nasty });
  const node = snippetText('node', { ...values, model: nasty, claudeModels: claudeModelsOf(nasty, []) });
  const literal = /model: ('.*'),/.exec(node)?.[1] ?? '';
  expect(execFileSync(process.execPath, ['-e', `process.stdout.write(${literal})`]).toString()).toBe(nasty);
});

it.each([
  ['claude_code', 'claude', 'printf "%s" "$ANTHROPIC_MODEL"; true'],
  ['codex', 'codex', 'printf "%s" "$2"; true'],
  ['gemini_cli', 'gemini', 'printf "%s" "$2"; true'],
] as const)('snippets: %s is started with that name, and nothing else', (kind, program, body) => {
  const at = snippetUses(kind).findIndex(({ use }) => use === 'run');
  const script = `${program}() { ${body}; }\n${snippetText(kind, { ...values, model: nasty, claudeModels: claudeModelsOf(nasty, []) }, at)}`;
  expect(execFileSync('bash', ['-c', script]).toString()).toBe(nasty);
});

it('snippets: a set-up is given that name as one word, in both shells', () => {
  const [sh, windows] = (['setup', 'setup_windows'] as const).map((wanted) =>
    snippetText(
      'codex',
      { ...values, model: `${nasty}\u2019`, claudeModels: claudeModelsOf(nasty, []) },
      snippetUses('codex').findIndex(({ use }) => use === wanted),
    ),
  );
  const script = `curl() { :; }\nsh() { printf "%s" "$5"; }\n${sh}`;
  expect(execFileSync('bash', ['-c', script]).toString()).toBe(`${nasty}\u2019`);
  // https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules
  expect(windows?.slice(windows.indexOf("'"))).toMatch(/^'(?:[^'\u2018-\u201b]|''|\u2019\u2019)*'$/);
});

it('snippets: each start of Gemini CLI, which names no session, is one', () => {
  const at = snippetUses('gemini_cli').findIndex(({ use }) => use === 'run');
  const script = `gemini() { printf "%s" "$GEMINI_CLI_CUSTOM_HEADERS"; }\n${snippetText('gemini_cli', values, at)}`;
  expect(execFileSync('bash', ['-c', script]).toString()).toMatch(/^x-session-id: \d+-\d+$/);
});

it('snippets: what goes into files of JSON is JSON', () => {
  for (const kind of ['claude_code', 'opencode'] as const)
    expect(
      JSON.stringify(JSON.parse(snippetText(kind, { ...values, model: nasty, claudeModels: claudeModelsOf(nasty, []) }, 1))),
    ).toContain(JSON.stringify(nasty).slice(1, -1));
  const script = `opencode() { printf "%s" "$OPENCODE_CONFIG_CONTENT"; }\n${snippetText('opencode', { ...values, model: nasty, claudeModels: claudeModelsOf(nasty, []) })}`;
  expect(JSON.parse(execFileSync('bash', ['-c', script]).toString())).toMatchObject({ model: `tidegate/${nasty}` });
});

function wholeText(kind: SnippetKind): string {
  return snippetUses(kind)
    .map((_use, at) => snippetText(kind, values, at))
    .join('\n');
}

it('snippets: programs that take a list get all models, whatever their names are', () => {
  const all = { ...values, models: ['gpt-4o-mini', nasty, 'claude-opus-5'], smallModel: nasty };
  const expected = { 'gpt-4o-mini': {}, [nasty]: {}, 'claude-opus-5': {} };
  const script = `opencode() { printf "%s" "$OPENCODE_CONFIG_CONTENT"; }\n${snippetText('opencode', all)}`;
  for (const text of [execFileSync('bash', ['-c', script]).toString(), snippetText('opencode', all, 1)]) {
    expect(JSON.parse(text)).toMatchObject({ small_model: `tidegate/${nasty}`, provider: { tidegate: { models: expected } } });
    expect(Object.keys(JSON.parse(text).provider.tidegate.models)).toHaveLength(3);
  }
  for (const name of all.models) expect(snippetText('cursor', all)).toContain(name);
});
