// The logs behind a figure.
import type { DashboardQuestion } from './dashboard-question.ts';
import type { NamedSums } from '#shared/dashboard.ts';

export type LogLink = {
  range: 'custom';
  from: number;
  to: number;
  type: number;
  result?: 'failed';
  model?: string;
  token?: string;
  channel?: number;
  user?: string;
};

interface Time {
  start: number;
  end: number;
}

/** Calls of a period, and only of the selected user. */
export function logLink(question: DashboardQuestion, { start, end }: Time, options: { isFailed?: boolean } = {}): LogLink {
  return {
    range: 'custom',
    from: start,
    to: end - 1,
    type: 2,
    user: question.user,
    ...(options.isFailed === true ? { result: 'failed' as const } : {}),
  };
}

/** Those of one model, token, channel or user. */
export function namedLogLink(question: DashboardQuestion, time: Time, { name, label, token }: NamedSums): LogLink {
  const link = logLink(question, time);
  switch (question.by) {
    case 'model':
      return { ...link, model: `"${name}"` };
    case 'channel':
      return { ...link, channel: Number(name) };
    case 'user':
      return { ...link, user: label };
    case 'token':
      if (token === undefined) return link;
      return { ...link, token: token.name, user: token.username ?? link.user };
  }
}
