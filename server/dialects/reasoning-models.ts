// Which models of OpenAI's formats think before they answer, and how much they can be told to, by their names: others refuse it.
import type { ReasoningEffort, ReasoningWish } from './parts.ts';

export function reasons(model: string): boolean {
  return /(?:^|\/)(?:o\d|gpt-[5-9]|gpt-oss|codex|grok-(?:3-mini|4)|deepseek-(?:r|reason)|qwen3)/.test(model) && !/gpt-5-chat/.test(model);
}

/**
 * The effort that is meant, in OpenAI's words, or the nearest that the model takes; undefined: as much as the model does by itself.
 * Null: the model cannot be told.
 */
export function effortOf(wish: ReasoningWish, model: string): string | null | undefined {
  const { isOn, effort, budgetTokens } = wish;
  const taken = effortsOf(model);
  if (!isOn) return taken === undefined ? 'minimal' : taken[0];
  if (taken?.length === 0) return effort === undefined && budgetTokens === undefined ? undefined : null;
  if (effort !== undefined) return taken === undefined ? (effort === 'max' ? 'xhigh' : effort) : nearest(effort, taken);
  if (budgetTokens === undefined) return undefined;
  const meant = budgetTokens <= 4096 ? 'low' : budgetTokens <= 16_384 ? 'medium' : 'high';
  return taken === undefined ? meant : nearest(meant, taken);
}

const all: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The most that is not above what is meant. Who wants thoughts gets some. */
function nearest(effort: ReasoningEffort, taken: readonly ReasoningEffort[]): ReasoningEffort | undefined {
  const thinking = taken.filter((one) => one !== 'none');
  return thinking.findLast((one) => all.indexOf(one) <= all.indexOf(effort)) ?? thinking[0];
}

/** Which a model takes, least first; undefined: not known. */
function effortsOf(model: string): readonly ReasoningEffort[] | undefined {
  const gpt = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?(?![\d.])(.*)$/.exec(model);
  if (gpt !== null) return gptEfforts(Number(gpt[1]) * 100 + Number(gpt[2] ?? 0), gpt[3] ?? '');
  const grok = /(?:^|\/)grok-(\d+)(?:\.(\d+))?(?![\d.])(.*)$/.exec(model);
  if (grok !== null) return grokEfforts(Number(grok[1]) * 100 + Number(grok[2] ?? 0), grok[3] ?? '');
  return /(?:^|\/)(?:o\d|gpt-oss|codex)/.test(model) ? between('low', 'high') : undefined;
}

/** https://developers.openai.com/api/docs/guides/reasoning, and the models' own pages. @param version 502 is 5.2 */
function gptEfforts(version: number, kind: string): readonly ReasoningEffort[] {
  if (kind.includes('-chat')) return ['medium'];
  if (kind.includes('-pro')) return version < 502 ? ['high'] : between('medium', 'xhigh');
  if (kind.includes('-codex-mini')) return between('medium', 'high');
  if (kind.includes('-codex')) return between('low', version > 501 || kind.includes('-codex-max') ? 'xhigh' : 'high');
  if (version < 501) return between('minimal', 'high');
  return ['none', ...between('low', version < 502 ? 'high' : version < 506 ? 'xhigh' : 'max')];
}

/** https://docs.x.ai/docs/guides/reasoning. Of most of version 4 there is one that thinks and one that does not. */
function grokEfforts(version: number, kind: string): readonly ReasoningEffort[] {
  if (version === 300) return ['low', 'high'];
  if (version === 420) return kind.includes('multi-agent') ? between('low', 'xhigh') : [];
  if (version < 403) return [];
  if (version === 403) return ['none', ...between('low', 'high')];
  return between('low', version < 407 ? 'high' : 'xhigh');
}

function between(least: ReasoningEffort, most: ReasoningEffort): readonly ReasoningEffort[] {
  return all.slice(all.indexOf(least), all.indexOf(most) + 1);
}
