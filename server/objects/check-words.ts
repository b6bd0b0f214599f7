// Judges texts that callers store, as texts of calls are judged.
import type { RelayServices } from '#server/call/services.ts';

/** @throws {AppError} for blocked words */
export async function checkWords(
  { stages: { guard }, context }: RelayServices,
  userId: number,
  prompt: { texts: readonly string[]; untokened?: readonly string[] },
): Promise<void> {
  if (!guard.isOn) return;
  const looking = guard.check([...prompt.texts, ...(prompt.untokened ?? [])], (work) => context.bodies.inTurn(`user:${userId}`, work));
  if (looking instanceof Promise) await looking;
}
