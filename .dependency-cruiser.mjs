// Who may import whom: the columns of docs/architecture.md as rules. `npm run check` enforces them.
// Imports of types only are free where a rule says so: they leave no trace at run time.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Visitor } from '@swc/core/Visitor.js';

// swc's visitor does not support `using` declarations yet and stops at one.
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function visitAnyStatement(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  return { ...statement, decls: this.visitVariableDeclarators(statement.decls) };
};

const slices = readdirSync(path.join(import.meta.dirname, 'server/slices')).map((name) => `slices/${name}`);

/** Server folders from the bottom up: a folder may use what stands before it in this list, never what comes after. */
const serverLayers = [
  // Who comes next, what a process is, where connections come from, whose clock is believed, how bytes become events and JSON,
  // what models are: they know nothing of Tidegate.
  ['queues', 'process', 'network', 'clock', 'framing', 'model-facts'],
  ['db'],
  // Who changed what; wraps the database.
  ['audit-log'],
  // What is measured and exported.
  ['telemetry'],
  ['secrets'],
  ['http'],
  // What is said over one connection in both directions.
  ['sockets'],
  ['settings'],
  // Calls to addresses that users give.
  ['egress'],
  ['money'],
  ['notify'],
  // What a vendor's SDKs expect at every path.
  ['surfaces'],
  ['formats'],
  ['kinds'],
  ['exchange', 'providers'],
  // What several slices do to one kind of record.
  ['logs'],
  ['tokens'],
  ['tasks'],
  ['accounts'],
  // What callers may request in a time.
  ['rate-limits'],
  // Which budgets calls are charged to, and their periods.
  ['budgets'],
  // Copies of whole databases: moves, backups, restores.
  ['transfer'],
  ['features'],
  ['call'],
  // What callers store, and what providers work on for longer than a call.
  ['objects'],
  ['work'],
  // Features, which never import each other. server/call-stages.ts lists those that are stages of calls.
  slices,
  ['jobs'],
];

/** Console folders, likewise. */
const consoleLayers = [['i18n', 'ui'], ['api'], ['offline'], ['records'], ['features'], ['app'], ['routes']];

/** Every folder of a side with all folders above it. */
function columnRules(side, layers) {
  return layers.slice(0, -1).map((layer, index) => ({
    name: `${side}-column-${layer.join('-')}`,
    comment:
      `${layer.map((folder) => `${side}/${folder}`).join(' and ')} may not use what is built on top of it. ` +
      'Move the shared part down into a folder that both may use, or hand it over as an argument from above.',
    severity: 'error',
    from: { path: `^${side}/(${layer.join('|')})/`, pathNot: testFiles },
    to: {
      path: `^${side}/(${layers
        .slice(index + 1)
        .flat()
        .join('|')})/`,
    },
  }));
}

/** A library that only some files may know. */
function oneDoor(library, door, instead) {
  return {
    name: `one-door-${library.replace(/^node:/, '')}`,
    comment: instead,
    severity: 'error',
    from: { path: '^(server|pwa|shared)/', pathNot: [door, ...testFiles] },
    to: { path: `(^|node_modules/)${library}(/|$)`, dependencyTypesNot: ['type-only'] },
  };
}

const testFiles = ['[.]test[.]tsx?$'];

