// Counts the callers that a channel has refused since its last success: the requests of one caller may be the cause, those of
// several are not.

export interface RefusedCallers {
  /** Counts a refusal. `byManyOnModel`: several callers of the model were refused; `byMany`: that applies to several models. */
  count(channelId: number, model: string, caller: number): { byMany: boolean; byManyOnModel: boolean };
  /** Removes the refusals of a model after a success, since the callers must have caused them. */
  served(channelId: number, model: string): void;
  forget(channelId: number): void;
}

interface Refused {
  callers: Set<number>;
  /** Model → callers that requested it. */
  models: Map<string, Set<number>>;
}

/** Number of users that count as several; one person may have two accounts. */
const many = 3;
/** Maximum models of a channel; callers choose the names of some models. */
const mostModels = 100;

export function createRefusedCallers(): RefusedCallers {
  const channels = new Map<number, Refused>();

  return {
    count(channelId, model, caller) {
      let refused = channels.get(channelId);
      if (refused === undefined) channels.set(channelId, (refused = { callers: new Set(), models: new Map() }));
      let callers = refused.models.get(model);
      if (callers === undefined) {
        if (refused.models.size >= mostModels) refused.models.clear();
        refused.models.set(model, (callers = new Set()));
      }
      for (const set of [callers, refused.callers]) if (set.size < many) set.add(caller);
      return { byMany: refused.callers.size >= many && refused.models.size > 1, byManyOnModel: callers.size >= many };
    },
    served(channelId, model) {
      const refused = channels.get(channelId);
      if (refused === undefined) return;
      refused.callers.clear();
      refused.models.delete(model);
      if (refused.models.size === 0) channels.delete(channelId);
    },
    forget: (channelId) => void channels.delete(channelId),
  };
}
