import type { SetupInput } from '#shared/setup.ts';
import type { AppContext } from '#server/context.ts';
import { writeOptions } from '#server/settings/option-writes.ts';

/** Stores the usage mode that was chosen: external (both off), self-use or demo. */
export async function saveModes(context: AppContext, input: SetupInput, actorId: number): Promise<void> {
  const modes = new Map([
    ['SelfUseModeEnabled', input.SelfUseModeEnabled ?? false],
    ['DemoSiteEnabled', input.DemoSiteEnabled ?? false],
  ]);
  const keys = [...modes.keys()];
  await writeOptions(context.db, keys, (current) =>
    [...modes].map(([id, isOn]) => ({
      id,
      value: String(isOn),
      revision: (current.get(id)?.revision ?? 0) + 1,
      updated_at: Math.floor(context.now() / 1000),
      updated_by: actorId,
    })),
  );
  for (const key of keys) await context.changes.announce('option', key);
}
