// Reads price expressions of new-api that have a counterpart here: coefficients per kind of token, in tiers by the length of the input.
// `len <= 200000 ? tier("standard", p * 3 + c * 15) : tier("long", p * 6 + c * 22.5)`

/** USD per million tokens. */
export interface ExpressionRates {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  imageInput?: number;
  audioInput?: number;
  audioOutput?: number;
}

export interface ExpressionPrice {
  base: ExpressionRates;
  /** Of inputs with more than `above` tokens. */
  tiers: (ExpressionRates & { above: number })[];
}

const variables: Readonly<Record<string, keyof ExpressionRates>> = {
  p: 'input',
  c: 'output',
  cr: 'cacheRead',
  cc: 'cacheWrite',
  cc1h: 'cacheWrite1h',
  img: 'imageInput',
  ai: 'audioInput',
  ao: 'audioOutput',
};

const longest = 4_000;
const mostTiers = 8;

/** Null if the expression has no counterpart. */
export function readPriceExpression(expression: string): ExpressionPrice | null {
  if (expression.length > longest) return null;
  let rest = expression.trim().replace(/^v1:/, '').trim();
  // Factors by request have no counterpart.
  if (rest.includes('|||')) return null;
  const parts: { rates: ExpressionRates; upTo: number | null }[] = [];
  while (parts.length < mostTiers) {
    const condition = /^len\s*(<=|<)\s*(\d{1,9})\s*\?\s*/.exec(rest);
    const after = condition === null ? rest : rest.slice(condition[0].length);
    const body = /^(?:tier\(\s*"[^"]*"\s*,\s*([^()]*)\)|([^()?:]*))\s*/.exec(after);
    const rates = ratesOf(body?.[1] ?? body?.[2] ?? '');
    if (body === null || rates === null) return null;
    const end = after.slice(body[0].length);
    if (condition === null) {
      if (end !== '') return null;
      parts.push({ rates, upTo: null });
      return priceOf(parts);
    }
    if (!end.startsWith(':')) return null;
    parts.push({ rates, upTo: Number(condition[2]) - (condition[1] === '<' ? 1 : 0) });
    rest = end.slice(1).trim();
  }
  return null;
}

/** `p * 3 + c * 15`; null if it is anything else. */
function ratesOf(sum: string): ExpressionRates | null {
  const rates: Partial<ExpressionRates> = {};
  for (const term of sum.split('+')) {
    const [, variable = '', factor = ''] =
      /^\s*([a-z]\w*)\s*\*\s*(\d+(?:\.\d+)?)\s*$/.exec(term) ?? reversed(/^\s*(\d+(?:\.\d+)?)\s*\*\s*([a-z]\w*)\s*$/.exec(term)) ?? [];
    const kind = variables[variable];
    if (kind === undefined || rates[kind] !== undefined) return null;
    rates[kind] = Number(factor);
  }
  const { input, output = 0 } = rates;
  return input === undefined || input <= 0 ? null : { ...rates, input, output };
}

function reversed(match: RegExpExecArray | null): string[] | null {
  return match === null ? null : [match[0], match[2] ?? '', match[1] ?? ''];
}

/** Other kinds than input and output must move with the input: a tier has two factors. */
function priceOf(parts: readonly { rates: ExpressionRates; upTo: number | null }[]): ExpressionPrice | null {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  const base = first.rates;
  let above = first.upTo;
  const tiers: ExpressionPrice['tiers'] = [];
  for (const { rates, upTo } of others) {
    if (above === null || (base.output === 0 && rates.output !== 0)) return null;
    for (const kind of ['cacheRead', 'cacheWrite', 'cacheWrite1h', 'imageInput', 'audioInput'] as const) {
      if (!isNear(rates[kind], base[kind] === undefined ? undefined : (base[kind] * rates.input) / base.input)) return null;
    }
    if (!isNear(rates.audioOutput, base.audioOutput === undefined ? undefined : (base.audioOutput * rates.output) / base.output))
      return null;
    tiers.push({ ...rates, above });
    above = upTo;
  }
  return { base, tiers };
}

function isNear(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one));
}
