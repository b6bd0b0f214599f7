// Sampling fields that a Claude model accepts, for calls of other formats whose clients send all of them.
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { Losses } from '../losses.ts';

type Json = Record<string, unknown>;

const names = ['temperature', 'top_k', 'top_p'] as const;

/**
 * Drops sampling fields that the model rejects: newer models accept none, earlier ones not `temperature` together with
 * `top_p`.
 * https://platform.claude.com/docs/en/about-claude/models/migration-guide
 */
export function fitSampling(body: Json, model: string, losses: Losses): void {
  const sampling = factsOf(model)?.sampling;
  if (sampling === 'refused') {
    dropSampling(body, losses);
    return;
  }
  if (sampling !== 'one' || body.temperature === undefined || body.top_p === undefined) return;
  // The field closest to its default is dropped first.
  const least = Number(body.temperature) >= 1 ? 'temperature' : 'top_p';
  if (body[least] !== 1) losses.drop(least);
  delete body[least];
}

export function dropSampling(body: Json, losses: Losses): void {
  for (const name of names) {
    if (body[name] === undefined) continue;
    if (name === 'top_k' || body[name] !== 1) losses.drop(name);
    delete body[name];
  }
}
