import './app/zod-without-eval.ts';
import './app/styles.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startConsole } from './app/start.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const started = await startConsole();
createRoot(root).render(<App {...started} />);
