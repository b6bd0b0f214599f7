import { describe, expect, it } from 'vitest';
import { buildRoute } from '#tests/support/build-channel.ts';
import { createStreamTransform, isUsageOnly } from './stream-transform.ts';

function run(deltas: object[], fields: { setting?: string; type?: number } = { setting: '{"thinking_to_content":true}' }) {
  const transform = createStreamTransform({ route: buildRoute(fields), upstreamModel: 'asked', isUsageHidden: true });
  if (transform === null) throw new Error('no transform');
  const events = deltas.flatMap((delta) => transform.event(JSON.stringify(delta)));
  return [...events, ...transform.end()].map((event) => JSON.parse(event));
}

const chunk = (delta: object, finish_reason: string | null = null, index = 0) => ({ id: 'c', choices: [{ index, delta, finish_reason }] });
const contents = (events: { choices: { delta: { content?: string } }[] }[]) => events.map((event) => event.choices[0]?.delta.content);

describe('a stream', () => {
  it('needs no parsing for most providers', () => {
    for (const type of [1, 8, 20, 25, 43, 47]) {
      expect(
        createStreamTransform({
          route: buildRoute({ type }),
          upstreamModel: 'm',
          isUsageHidden: true,
        }),
      ).toBeNull();
    }
  });

  it('closes the reasoning before content, tool calls or the end, whichever comes first', () => {
    const thought = chunk({ reasoning: 'a' });
    expect(contents(run([thought, chunk({ content: 'b' })]))).toEqual(['<think>\na', '\n</think>\n', 'b']);
    expect(contents(run([thought, chunk({ tool_calls: [{ index: 0 }] })]))).toEqual(['<think>\na', '\n</think>\n', undefined]);
    expect(contents(run([thought, chunk({}, 'stop')]))).toEqual(['<think>\na', '\n</think>\n', undefined]);
    expect(contents(run([thought]))).toEqual(['<think>\na', '\n</think>\n']);
  });

  it('separates thinking of several choices', () => {
    const events = run([chunk({ reasoning: 'a' }, null, 0), chunk({ content: 'x' }, null, 1), chunk({ content: 'b' }, null, 0)]);
    expect(contents(events)).toEqual(['<think>\na', 'x', '\n</think>\n', 'b']);
  });

  it('opens the reasoning again after content', () => {
    const events = run([chunk({ reasoning: 'a' }), chunk({ content: 'b' }), chunk({ reasoning: 'c', content: 'd' })]);
    expect(contents(events)).toEqual(['<think>\na', '\n</think>\n', 'b', '<think>\nc\n</think>\nd']);
  });

  it('forwards unreadable events and errors unchanged', () => {
    const transform = createStreamTransform({
      route: buildRoute({ type: 39, other: 'acct' }),
      upstreamModel: 'm',
      isUsageHidden: true,
    });
    for (const data of ['not json', '[1]', '{"error":{"message":"x"},"model":"y"}']) expect(transform?.event(data)).toEqual([data]);
  });

  it('has the requested model if the provider reports another', () => {
    expect(run([{ ...chunk({ content: 'a' }), model: 'inner' }], { type: 39 })[0].model).toBe('asked');
  });
});

describe('the usage chunk', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  it('is recognized by having usage only', () => {
    expect(isUsageOnly(JSON.stringify({ choices: [], usage }))).toBe(true);
    expect(isUsageOnly(JSON.stringify({ usage }))).toBe(true);
    expect(isUsageOnly(JSON.stringify({ ...chunk({ role: 'assistant', content: '' }), usage }))).toBe(true);
  });
  it('is not a chunk with content', () => {
    expect(isUsageOnly(JSON.stringify({ ...chunk({ content: 'a' }), usage }))).toBe(false);
    expect(isUsageOnly(JSON.stringify({ ...chunk({}, 'stop'), usage }))).toBe(false);
    expect(isUsageOnly(JSON.stringify({ ...chunk({ content: 'a' }), usage: null }))).toBe(false);
    expect(isUsageOnly('{"usage":')).toBe(false);
    expect(isUsageOnly(JSON.stringify({ choices: [], usage: null }))).toBe(true);
    expect(isUsageOnly(JSON.stringify({ choices: [], usage: 'many' }))).toBe(false);
  });
});
