// Optional fields that a channel's provider has rejected. A rejected field is omitted for an hour, or until the channel
// is edited.

export interface RefusedFields {
  of(model: string): ReadonlySet<string>;
  note(model: string, field: string): void;
}

const retentionMs = 3_600_000;
/** Callers choose the names of some models, so the number is bounded. */
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
