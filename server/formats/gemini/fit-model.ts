// Adapts a body to what its Gemini model accepts, in either spelling of members.
import { isObject } from '#server/framing/loose-json.ts';
import type { Thinking } from '#server/model-facts/model-facts.ts';
import type { EncodeInput } from '../encode-input.ts';
import { budgets, effortOfLevel, levelFor, within } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

const configNames = ['generationConfig', 'generation_config'] as const;
/** Sampling fields with their defaults. */
const samplingFields: ReadonlyMap<string, unknown> = new Map([
  ['temperature', 1],
  ['topP', 1],
  ['top_p', 1],
  ['topK', undefined],
  ['top_k', undefined],
]);

/** Returns the same body if its model accepts it. @param dropped receives the names of changed fields, as the body has them */
export function fitModel(body: Body, { route: { facts } }: EncodeInput, dropped: string[]): Body {
  if (facts === undefined || facts.vendor !== 'google') return body;
  const name = configNames.find((one) => isObject(body[one]));
  const config = name === undefined ? undefined : body[name];
  if (name === undefined || !isObject(config)) return body;
  const lose = (field: string) => dropped.push(`${name}.${field}`);
  const sampled = facts.sampling === 'refused' ? withoutSampling(config, lose) : config;
  const fitting = facts.thinking === null ? sampled : withThinking(sampled, facts.thinking, lose);
  return fitting === config ? body : { ...body, [name]: fitting };
}

function withoutSampling(config: Body, lose: (field: string) => void): Body {
  const requested = Object.keys(config).filter((field) => samplingFields.has(field));
  if (requested.length === 0) return config;
  for (const field of requested) if (config[field] !== null && config[field] !== samplingFields.get(field)) lose(field);
  return Object.fromEntries(Object.entries(config).filter(([field]) => !samplingFields.has(field)));
}

function withThinking(config: Body, thinking: Thinking, lose: (field: string) => void): Body {
  const name = ['thinkingConfig', 'thinking_config'].find((one) => isObject(config[one]));
  const reported = name === undefined ? undefined : config[name];
  if (name === undefined || !isObject(reported)) return config;
  const levelName = ['thinkingLevel', 'thinking_level'].find((one) => typeof reported[one] === 'string');
  const effort = levelName === undefined ? undefined : effortOfLevel(String(reported[levelName]));
  if (levelName !== undefined && effort !== undefined) {
    const { [levelName]: _level, ...rest } = reported;
    if (thinking.efforts === undefined) {
      lose(`${name}.${levelName}`);
      return { ...config, [name]: { ...rest, thinkingBudget: within(thinking, budgets[effort]) } };
    }
    if (thinking.efforts.length === 0 || thinking.efforts.includes(effort)) return config;
    lose(`${name}.${levelName}`);
    return { ...config, [name]: { ...rest, [levelName]: levelFor(thinking.efforts, effort).toUpperCase() } };
  }
  const budgetName = ['thinkingBudget', 'thinking_budget'].find((one) => typeof reported[one] === 'number');
  const tokens = budgetName === undefined ? -1 : Number(reported[budgetName]);
  // Models that take levels map a budget themselves.
  if (budgetName === undefined || tokens < 0 || thinking.efforts !== undefined) return config;
  const fitting = within(thinking, tokens);
  if (fitting === tokens) return config;
  lose(`${name}.${budgetName}`);
  return { ...config, [name]: { ...reported, [budgetName]: fitting } };
}
