// Names, ports, times and variables in the files for Kubernetes, systemd and Docker are those of the server.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { environmentNames, readEnv } from '#server/env.ts';
import { settleSeconds } from '#server/process/shutdown-bounds.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** Read by Node itself. */
const foreignNames: ReadonlySet<string> = new Set(['NODE_ENV']);

function expectKnown(names: readonly string[]): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !environmentNames.includes(name) && !foreignNames.has(name))).toEqual([]);
}

const Labels = z.record(z.string(), z.string());
const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().optional(),
  failureThreshold: z.number().optional(),
});
const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  ports: z.tuple([z.strictObject({ name: z.string(), containerPort: z.number() })]),
  envFrom: z.tuple([z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })]),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  lifecycle: z.strictObject({ preStop: z.strictObject({ exec: z.strictObject({ command: z.tuple([z.literal('sleep'), z.string()]) }) }) }),
  startupProbe: Probe,
  readinessProbe: Probe,
  livenessProbe: Probe,
  resources: z.strictObject({ requests: Labels, limits: Labels }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.array(z.string()) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
});
const Metadata = z.strictObject({ name: z.string(), labels: Labels.optional(), annotations: Labels.optional() });
const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata: Metadata,
  spec: z.strictObject({
    replicas: z.number().min(2),
    selector: z.strictObject({ matchLabels: Labels }),
    strategy: z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxSurge: z.literal(1), maxUnavailable: z.literal(0) }),
    }),
    template: z.strictObject({
      metadata: z.strictObject({ labels: Labels }),
      spec: z.strictObject({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
        topologySpreadConstraints: z.array(z.looseObject({ labelSelector: z.strictObject({ matchLabels: Labels }) })),
        containers: z.tuple([Container]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const Service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: Metadata,
  spec: z.strictObject({
    selector: Labels,
    ports: z.tuple([z.strictObject({ name: z.string(), port: z.number(), targetPort: z.string() })]),
  }),
});
const Budget = z.strictObject({
  apiVersion: z.literal('policy/v1'),
  kind: z.literal('PodDisruptionBudget'),
  metadata: Metadata,
  spec: z.strictObject({ minAvailable: z.literal(1), selector: z.strictObject({ matchLabels: Labels }) }),
});
const Backend = z.strictObject({ service: z.strictObject({ name: z.string(), port: z.strictObject({ name: z.string() }) }) });
const Ingress = z.strictObject({
  apiVersion: z.literal('networking.k8s.io/v1'),
  kind: z.literal('Ingress'),
  metadata: Metadata,
  spec: z.strictObject({
    ingressClassName: z.string(),
    tls: z.array(z.strictObject({ hosts: z.array(z.string()), secretName: z.string() })),
    rules: z.tuple([
      z.strictObject({
        host: z.string(),
        http: z.strictObject({
          paths: z.tuple([z.strictObject({ path: z.literal('/'), pathType: z.literal('Prefix'), backend: Backend })]),
        }),
      }),
    ]),
  }),
});

describe('Kubernetes', () => {
  const [deployment, service, budget, ingress] = z
    .tuple([Deployment, Service, Budget, Ingress])
    .parse(loadAll(read('deploy/kubernetes/tidegate.yaml')));
  const { template, selector } = deployment.spec;
  const [container] = template.spec.containers;
  const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

  test('labels, names and ports refer to each other', () => {
    for (const labels of [selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels])
      expect(labels).toEqual(template.metadata.labels);
    const [port] = service.spec.ports;
    const [mapped] = container.ports;
    expect([port.targetPort, mapped.containerPort]).toEqual([mapped.name, readEnv({}).PORT]);
    const [rule] = ingress.spec.rules;
    expect(rule.http.paths[0].backend.service).toEqual({ name: service.metadata.name, port: { name: port.name } });
    expect(ingress.spec.tls[0]?.hosts).toEqual([rule.host]);
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(template.spec.volumes.map(({ name }) => name));
  });

  test('the server takes the variables, and gets the time that its shutdown takes', () => {
    expectKnown(container.env.map(({ name }) => name));
    const env = readEnv(variables);
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(pause + env.SHUTDOWN_GRACE + settleSeconds);
    expect(env.SPOOL_DIR?.startsWith(container.volumeMounts[0]?.mountPath ?? 'none')).toBe(true);
    const timeouts = Object.entries(ingress.metadata.annotations ?? {}).filter(([name]) => name.endsWith('-timeout'));
    for (const [, seconds] of timeouts) expect(Number(seconds)).toBeGreaterThan(env.RELAY_TIMEOUT);
  });

  test('a missing database takes pods out of service, and does not restart them', () => {
    for (const probe of [container.startupProbe, container.readinessProbe])
      expect(probe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
  });
});

test('systemd: variables are those of the server, reload restarts workers, and a stop has its time', () => {
  const unit = read('deploy/systemd/tidegate.service');
  const variables = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);
  expectKnown(variables.map(([name]) => name));
  const env = readEnv(Object.fromEntries(variables));
  expect(env.WORKERS).toBeGreaterThan(1);
  expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(env.SHUTDOWN_GRACE + settleSeconds);
  // Workers are ended by the main process.
  expect(unit).toMatch(/^KillMode=mixed$/m);
});

test('Docker: variables are those of the server, and the proxy of the compose file is trusted', () => {
  const ComposeFile = z.object({
    services: z.object({
      tidegate: z.object({ environment: Labels }),
      proxy: z.object({
        environment: Labels,
        volumes: z.array(z.string()),
        networks: z.object({ default: z.object({ ipv4_address: z.string() }) }),
      }),
    }),
  });
  const { tidegate, proxy } = ComposeFile.parse(load(read('compose.yaml'))).services;
  expectKnown(Object.keys(tidegate.environment));
  expect(tidegate.environment['TRUSTED_PROXIES']).toContain(proxy.networks.default.ipv4_address);
  expect(existsSync(path.join(root, proxy.volumes[0]?.split(':')[0] ?? ''))).toBe(true);
  expect(proxy.environment['TIDEGATE']).toBe(`tidegate:${readEnv({}).PORT}`);
  for (const name of ['SITE', 'TIDEGATE']) expect(read('deploy/caddy/Caddyfile')).toContain(`{$${name}:`);
  const set = [...read('Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=')[0] ?? ''),
  );
  expectKnown(set);
});
