// An opened session as rows: its agents, each below the one that called it, and the calls of each.
import type { SessionAgent, SessionTree } from '#shared/call-sessions.ts';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';

export type SessionRow =
  | { kind: 'agent'; agent: SessionAgent; depth: number; isFolded: boolean; /** Of its calls those on this page. */ here: number }
  | { kind: 'call'; log: Log; depth: number };

export function rowKeyOf(row: SessionRow): string {
  return row.kind === 'agent' ? agentKey(row.agent.agent) : String(row.log.id);
}

export const agentKey = (agent: string): string => `agent:${agent}`;

/** Agents with one call that is older than all of a page stay in sight: their sums are of all calls. */
export function sessionRows({ agents, calls }: Pick<SessionTree, 'agents' | 'calls'>, folded: ReadonlySet<string>): SessionRow[] {
  // With one agent there is nothing to distinguish.
  if (agents === null || (agents.length === 1 && agents[0]?.agent === '')) return calls.map((log) => ({ kind: 'call', log, depth: 0 }));
  const byAgent = Map.groupBy(calls, agentOf);
  const known = new Map(agents.map((agent) => [agent.agent, agent]));
  const below = Map.groupBy(agents, (agent) => parentOf(agent, known));
  const rows: SessionRow[] = [];
  const seen = new Set<string>();
  const add = (agent: SessionAgent, depth: number): void => {
    if (seen.has(agent.agent)) return;
    seen.add(agent.agent);
    const own = byAgent.get(agent.agent) ?? [];
    const isFolded = folded.has(agent.agent);
    rows.push({ kind: 'agent', agent, depth, isFolded, here: own.length });
    if (!isFolded) rows.push(...own.map((log): SessionRow => ({ kind: 'call', log, depth: depth + 1 })));
    for (const child of below.get(agent.agent) ?? []) add(child, depth + 1);
  };
  const first = known.get('');
  if (first !== undefined) add(first, 0);
  for (const agent of below.get(undefined) ?? []) add(agent, 0);
  // Agents that name each other as parents have no first one.
  for (const agent of agents) add(agent, 0);
  return rows;
}

export function agentOf(log: Log): string {
  return otherOf(log)?.session?.agent ?? '';
}

/** The one that it stands below; undefined: none. One that is not in the list leaves its agents to the first one. */
function parentOf({ agent, parent }: SessionAgent, known: ReadonlyMap<string, SessionAgent>): string | undefined {
  if (agent === '') return undefined;
  if (parent !== '' && known.has(parent)) return parent;
  return known.has('') ? '' : undefined;
}
