// Admits playground calls, which have no key, by the console session. The user's balance pays.
import { AppError } from '#shared/errors.ts';
import { endpoint } from '#shared/contract.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { Connection } from '#server/http/connection.ts';
import { limitCaller } from '#server/http/rate-limit.ts';
import { createFactReader } from '#server/http/request-facts.ts';
import { identify } from '#server/http/session.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { groupNow, isSameGroup } from '#server/settings/group-moves.ts';
import { isAutoGroup, usableGroups } from '#server/settings/usable-groups.ts';
import { type Admission, sessionAdmission } from './admission.ts';
import type { Progress } from './admit-call.ts';

export interface SessionGate {
  /**
   * Admits by the session, whose user is read for every call. Requires the header with the user's id, which other sites cannot
   * send.
   * @throws {AppError} as console calls; `access_token_not_supported`
   */
  admit(call: { request: Request; connection: Connection | null; progress: Progress }): Promise<Admission>;
  /**
   * Returns the admission in the group that the call names, if any.
   * @throws {AppError} `group_not_allowed`, `group_deprecated`
   */
  inGroup(admission: Admission, ours: RelayBody): Admission;
}

const asUser = endpoint('POST', '/pg/chat/completions', { access: 'user', audit: { exempt: 'reads' } });

export function createSessionGate(context: AppContext): SessionGate {
  const readFacts = createFactReader(context);
  const { settings } = context;
  return {
    async admit({ request, connection, progress }) {
      const facts = readFacts(request, connection);
      const caller = await identify(context, facts, asUser).catch(async (failure: unknown) => {
        await limitCaller(context, facts, undefined);
        throw failure;
      });
      if (caller === null) throw new AppError('not_logged_in');
      const admission = sessionAdmission(caller.user);
      progress.caller = admission;
      if (caller.sessionId === null) throw new AppError('access_token_not_supported');
      if (caller.setCookie !== undefined) connection?.res.setHeader('set-cookie', caller.setCookie);
      return admission;
    },
    inGroup(admission, { group }) {
      const { user } = admission;
      if (group === undefined || group === null || group === '' || group === user.group) return admission;
      if (typeof group !== 'string') throw badField('group', fieldRules.text);
      if (isSameGroup(settings, group, user.group)) return admission;
      // Browsers store the chosen group, which may have been renamed. The old name applies until all channels have the new one.
      const name = settings.groupMoves.running?.step === 'channels' ? group : groupNow(settings, group);
      const isUsable = Object.hasOwn(usableGroups(settings, user.group), name);
      // A renamed group that the user may not choose is ignored, as for keys.
      if (!isUsable && name !== group) return admission;
      if (!isUsable) throw new AppError('group_not_allowed', {}, { field: 'group' });
      if (!Object.hasOwn(settings.get('GroupRatio'), name) && !isAutoGroup(settings, name))
        throw new AppError('group_deprecated', { group: name });
      return sessionAdmission(user, name);
    },
  };
}
