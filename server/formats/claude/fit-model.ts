// Adapts a body to what its Claude model accepts, for callers of this format and for thinking suffixes.
import { isObject } from '#server/framing/loose-json.ts';
import type { Thinking } from '#server/model-facts/model-facts.ts';
import type { EncodeInput } from '../encode-input.ts';
import type { RequestField } from '../request-fields.ts';
import { effortNamed, effortOfBudget, nearestEffort } from '../reasoning-models.ts';
import { budgetFor } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

/** Records that a field is changed or dropped. */
type Lose = (field: RequestField) => void;

/**
 * Returns the adapted body, the same object if its model accepts it.
 * @param dropped receives the names of changed and dropped fields
 */
export function fitModel(body: Body, { client, route }: EncodeInput, dropped: string[]): Body {
  const { facts } = route;
  // Other vendors' models use this format as well.
  if (facts === undefined || facts.vendor !== 'anthropic') return body;
  const lose: Lose = (field) => {
    const name = client.clientFields[field]?.name ?? field;
    if (!dropped.includes(name)) dropped.push(name);
  };
  let fitting = body;
  if (!facts.takesForcedTools) fitting = withFreeTools(fitting, lose);
  fitting = facts.thinking === null ? withoutThinking(fitting, lose) : withThinking(fitting, facts.thinking, lose);
  const takesEffort = facts.thinking?.efforts !== undefined || facts.record.supports?.includes('output_config') === true;
  fitting = withEffort(fitting, takesEffort ? facts.thinking?.efforts : [], lose);
  if (facts.sampling === 'refused') return withoutSampling(fitting, lose);
  return facts.sampling === 'one' ? withOneSampling(fitting, lose) : fitting;
}

function withFreeTools(body: Body, lose: Lose): Body {
  const { tool_choice: choice } = body;
  if (!isObject(choice) || (choice.type !== 'any' && choice.type !== 'tool')) return body;
  const { name: _name, ...rest } = choice;
  lose('forced_tool');
  return { ...body, tool_choice: { ...rest, type: 'auto' } };
}

function withoutThinking(body: Body, lose: Lose): Body {
  const { thinking, ...rest } = body;
  if (!isObject(thinking)) return body;
  if (thinking.type !== 'disabled') lose('thinking_budget');
  return rest;
}

function withThinking(body: Body, { isAdaptive, isAlwaysOn, budget, efforts }: Thinking, lose: Lose): Body {
  const { thinking } = body;
  if (!isObject(thinking)) return body;
  const { type, budget_tokens: tokens, ...rest } = thinking;
  if (type === 'disabled' && isAlwaysOn) {
    lose('thinking_budget');
    return withUsualEffort({ ...body, thinking: { type: 'adaptive' } }, efforts?.[0]);
  }
  if (type === 'enabled' && isAdaptive && budget === undefined) {
    lose('thinking_budget');
    const intended = effortOfBudget(typeof tokens === 'number' ? tokens : undefined);
    return withUsualEffort({ ...body, thinking: { ...rest, type: 'adaptive' } }, intended);
  }
  if (type !== 'adaptive' || isAdaptive || budget === undefined) return body;
  lose('thinking_budget');
  return withBudget(body, budget.least);
}

/** Replaces adaptive thinking by a budget; turns thinking off if the limit is too small or a tool is forced. */
function withBudget(body: Body, least: number): Body {
  const { thinking: _adaptive, temperature: _t, top_p: _p, top_k: _k, ...rest } = body;
  const { tool_choice: choice, max_tokens: limit, output_config: output } = body;
  const isForced = isObject(choice) && (choice.type === 'any' || choice.type === 'tool');
  const effort = effortNamed(isObject(output) ? output.effort : undefined);
  const tokens = typeof limit === 'number' ? budgetFor(limit, effort, least) : null;
  if (isForced || tokens === null) return { ...body, thinking: { type: 'disabled' } };
  return { ...rest, thinking: { type: 'enabled', budget_tokens: tokens } };
}

/** Sets the default effort unless the caller requests one. */
function withUsualEffort(body: Body, effort: string | undefined): Body {
  const { output_config: output } = body;
  if (effort === undefined || (isObject(output) && output.effort !== undefined)) return body;
  return { ...body, output_config: { ...(isObject(output) ? output : {}), effort } };
}

/**
 * Replaces an unsupported effort by the nearest supported one.
 * @param supported supported efforts; empty if none, undefined if unknown
 */
function withEffort(body: Body, supported: Thinking['efforts'], lose: Lose): Body {
  const { output_config: output, ...rest } = body;
  const effort = isObject(output) ? effortNamed(output.effort) : undefined;
  if (!isObject(output) || effort === undefined || supported === undefined || supported.includes(effort)) return body;
  lose('effort');
  const { effort: _effort, ...config } = output;
  const nearest = nearestEffort(effort, supported);
  if (nearest !== undefined) return { ...body, output_config: { ...config, effort: nearest } };
  return Object.keys(config).length === 0 ? rest : { ...body, output_config: config };
}

const samplingFields = ['temperature', 'top_p', 'top_k'] as const;

function withoutSampling(body: Body, lose: Lose): Body {
  const given = samplingFields.filter((name) => body[name] !== undefined);
  if (given.length === 0) return body;
  // Dropping a default value changes nothing, so it is not reported.
  for (const name of given) if (body[name] !== null && (name === 'top_k' || body[name] !== 1)) lose(name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !samplingFields.some((field) => field === name)));
}

function withOneSampling(body: Body, lose: Lose): Body {
  const { temperature, top_p: share } = body;
  if (typeof temperature !== 'number' || typeof share !== 'number') return body;
  const least = temperature >= 1 ? 'temperature' : 'top_p';
  if (body[least] !== 1) lose(least);
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== least));
}
