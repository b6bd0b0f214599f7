import { AppError } from '#shared/errors.ts';
import { optionApi } from '#shared/options.ts';
import type { PriceMaps } from '#shared/find-price.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { settingKeys, settings } from '#shared/settings.ts';
import { storableText } from '#server/db/storable.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { priceSettings } from '#server/settings/price-maps.ts';
import { listChanges } from './list-changes.ts';
import { presentOptions } from './present-option.ts';
import { readPriceEffect } from './price-effect.ts';
import { saveOptions } from './save-options.ts';
import { undoChange } from './undo-change.ts';

const longestNote = 200;

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
    const note = storableText((call.body.note ?? '').replace(/\p{Cc}+/gu, ' ').trim(), longestNote);
    return saveOptions(call.context, call.body.options, { actor, reason: note === '' ? {} : { note }, conflictData: (current) => current });
  });

  mount(host, optionApi.history, (call) => listChanges(call.context, call.query, signedIn(call).user.role));

  mount(host, optionApi.undo, (call) => undoChange(call.context, Number(call.params.id), signedIn(call).user));

  mountReading(host, optionApi.priceEffect, ({ context, body }) => {
    const changes: Partial<PriceMaps> = {};
    for (const [name, key] of priceSettings) {
      const text = body[key];
      if (text !== undefined) changes[name] = parsedPrices(key, text);
    }
    const tools = body.ToolPrice === undefined ? {} : { tools: parsedPrices('ToolPrice', body.ToolPrice) };
    const tuning = body.FineTuningPrice === undefined ? {} : { tuning: parsedPrices('FineTuningPrice', body.FineTuningPrice) };
    return readPriceEffect(context, { ...changes, ...tools, ...tuning });
  });

  mount(host, optionApi.resetModelRatio, async (call) => {
    const actor = signedIn(call).user;
    const edit = { key: 'ModelRatio', value: defaultText('ModelRatio') };
    await saveOptions(call.context, [edit], { actor, conflictData: ([current]) => current });
    return respond(undefined, { notice: 'model_ratios_reset' });
  });
}

function parsedPrices(key: (typeof priceSettings)[number][1] | 'ToolPrice' | 'FineTuningPrice', text: string): NumberMap {
  const parsed = settings[key].parse(text, key);
  if (!parsed.ok) throw new AppError(parsed.problem.code, parsed.problem.details, { field: key });
  return parsed.value;
}
