// Browsers with a session of the user. Separate from the sign-in, which needs none of it.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** A browser that is signed in. */
export const Session = z.object({
  id: z.string(),
  /** Seconds since 1970. */
  created_at: z.int(),
  seen_at: z.int(),
  ip: z.string(),
  user_agent: z.string(),
  /** Session of this request. */
  is_current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

export const sessionsApi = {
  list: endpoint('GET', '/api/user/sessions', { access: 'user', reply: z.array(Session), summary: 'Own sessions, the newest first' }),
  end: endpoint('DELETE', '/api/user/sessions/:session', {
    access: 'user',
    audit: { exempt: 'own_session' },
    params: z.object({ session: z.string().check(z.maxLength(100)) }),
    summary: 'End one of the own sessions',
  }),
  /** Answers how many there were. */
  endOthers: endpoint('DELETE', '/api/user/sessions', {
    access: 'user',
    audit: { exempt: 'own_session' },
    reply: z.int(),
    summary: 'End all own sessions but the one that asks',
  }),
};
