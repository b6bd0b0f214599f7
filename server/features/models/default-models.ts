import { channelTypes } from '#shared/channel-types.ts';
import { providerOf } from '#server/providers/registry.ts';

const openai = 1;
/** Addresses of other people's gateways, or of the same models elsewhere: they have what OpenAI has. */
const openaiAlikes = new Set([3, 6, 7, 8, 9, 10, 12, 13]);

/** Channel type → built-in model names, for every type that can be chosen. */
export function defaultModels(): Record<string, string[]> {
  return Object.fromEntries(channelTypes.map(({ type }) => [String(type), modelsOf(type)]));
}

function modelsOf(type: number): string[] {
  const own = providerOf(type)?.models ?? [];
  const models = own.length === 0 && openaiAlikes.has(type) ? (providerOf(openai)?.models ?? []) : own;
  return [...new Set(models)];
}
