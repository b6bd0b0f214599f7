// Rate limits and budgets of groups, models and the whole site, as settings.
import { z } from 'zod/mini';
import { SiteBudgets } from '#shared/budgets.ts';
import { SiteRateLimits } from '#shared/rate-limits.ts';
import { parseJson, refuse, type Setting } from '#shared/setting-values.ts';

export const limitSettings = {
  SiteRateLimits: listSetting(SiteRateLimits),
  SiteBudgets: listSetting(SiteBudgets),
};

/** JSON list that the schema checks. */
function listSetting<Schema extends z.core.$ZodType<readonly object[]>>(schema: Schema): Setting<z.output<Schema>> {
  return {
    kind: 'list',
    defaultText: '[]',
    parse(text, key) {
      const json = parseJson(text.trim() === '' ? '[]' : text, key);
      if (!json.ok) return json;
      const parsed = z.safeParse(schema, json.value);
      if (parsed.success) return { ok: true, value: parsed.data };
      return refuse('option_not_list', { key, place: parsed.error.issues[0]?.path.join('.') ?? '' });
    },
  };
}
