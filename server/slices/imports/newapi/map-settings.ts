// Options of one-api and new-api as settings: those of the same name, those with another name, and prices by expression.
import { errorText } from '#shared/errors.ts';
import { isLongInputName } from '#shared/long-inputs.ts';
import { isSettingKey, type SettingKey, settingProblem } from '#shared/settings.ts';
import { isToolPriceName } from '#shared/tool-prices.ts';
import type { RowNote } from '../mapped-row.ts';
import { objectOf, parsedJson } from '../sources/row-values.ts';
import { type ExpressionPrice, readPriceExpression } from './price-expression.ts';

export interface MappedSetting {
  key: SettingKey;
  /** Text of the value; a secret is not encrypted yet. */
  text: string;
}

export interface SettingsMapping {
  settings: MappedSetting[];
  /** Remarks by option or model. */
  notes: { name: string; note: RowNote; isLeftOut: boolean }[];
}

/** Options of the source's own console and bookkeeping, which configure nothing here. */
const ofSourceOnly = /^(?:theme\.|payment_setting\.compliance_|performance_setting\.|perf_metrics_setting\.|system_instance)/;

const renamed: Readonly<Record<string, SettingKey>> = {
  OidcEnabled: 'oidc.enabled',
  OidcClientId: 'oidc.client_id',
  OidcClientSecret: 'oidc.client_secret',
  OidcWellKnown: 'oidc.well_known',
  OidcAuthorizationEndpoint: 'oidc.authorization_endpoint',
  OidcTokenEndpoint: 'oidc.token_endpoint',
  OidcUserinfoEndpoint: 'oidc.user_info_endpoint',
};

/** Maps whose entries are models or groups: an entry that is refused does not take the others with it. */
const numberMaps: ReadonlySet<string> = new Set([
  'ModelRatio',
  'CompletionRatio',
  'ModelPrice',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'TopupGroupRatio',
  'GroupRatio',
]);

export function mapSettings(options: ReadonlyMap<string, string>): SettingsMapping {
  const mapping: SettingsMapping = { settings: [], notes: [] };
  const texts = new Map(options);
  addExpressions(texts, mapping);
  for (const [name, given] of texts) {
    if (ofSourceOnly.test(name) || given === '') continue;
    const mapped = mapOption(name, given, mapping);
    if (mapped !== null) mapping.settings.push(mapped);
  }
  return mapping;
}

function mapOption(name: string, given: string, { notes }: SettingsMapping): MappedSetting | null {
  if (name === 'billing_setting.billing_mode' || name === 'billing_setting.billing_expr') return null;
  if (name === 'general_setting.quota_display_type') {
    if (given === 'CUSTOM') notes.push({ name, note: { reason: 'no_place', detail: 'CUSTOM' }, isLeftOut: false });
    return { key: 'DisplayInCurrencyEnabled', text: String(given !== 'TOKENS') };
  }
  if (name === 'tool_price_setting.prices') return toolPrices(name, given, notes);
  const key = renamed[name] ?? name;
  if (key === 'AutoGroups') return autoGroups(given);
  if (!isSettingKey(key)) {
    notes.push({ name, note: { reason: 'setting_unknown' }, isLeftOut: true });
    return null;
  }
  const text = numberMaps.has(key) ? usableEntries(key, given, notes) : given.trim();
  const problem = settingProblem(key, text);
  if (problem === undefined) return { key, text };
  const [zh, en] = (['zh', 'en'] as const).map((language) => errorText(problem.code, language, problem.details));
  const refusal = { zh: zh ?? problem.code, en: en ?? problem.code };
  notes.push({ name, note: { reason: 'setting_refused', detail: refusal }, isLeftOut: true });
  return null;
}

/** A JSON list there, a comma list here. */
function autoGroups(given: string): MappedSetting {
  const list = parsedJson(given);
  return { key: 'AutoGroups', text: Array.isArray(list) ? list.map(String).join(',') : given };
}

