// `npm run dev`: the server, restarted on changes, and the console with hot reload on port 5173.
import { spawn } from 'node:child_process';
import { installMissing, root, tool, toolEnvironment } from './prepare.mjs';

installMissing();
const options = { cwd: root, stdio: 'inherit', env: toolEnvironment() };
const children = [spawn(tool('node'), ['--watch', 'server/main.ts'], options), spawn(tool('vite'), [], options)];
for (const child of children) {
  child.on('exit', (code) => {
    for (const other of children) other.kill();
    process.exitCode = code ?? 0;
  });
}
process.on('SIGINT', () => {});
process.on('SIGTERM', () => children.forEach((child) => child.kill()));
