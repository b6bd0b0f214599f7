import { AppError } from '#shared/errors.ts';
import { optionApi } from '#shared/options.ts';
import { settingKeys } from '#shared/settings.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { listChanges } from './list-changes.ts';
import { presentOptions } from './present-option.ts';
import { saveOptions } from './save-options.ts';
import { undoChange } from './undo-change.ts';

export function mountOptions(host: RouteHost): void {
  mount(host, optionApi.list, async ({ context }) => {
    await finishOptionWrites(context);
    const rows = new Map((await context.db.collection('options').find({})).map((row) => [row.id, row]));
    return presentOptions(context, settingKeys, rows);
  });

  mount(host, optionApi.save, async (call) => {
    const actor = signedIn(call).user;
    const [option] = await saveOptions(call.context, [call.body], { actor, conflictData: ([current]) => current });
    if (option === undefined) throw new AppError('option_unknown');
    return option;
  });

  mount(host, optionApi.saveMany, (call) => {
    const actor = signedIn(call).user;
    return saveOptions(call.context, call.body.options, { actor, conflictData: (current) => current });
  });

  mount(host, optionApi.history, (call) => listChanges(call.context, call.query, signedIn(call).user.role));

  mount(host, optionApi.undo, (call) => undoChange(call.context, Number(call.params.id), signedIn(call).user));

  mount(host, optionApi.resetModelRatio, async (call) => {
    const actor = signedIn(call).user;
    const edit = { key: 'ModelRatio', value: defaultText('ModelRatio') };
    await saveOptions(call.context, [edit], { actor, conflictData: ([current]) => current });
    return respond(undefined, { notice: 'model_ratios_reset' });
  });
}
