import type { SetupInput } from '#shared/setup.ts';
import type { AppContext } from '#server/context.ts';
import { isManagedSetting } from '#server/settings/managed-entries.ts';
import { editOptions } from '#server/settings/option-writes.ts';

/** Stores the usage mode that was chosen: external (both off), self-use or demo. */
export async function saveModes(context: AppContext, input: SetupInput, actorId: number): Promise<void> {
  const modes = { SelfUseModeEnabled: input.SelfUseModeEnabled ?? false, DemoSiteEnabled: input.DemoSiteEnabled ?? false };
  await editOptions(context, {
    keys: Object.keys(modes),
    actorId,
    plan: () =>
      Object.entries(modes)
        // A file may have decided before.
        .filter(([id]) => !isManagedSetting(context.settings.managed, id))
        .map(([id, isOn]) => ({ id, value: String(isOn) })),
  });
}
