// Fields that are asked for beyond what a caller wrote, and that the provider behind a channel does not know. What it refused is left out for
// an hour; a channel that is edited is asked anew.

export interface RefusedFields {
  of(model: string): ReadonlySet<string>;
  note(model: string, field: string): void;
}

const retentionMs = 3_600_000;
/** Of some families of models callers choose the names. */
const mostModels = 100;
const none: ReadonlySet<string> = new Set();

/** @param now monotonic milliseconds */
export function createRefusedFields(now: () => number = () => performance.now()): RefusedFields {
  const models = new Map<string, { fields: Set<string>; until: number }>();
  return {
    of(model) {
      const refused = models.get(model);
      return refused !== undefined && refused.until > now() ? refused.fields : none;
    },
    note(model, field) {
      const known = models.get(model);
      if (known !== undefined && known.until > now()) {
        known.fields.add(field);
        return;
      }
      if (models.size >= mostModels) models.clear();
      models.set(model, { fields: new Set([field]), until: now() + retentionMs });
    },
  };
}
