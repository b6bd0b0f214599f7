// Reads a MongoDB server's query plan in old and new formats; returns null if there is none.
import type { QueryPlan } from '#server/db/database.ts';

export function readPlan(explained: unknown): QueryPlan | null {
  const planner = member(explained, 'queryPlanner');
  const winning = member(planner, 'winningPlan');
  if (winning === undefined) return null;
  const stages: { stage: string; index: unknown }[] = [];
  collectStages(winning, stages);
  if (stages.length === 0) return null;
  const isById = stages.some(({ stage }) => /IDHACK|EXPRESS_IXSCAN_ID|CLUSTERED_IXSCAN/.test(stage));
  const index = stages.find((stage) => typeof stage.index === 'string')?.index;
  return {
    index: isById || index === '_id_' ? 'id' : typeof index === 'string' ? index : undefined,
    scans: stages.some(({ stage }) => stage.includes('COLLSCAN')),
    sorts: stages.some(({ stage }) => stage === 'SORT'),
  };
}

function collectStages(node: unknown, stages: { stage: string; index: unknown }[]): void {
  if (Array.isArray(node)) {
    for (const part of node) collectStages(part, stages);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const stage = member(node, 'stage');
  if (typeof stage === 'string') stages.push({ stage, index: member(node, 'indexName') });
  for (const part of Object.values(node)) collectStages(part, stages);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}