/** Drops entries that the setting refuses, by name. */
function usableEntries(key: SettingKey, given: string, notes: SettingsMapping['notes']): string {
  const map = objectOf(parsedJson(given));
  if (map === null || settingProblem(key, given) === undefined) return given;
  const usable = Object.entries(map).filter(([name, value]) => {
    const isUsable = typeof value === 'number' && Number.isFinite(value) && value >= 0 && name.trim() !== '';
    if (!isUsable)
      notes.push({
        name: `${key}: ${name.slice(0, 80)}`,
        note: { reason: 'setting_refused', detail: { zh: '值或名称不可用', en: 'an unusable value or name' } },
        isLeftOut: false,
      });
    return isUsable;
  });
  return JSON.stringify(Object.fromEntries(usable));
}

function toolPrices(name: string, given: string, notes: SettingsMapping['notes']): MappedSetting | null {
  const map = objectOf(parsedJson(given));
  if (map === null) {
    notes.push({ name, note: { reason: 'setting_refused', detail: { zh: '不是合法的 JSON', en: 'not valid JSON' } }, isLeftOut: true });
    return null;
  }
  const known = Object.entries(map).filter(([tool, price]) => {
    const isKnown = isToolPriceName(tool) && typeof price === 'number' && price >= 0;
    if (!isKnown) notes.push({ name: `${name}: ${tool.slice(0, 80)}`, note: { reason: 'setting_unknown' }, isLeftOut: false });
    return isKnown;
  });
  return { key: 'ToolPrice', text: JSON.stringify(Object.fromEntries(known)) };
}

/** Adds prices by expression to the maps; a model whose expression cannot be expressed has no price. */
function addExpressions(texts: Map<string, string>, { notes }: SettingsMapping): void {
  const modes = objectOf(parsedJson(texts.get('billing_setting.billing_mode') ?? '')) ?? {};
  const expressions = objectOf(parsedJson(texts.get('billing_setting.billing_expr') ?? '')) ?? {};
  const models = Object.entries(modes)
    .filter(([, mode]) => mode === 'tiered_expr')
    .map(([model]) => model);
  if (models.length === 0) return;
  const maps = new Map<string, Record<string, unknown>>();
  const mapOf = (key: string): Record<string, unknown> => {
    const known = maps.get(key) ?? { ...objectOf(parsedJson(texts.get(key) ?? '')) };
    maps.set(key, known);
    return known;
  };
  for (const model of models) {
    const expression = expressions[model];
    const price = typeof expression === 'string' ? readPriceExpression(expression) : null;
    // The program looks at the expression alone.
    for (const key of ['ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio', 'CreateCacheRatio']) delete mapOf(key)[model];
    if (price === null) notes.push({ name: model, note: { reason: 'price_expression' }, isLeftOut: true });
    else enterPrice(mapOf, model, price);
  }
  for (const [key, map] of maps) texts.set(key, JSON.stringify(map));
}

function enterPrice(mapOf: (key: string) => Record<string, unknown>, model: string, { base, tiers }: ExpressionPrice): void {
  // A ratio of 1 is $2 per million tokens.
  mapOf('ModelRatio')[model] = base.input / 2;
  mapOf('CompletionRatio')[model] = base.output / base.input;
  if (base.cacheRead !== undefined) mapOf('CacheRatio')[model] = base.cacheRead / base.input;
  if (base.cacheWrite !== undefined) mapOf('CreateCacheRatio')[model] = base.cacheWrite / base.input;
  if (base.cacheWrite1h !== undefined) mapOf('CreateCache1hRatio')[model] = base.cacheWrite1h / base.input;
  if (base.imageInput !== undefined) mapOf('ImageRatio')[model] = base.imageInput / base.input;
  if (base.audioInput !== undefined) mapOf('AudioRatio')[model] = base.audioInput / base.input;
  if (base.audioInput !== undefined && base.audioOutput !== undefined)
    mapOf('AudioCompletionRatio')[model] = base.audioOutput / base.audioInput;
  for (const tier of tiers) {
    for (const [side, factor] of [
      ['input', tier.input / base.input],
      ['output', tier.output / base.output],
    ] as const) {
      const name = `${side}>${tier.above}:${model}`;
      if (isLongInputName(name)) mapOf('LongInputPrice')[name] = factor;
    }
  }
}
