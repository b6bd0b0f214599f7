import { describe, expect, it } from 'vitest';
import type { SessionAgent } from '#shared/call-sessions.ts';
import { buildLog } from '#tests/support/log-row.ts';
import { sessionRows } from './session-rows.ts';

const agent = (name: string, parent = ''): SessionAgent => ({
  agent: name,
  parent,
  calls: 1,
  errors: 0,
  quota: 1,
  refunded: 0,
  prompt_tokens: 1,
  completion_tokens: 1,
  cache_tokens: 0,
  duration_ms: 1,
});
const call = (id: number, name = '') => buildLog({ id, other: { session: { id: 's', ...(name === '' ? {} : { agent: name }) } } });
const drawn = (agents: SessionAgent[] | null, calls: ReturnType<typeof call>[], folded: string[] = []) =>
  sessionRows({ agents, calls }, new Set(folded)).map((row) =>
    row.kind === 'agent' ? `${'-'.repeat(row.depth)}${row.agent.agent}` : `${'-'.repeat(row.depth)}#${row.log.id}`,
  );

describe('rows of a session', () => {
  it('one agent is a plain list of calls', () => {
    expect(drawn([agent('')], [call(2), call(1)])).toEqual(['#2', '#1']);
    expect(drawn(null, [call(2, 'a'), call(1)])).toEqual(['#2', '#1']);
  });

  it('agents stand below the one that called them, whatever they cost', () => {
    const agents = [agent('c', 'b'), agent('b'), agent(''), agent('d', 'b')];
    expect(drawn(agents, [call(9, 'c'), call(8, 'b'), call(7)])).toEqual(['', '-#7', '-b', '--#8', '--c', '---#9', '--d']);
  });

  it('a folded agent hides its calls, not the agents below it', () => {
    expect(drawn([agent(''), agent('b'), agent('c', 'b')], [call(3, 'c'), call(2, 'b'), call(1)], ['', 'b'])).toEqual([
      '',
      '-b',
      '--c',
      '---#3',
    ]);
  });

  it('agents whose parent is unknown, or that name each other, are all there once', () => {
    expect(drawn([agent('b', 'gone'), agent('')], [])).toEqual(['', '-b']);
    expect(drawn([agent('a', 'b'), agent('b', 'a')], [])).toEqual(['a', '-b']);
    expect(drawn([agent('a', 'gone')], [call(1, 'a')])).toEqual(['a', '-#1']);
  });
});
