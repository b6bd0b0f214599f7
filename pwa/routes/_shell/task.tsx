import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { kindOfTasks, rememberKind, TaskSearch } from '#pwa/features/tasks/task-address.ts';
import { TasksScreen } from '#pwa/features/tasks/tasks-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/task')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('tasks'),
  component: Tasks,
});

function Tasks() {
  const search = TaskSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return (
    <TasksScreen
      kind={kindOfTasks(search)}
      search={search}
      onSearch={(change) => {
        if (change.kind !== undefined) rememberKind(change.kind);
        void navigate({ search: (old) => ({ ...old, ...change }) });
      }}
    />
  );
}
