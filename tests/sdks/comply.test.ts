// llm-comply (PyPI): black-box tests by the vendors' schemas, run against every translated pair of formats. The upstreams are aimock's, which is
// independent software. If both formats of a pair are the same, the upstream's bytes are passed through, so that test would cover aimock, not us.
// Members that aimock leaves out are added in `completed-mock.ts`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompletedMock, startCompletedMock } from './completed-mock.ts';
import { channelTo, formats, model, openScene, spoken } from './open-scene.ts';

const execute = promisify(execFile);

/** llm-comply's names of the formats, by ours; `as`: it looks for thoughts of models of the vendor's only. */
const suites = [
  { caller: 'openai-chat', suite: 'openai-chat', base: '/v1', count: 9, as: 'gpt-5-mini' },
  { caller: 'openai-responses', suite: 'open-responses', base: '/v1', count: 13, as: 'gpt-5-mini' },
  { caller: 'claude', suite: 'anthropic', base: '/v1', count: 9, as: model },
  { caller: 'gemini', suite: 'google-genai', base: '/v1', count: 9, as: 'gemini-3-flash-preview' },
  { caller: 'gemini-interactions', suite: 'google-interactions', base: '/v1', count: 9, as: 'gemini-3-flash-preview' },
];

interface Outcome {
  id: string;
  status: string;
  errors?: string[];
  warnings?: string[];
}

const mock = new LLMock({ port: 0 });
let upstream: CompletedMock;

beforeAll(async () => {
  mock.onMessage(/weather/i, { toolCalls: [{ name: 'get_weather', arguments: '{"location":"San Francisco"}' }] });
  mock.onMessage(/15 \* 37/, { content: '555', reasoning: 'Fifteen times thirty-seven is five hundred and fifty-five.' });
  mock.onMessage(/[^]*/, { content: 'Hello there, Alice.' });
  upstream = await startCompletedMock(await mock.start());
});
afterAll(async () => {
  await upstream.close();
  await mock.stop();
});

const pairs = suites
  .filter(({ caller }) => spoken.includes(caller))
  .flatMap((suite) => formats.filter((format) => format !== suite.caller).map((format) => ({ ...suite, format })));

describe.each(pairs)('llm-comply, $suite, before an upstream that speaks $format', ({ suite, base, count, as, format }) => {
  test('passes whole, without a warning', async () => {
    await using scene = await openScene(format, as, { channels: [{ ...channelTo(format, as), base_url: upstream.url }] });
    const version = suite === 'anthropic' ? ['-H', 'anthropic-version:2023-06-01'] : [];
    const requested = ['--format', suite, '--json', '-u', `${scene.app.origin}${base}`, '-k', scene.key, '-m', as, ...version];
    const outcomes = await comply(requested);
    expect(outcomes).toHaveLength(count);
    const faults = outcomes.filter(({ status, warnings = [] }) => status !== 'passed' || warnings.length > 0);
    expect(faults.map(({ id, errors = [], warnings = [] }) => [id, ...errors, ...warnings].join(': '))).toEqual([]);
    await scene.checkBooks();
  });
});

/** It exits with 1 if a test has failed, and still reports. */
async function comply(options: readonly string[]): Promise<Outcome[]> {
  const program = process.env['LLM_COMPLY'] ?? 'llm-comply';
  const { stdout } = await execute(program, options, { maxBuffer: 1e8 }).catch((failure: { stdout?: string }) => {
    if (failure.stdout === undefined || failure.stdout === '') throw failure;
    return { stdout: failure.stdout };
  });
  const reported: { results: Outcome[] } = JSON.parse(stdout);
  return reported.results;
}