/** Where a process, a worker thread or a browser begins to read. */
const entryPoints = [
  '^server/(main|audit|check-health|move|backup|restore|import|import-process|apply)[.]ts$',
  '^server/.*-worker[.]ts$',
  '^pwa/(main[.]tsx|service-worker[.]ts|manifest[.]ts)$',
  '^vite[.]config[.]ts$',
  '^scripts/write-translation-doc[.]ts$',
];

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one idea in two places: move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unused-files',
      comment: 'Nothing that runs reaches this file: import it where it is needed, or delete it.',
      severity: 'error',
      from: { path: entryPoints },
      to: { path: '^(server|pwa|shared)/', pathNot: ['[.](test|d)[.]tsx?$', ...entryPoints], reachable: false },
    },
    {
      name: 'not-found',
      comment: 'This import leads nowhere: correct the path, or add the package to package.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^virtual:'] },
    },
    {
      name: 'shared-is-pure',
      comment: 'shared/ runs in Node, in the browser and in tests: it may use neither side, no Node module and no package but zod.',
      severity: 'error',
      from: { path: '^shared/', pathNot: testFiles },
      to: { pathNot: ['^shared/', 'node_modules/zod/'] },
    },
    {
      name: 'mini-zod',
      comment: 'The console pays for every method of `zod`, used or not: schemas of shared/ and pwa/ are made with `zod/mini`.',
      severity: 'error',
      from: { path: '^(shared|pwa)/', pathNot: testFiles },
      to: { path: 'node_modules/zod/index[.]' },
    },
    {
      name: 'server-not-pwa',
      comment: 'The server does not know the console. What both need belongs into shared/.',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^pwa/' },
    },
    {
      name: 'pwa-not-server',
      comment: 'The console knows the server by its contracts only: put the type or formula into shared/.',
      severity: 'error',
      from: { path: '^pwa/' },
      to: { path: '^server/' },
    },
    {
      name: 'pwa-not-node',
      comment: 'There is no Node in a browser: use the web API of the same kind.',
      severity: 'error',
      from: { path: '^pwa/', pathNot: testFiles },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'not-to-tests',
      comment: 'What runs in production may not need test code: move the part that both use out of tests/.',
      severity: 'error',
      from: { path: '^(server|pwa|shared)/', pathNot: testFiles },
      to: { path: ['^tests/', '[.]test[.]tsx?$'] },
    },
    {
      name: 'server-packages-are-dependencies',
      comment: 'A server installed without development packages would not start: move the package to `dependencies`.',
      severity: 'error',
      from: { path: '^(server|shared)/', pathNot: testFiles },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'server-ground-rooms-are-apart',
      comment: 'What stands at the bottom of the server stands on nothing of it: hand over what is missing as an argument.',
      severity: 'error',
      from: { path: `^server/(${serverLayers[0].join('|')})/`, pathNot: testFiles },
      to: { path: '^server/', pathNot: '^server/$1/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'server-relay-without-features',
      comment: 'Calls to the API know no slice of the console: what both need goes into a folder below both.',
      severity: 'error',
      from: { path: '^server/call/', pathNot: testFiles },
      to: { path: '^server/features/' },
    },
    {
      name: 'server-slices-are-apart',
      comment:
        'A slice may not use another one. What several need goes into server/objects, work or call, or server/call-stages.ts and app.ts hand ' +
        'it over.',
      severity: 'error',
      from: { path: '^server/slices/([^/]+)/', pathNot: testFiles },
      to: { path: '^server/slices/', pathNot: '^server/slices/$1/' },
    },
    {
      name: 'server-features-are-apart',
      comment:
        'A feature may not use another one. What several need goes into server/accounts, tokens or logs (by the record it is about), ' +
        'or app.ts hands it over when it mounts the feature.',
      severity: 'error',
      from: { path: '^server/features/([^/]+)/' },
      to: { path: '^server/features/([^/]+)/', pathNot: '^server/features/$1/' },
    },
    {
      name: 'formats-are-apart',
      comment:
        'A format may not use another one: what both need belongs into server/formats itself (parts.ts is what they have in common).',
      severity: 'error',
      from: { path: '^server/formats/([^/]+)/', pathNot: testFiles },
      to: { path: '^server/formats/([^/]+)/', pathNot: '^server/formats/$1/' },
    },
    {
      name: 'one-door-dialects',
      comment:
        'Only server/formats/registry.ts knows the formats. Ask the dialect object for what differs; a new difference is a new member of ' +
        '`ClientDialect` or `UpstreamDialect`.',
      severity: 'error',
      from: { path: '^(server|scripts)/', pathNot: ['^server/formats/registry[.]ts$', '^server/formats/[^/]+/', ...testFiles] },
      to: { path: '^server/formats/[^/]+/' },
    },
    {
      name: 'pwa-features-are-apart',
      comment: 'A feature may not use another one: share through pwa/ui or pwa/api, or let the route put both together.',
      severity: 'error',
      from: { path: '^pwa/features/([^/]+)/' },
      to: { path: '^pwa/features/([^/]+)/', pathNot: '^pwa/features/$1/' },
    },
    {
      name: 'context-is-a-seam',
      comment: 'server/context.ts only names types: import it with `import type`.',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^server/context[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'server-top',
      comment:
        'app.ts, create-context.ts, serve.ts and the entry points put the parts together; no part may use them. Take what you need from the context.',
      severity: 'error',
      from: { path: '^server/', pathNot: ['^server/(app|serve|main|audit|check-health|import|import-process|apply)[.]ts$', ...testFiles] },
      to: { path: '^server/(app|create-context|serve|main|audit|import|apply)[.]ts$' },
    },
    {
      name: 'server-ground',
      comment: 'The environment is read before anything else runs: it stands on how addresses are read, and nothing else.',
      severity: 'error',
      from: { path: '^server/env[.]ts$' },
      to: { path: '^server/', pathNot: ['^server/network/addresses[.]ts$'] },
    },
    {
      name: 'server-secrets-ground',
      comment:
        'Keys at rest stand on the database, on where they come from and on a leaf that frees memory; what uses them hands them over as arguments.',
      severity: 'error',
      from: { path: '^server/secrets/', pathNot: testFiles },
      to: { path: '^server/', pathNot: ['^server/(db|secrets)/', '^server/env[.]ts$', '^server/framing/free-bytes[.]ts$'] },
    },
    {
      name: 'pwa-shell-without-screens',
      comment: 'Screens load when they are opened: let a file in pwa/routes import the feature, never the shell.',
      severity: 'error',
      from: { path: '^pwa/(app|main|service-worker)' },
      to: { path: '^pwa/(features|routes)/' },
    },
    ...columnRules('server', serverLayers),
    ...columnRules('pwa', consoleLayers),
    oneDoor('mongodb', '^server/db/(rows/)?mongo[^/]*[.]ts$', 'Use `Collection<T>` (server/db/collection.ts): it works on both engines.'),
    oneDoor(
      'node:sqlite',
      '^server/(db/(rows/)?embedded[^/]*|slices/imports/sources/sqlite-source)[.]ts$',
      'Use `Collection<T>` (server/db/collection.ts): it works on both engines.',
    ),
    oneDoor('mysql2', '^server/slices/imports/sources/mysql-source[.]ts$', 'Only sources of imports are on MySQL.'),
    oneDoor('pg', '^server/slices/imports/sources/postgres-source[.]ts$', 'Only sources of imports are on PostgreSQL.'),
    oneDoor(
      'undici',
      '^server/exchange/(send|dispatchers)[.]ts$',
      'Call upstreams through server/exchange/send.ts: it keeps pools, deadlines and bodies in order.',
    ),
    oneDoor(
      'gpt-tokenizer',
      '^server/exchange/token-worker[.]ts$',
      'Count through server/exchange/token-estimate.ts: counting can hold up the event loop.',
    ),
    oneDoor(
      'bcryptjs',
      '^server/accounts/bcrypt-worker[.]ts$',
      'Compare through server/accounts/imported-passwords.ts: a comparison holds up the event loop.',
    ),
    oneDoor(
      'ws',
      '^server/sockets/(socket-server|upstream-socket)[.]ts$',
      'Sockets of clients are `MessageSocket`, those to providers `UpstreamSocket` (server/sockets/): bounded and kept alive.',
    ),
    oneDoor(
      '@opentelemetry/[^/]+',
      '^server/telemetry/otel-[^/]+[.]ts$',
      'Measure through server/telemetry/registry.ts and traces.ts: the SDK is loaded only if something is exported.',
    ),
    oneDoor('nodemailer', '^server/notify/mail[.]ts$', 'Send mails through `context.mail`.'),
    oneDoor('idb', '^pwa/offline/', 'Use pwa/offline/database.ts and what stands on it.'),
    oneDoor('workbox-[^/]+', '^pwa/(offline/|service-worker[.]ts$)', 'Only pwa/offline and the service worker know Workbox.'),
  ],
  options: {
    // TypeScript 7 has no parser that tools can call; swc reads the same files.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // The packages of tests/sdks are installed by the tests that need them.
    exclude: { path: ['[.](css|json|svg|png)$', '^tests/sdks/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'browser', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
