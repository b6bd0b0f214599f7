// Prices of LiteLLM's deployments as settings: one price per public model.
import { isLongInputName } from '#shared/long-inputs.ts';
import type { SettingKey } from '#shared/settings.ts';
import { defaultText } from '#server/settings/defaults.ts';
import type { MappedSetting } from '../newapi/map-settings.ts';
import type { NamedNote } from '../program.ts';
import { objectOf, parsedJson } from '../sources/row-values.ts';
import type { Deployment } from './map-deployment.ts';
import { readLiteLlmModel } from './providers.ts';

/** Maps whose entries of another model a public name takes over. */
const copied = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'ImageCompletionRatio',
  'AudioRatio',
  'AudioCompletionRatio',
] as const;

type Costs = Readonly<Record<string, unknown>>;

export function mapPrices(deployments: readonly Deployment[]): { settings: MappedSetting[]; notes: NamedNote[] } {
  const notes: NamedNote[] = [];
  const maps = new Map<SettingKey, Record<string, unknown>>();
  const mapOf = (key: SettingKey): Record<string, unknown> => {
    const known = maps.get(key) ?? { ...objectOf(parsedJson(defaultText(key))) };
    maps.set(key, known);
    return known;
  };
  const touched = new Set<SettingKey>();
  const enter = (key: SettingKey, name: string, value: number) => {
    mapOf(key)[name] = value;
    touched.add(key);
  };
  for (const [model, group] of Map.groupBy(deployments, ({ modelName }) => modelName)) {
    if (model.includes('*')) continue;
    const priced = group
      .map(({ params, info }): Costs => ({ ...info, ...params }))
      .filter((costs) => inputCost(costs) > 0 || imageCost(costs) > 0);
    const [costliest] = priced.toSorted((one, other) => inputCost(other) - inputCost(one) || imageCost(other) - imageCost(one));
    if (costliest !== undefined) {
      if (new Set(priced.map(inputCost)).size > 1) notes.push(note(model, 'price_differs'));
      enterCosts(enter, model, costliest);
      continue;
    }
    if (group.some(({ params, info }) => cost({ ...info, ...params }, 'input_cost_per_second') > 0))
      notes.push(note(model, 'price_expression'));
    else if (!isPriced(mapOf, model)) copyPrice({ mapOf, enter }, model, group, notes);
  }
  return { settings: [...touched].map((key) => ({ key, text: JSON.stringify(mapOf(key)) })), notes };
}

type MapOf = (key: SettingKey) => Record<string, unknown>;
type Enter = (key: SettingKey, name: string, value: number) => void;

/** Dollars per token; a ratio of 1 is $2 per million. */
function enterCosts(enter: Enter, model: string, costs: Costs): void {
  const input = inputCost(costs);
  if (input <= 0) {
    enter('ModelPrice', model, imageCost(costs));
    return;
  }
  const share = (key: string) => rounded(cost(costs, key) / input);
  enter('ModelRatio', model, rounded((input * 1_000_000) / 2));
  const output = cost(costs, 'output_cost_per_token');
  enter('CompletionRatio', model, rounded(output / input));
  for (const [key, map] of [
    ['cache_read_input_token_cost', 'CacheRatio'],
    ['cache_creation_input_token_cost', 'CreateCacheRatio'],
    ['cache_creation_input_token_cost_above_1hr', 'CreateCache1hRatio'],
    ['input_cost_per_audio_token', 'AudioRatio'],
  ] as const) {
    if (cost(costs, key) > 0) enter(map, model, share(key));
  }
  for (const name of Object.keys(costs)) {
    const [, side, thousands] = /^(input|output)_cost_per_token_above_(\d+)k_tokens$/.exec(name) ?? [];
    const base = side === 'input' ? input : output;
    const entry = `${side}>${Number(thousands) * 1000}:${model}`;
    if (side !== undefined && base > 0 && isLongInputName(entry)) enter('LongInputPrice', entry, rounded(cost(costs, name) / base));
  }
}

function isPriced(mapOf: MapOf, model: string): boolean {
  return mapOf('ModelRatio')[model] !== undefined || mapOf('ModelPrice')[model] !== undefined;
}

/** A public name of another model costs as much as that. */
function copyPrice(
  { mapOf, enter }: { mapOf: MapOf; enter: Enter },
  model: string,
  group: readonly Deployment[],
  notes: NamedNote[],
): void {
  const names = group.flatMap(({ params, info, read }) => {
    const base = info['base_model'];
    const written = readLiteLlmModel(read.text(params['model']))?.model;
    read.takeMissing();
    return [typeof base === 'string' ? base.split('/').at(-1) : undefined, written].flatMap((name) =>
      name === undefined ? [] : variants(name),
    );
  });
  const found = names.find((name) => isPriced(mapOf, name));
  if (found === undefined) {
    notes.push(note(model, 'price_none'));
    return;
  }
  for (const key of copied) {
    const value = mapOf(key)[found];
    if (typeof value === 'number') enter(key, model, value);
  }
}

/** As the provider writes it, and without what AWS and Google add. */
function variants(name: string): string[] {
  const plain = name
    .replace(/^(?:us|eu|apac|global)\./, '')
    .replace(/^anthropic\./, '')
    .replace(/-v\d+:\d+$/, '')
    .replace('@', '-');
  return [name, plain, plain.replace(/-\d{8}$/, '')];
}

function inputCost(costs: Costs): number {
  return cost(costs, 'input_cost_per_token');
}

function imageCost(costs: Costs): number {
  return cost(costs, 'input_cost_per_image') || cost(costs, 'output_cost_per_image');
}

function cost(costs: Costs, key: string): number {
  const value = Number(costs[key] ?? 0);
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** Without the digits that floating-point division adds. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function note(name: string, reason: NamedNote['note']['reason']): NamedNote {
  return { kind: 'price', name, note: { reason }, isLeftOut: false };
}
