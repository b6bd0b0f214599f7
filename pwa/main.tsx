import './app/styles.css';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { NoRightError } from './app/guards.ts';
import { startConsole } from './app/start.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const started = await startConsole();
// A task of its own: a slow phone answers between what was set up and what is loaded.
await new Promise((resolve) => setTimeout(resolve));
// What index.html draws stays until the first screen stands.
await started.router.load();
const page = createRoot(root, {
  // A missing right is an answer, not a fault: its screen says all there is.
  onCaughtError: (error) => {
    if (!(error instanceof NoRightError)) reportError(error);
  },
});
// A concurrent render: a slow phone stays responsive during the first screen.
startTransition(() => page.render(<App {...started} />));
