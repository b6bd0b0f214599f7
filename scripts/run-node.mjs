// `node scripts/run-node.mjs FILE [arguments]`: runs a TypeScript file on the pinned Node, dependencies installed.
import { become, installMissing, tool } from './prepare.mjs';

installMissing();
become(tool('node'), process.argv.slice(2));
