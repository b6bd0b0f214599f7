// Names and built-in ratios that prices depend on.
import type { NumberMap } from '#shared/setting-values.ts';
import listedRatios from './listed-completion-ratios.json' with { type: 'json' };

/** Returns the name under which a model's price, ratio and completion ratio are stored: all models of the gizmo families share one. */
export function pricedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/** From vendors' lists of November 2026, of names whose family has no ratio in common. */
const listed: NumberMap = listedRatios;

/**
 * What a completion token costs, as a factor of an input token. In this order: the option for names with a `/`, a built-in
 * ratio that is fixed, the option, a built-in ratio that is only a default (of the name, then of its family), 1.
 */
export function completionRatioOf(model: string, option: NumberMap): number {
  const name = pricedName(model);
  const own = option[name];
  if (own !== undefined && name.includes('/')) return own;
  const rule = rules.find((candidate) => candidate.matches(name));
  if (rule?.isFixed === true) return rule.ratio;
  return own ?? listed[name] ?? rule?.ratio ?? 1;
}

interface Rule {
  ratio: number;
  isFixed: boolean;
  matches(name: string): boolean;
}

function fixed(ratio: number, matches: (name: string) => boolean): Rule {
  return { ratio, isFixed: true, matches };
}

function preset(ratio: number, matches: (name: string) => boolean): Rule {
  return { ratio, isFixed: false, matches };
}

function isNamed(...names: string[]): (name: string) => boolean {
  return (name) => names.includes(name);
}

function startsWith(...starts: string[]): (name: string) => boolean {
  return (name) => starts.some((start) => name.startsWith(start));
}

function isPlainGpt4(name: string): boolean {
  return name.startsWith('gpt-4') && !name.endsWith('-all') && !name.endsWith('-gizmo-*');
}

/** The first that matches counts. Quotients without an end are cut off, not rounded: costs are rounded up. */
const rules: readonly Rule[] = [
  fixed(3, isNamed('gpt-4o-2024-05-13')),
  fixed(4, (name) => isPlainGpt4(name) && name.startsWith('gpt-4o')),
  fixed(2, (name) => isPlainGpt4(name) && name.startsWith('gpt-4.5-preview')),
  fixed(3, (name) => isPlainGpt4(name) && (name.startsWith('gpt-4-turbo') || /gpt-4-110[56]$/.test(name))),
  preset(4, startsWith('gpt-4.1', 'o4-')),
  preset(2, isPlainGpt4),
  fixed(4, startsWith('o1', 'o3')),
  fixed(3, isNamed('chatgpt-4o-latest')),
  fixed(3, (name) => name.includes('claude-instant-1') || name.includes('claude-2')),
  fixed(5, (name) => name.includes('claude-3')),
  fixed(3, (name) => name === 'gpt-3.5-turbo' || (name.startsWith('gpt-3.5') && name.endsWith('0125'))),
  fixed(2, (name) => name.startsWith('gpt-3.5') && name.endsWith('1106')),
  fixed(4 / 3, startsWith('gpt-3.5')),
  preset(6.25, startsWith('gpt-5.4-nano')),
  preset(6, isNamed('gpt-realtime-2', 'gpt-realtime-2.1')),
  // Those that only transcribe are billed by the minute.
  preset(4, (name) => name.startsWith('gpt-realtime') && !name.startsWith('gpt-realtime-whisper')),
  preset(2, startsWith('gpt-image-1.5', 'gpt-image-2')),
  preset(5, (name) => name.startsWith('gpt-6') || isNamed('gpt-5.6', 'gpt-5.6-sol')(name)),
  preset(6, startsWith('gpt-5.4', 'gpt-5.5', 'gpt-5.6')),
  preset(8, startsWith('gpt-5')),
  preset(4, startsWith('gpt-audio')),
  preset(5, startsWith('claude-4-', 'claude-opus-', 'claude-sonnet-', 'claude-haiku-', 'claude-fable-', 'claude-mythos-')),
  preset(3, startsWith('deepseek-v4-pro')),
  preset(4, startsWith('deepseek-v4-flash', 'deepseek-flash')),
  preset(10, isNamed('perplexity/sonar', 'sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research')),
  preset(5, isNamed('grok-4', 'kimi-k3')),
  preset(2, startsWith('grok-4.3')),
  preset(3, startsWith('grok-4.5', 'grok-4.6', 'grok-4.7', 'qwen3.7-max')),
  preset(6, startsWith('qwen3.6-plus')),
  preset(4.21052631578, startsWith('kimi-k2.7-code')),
  preset(3.14285714285, startsWith('glm-5.3')),
  preset(5.5, startsWith('glm-4.5-air')),
  preset(4, startsWith('MiniMax-M')),
  preset(3, startsWith('mistral-')),
  fixed(4, startsWith('gemini-1.5', 'gemini-2.0')),
  fixed(8, startsWith('gemini-2.5-pro-preview')),
  preset(8, isNamed('gemini-2.5-pro', 'gemini-pro-latest')),
  preset(8.33333333333, (name) => /^gemini-(?:2\.5-flash(?!-lite)|3\.5-flash-lite|exp-1206|flash-latest|robotics-er)/.test(name)),
  preset(6.66666666666, startsWith('gemini-live-2.5-flash')),
  preset(8, startsWith('gemini-2.5-computer-use')),
  preset(5, startsWith('gemini-3.6', 'gemini-3.8', 'gemini-4')),
  preset(6, startsWith('gemini-3', 'gemini-omni-flash')),
  preset(4, startsWith('gemini-')),
  fixed(3, isNamed('command-r')),
  fixed(5, isNamed('command-r-plus')),
  fixed(4, isNamed('command-r-08-2024', 'command-r-plus-08-2024')),
  preset(4, startsWith('command')),
  fixed(4, (name) => isNamed('deepseek-chat', 'deepseek-reasoner')(name.toLowerCase())),
  fixed(2, startsWith('ERNIE-Speed-', 'ERNIE-Lite-', 'ERNIE-Character', 'ERNIE-Functions')),
  fixed(0.8 / 0.64, isNamed('llama2-70b-4096')),
  fixed(2, isNamed('llama3-8b-8192')),
  fixed(0.79 / 0.59, isNamed('llama3-70b-8192')),
];
