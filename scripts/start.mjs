// `npm start`: installs what is missing, builds the console, serves everything on one port.
import { become, buildConsole, installMissing, tool } from './prepare.mjs';

installMissing();
buildConsole();
become(tool('node'), ['server/main.ts']);
