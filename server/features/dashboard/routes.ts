import { dashboardApi } from '#shared/dashboard.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { readOperatorTodo } from './read-operator-todo.ts';
import { readFigures } from './read-figures.ts';
import { listHours, listOwnHours } from './list-hours.ts';

export function mountDashboard(host: RouteHost): void {
  mountReading(host, dashboardApi.hours, ({ context, query }) => listHours(context, query));
  mountReading(host, dashboardApi.hoursSelf, (call) => listOwnHours(call.context, call.query, signedIn(call).user));
  mount(host, dashboardApi.operatorTodo, (call) => {
    const { language, untrustedProxy } = call.facts;
    return readOperatorTodo(call.context, { role: signedIn(call).user.role, untrustedProxy, language });
  });
  mountReading(host, dashboardApi.figures, ({ context, query }) => readFigures(context, query));
  mountReading(host, dashboardApi.figuresSelf, (call) => readFigures(call.context, call.query, signedIn(call).user.id));
}
