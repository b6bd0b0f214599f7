// Metrics of several workers on a port of their own, which Prometheus scrapes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { readMetrics } from '#tests/support/metrics-text.ts';
import { hasPrometheus, promtool, startPrometheus } from '#tests/support/prometheus.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const token = 'the-token-of-the-metrics';

describe('metrics of workers', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-metrics-'));
  let server: ServerProcess;
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
    server = await startServer({
      DATABASE_URL: `file:${path.join(folder, 'test.db')}`,
      WORKERS: '2',
      METRICS_PORT: String(port),
      METRICS_TOKEN: token,
    });
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const scrape = async (origin: string) => {
    const response = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return response.text();
  };
  /** Numbers of the workers that have the metric. */
  const workersWith = async (name: string, origin = `http://127.0.0.1:${port}`) =>
    readMetrics(await scrape(origin))
      .filter((sample) => sample.name === name)
      .map(({ labels }) => Number(labels['tidegate_worker']))
      .toSorted((a, b) => a - b);

  it('one scrape has the series of all, on either port', async () => {
    await until(async () => (await workersWith('process_uptime_seconds')).length === 2);
    expect(await workersWith('process_uptime_seconds')).toEqual([1, 2]);
    expect(await workersWith('tidegate_change_feed_lag_seconds', server.origin)).toEqual([1, 2]);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  });

  it('a frozen worker is reported and delays nobody for long, and a new one gets the number of a dead one', async () => {
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ').map(Number);
    const [frozen = 0] = children;
    process.kill(frozen, 'SIGSTOP');
    const up = readMetrics(await scrape(`http://127.0.0.1:${port}`)).filter(({ name }) => name === 'tidegate_worker_up');
    expect(up.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual([0, 1]);
    process.kill(frozen, 'SIGKILL');
    await until(async () => {
      const present = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ').map(Number);
      return present.length === 2 && !present.includes(frozen) && (await workersWith('process_uptime_seconds')).length === 2;
    });
    expect(await workersWith('tidegate_worker_up')).toEqual([1, 2]);
  });

  it.skipIf(!hasPrometheus)('Prometheus scrapes them, and takes the files of deploy/', async () => {
    const deploy = path.resolve(import.meta.dirname, '../../deploy');
    promtool(['check', 'rules', path.join(deploy, 'prometheus-rules.yml')]);
    promtool(['check', 'config', path.join(deploy, 'prometheus.yml')]);
    expect(promtool(['check', 'metrics'], await scrape(`http://127.0.0.1:${port}`))).toBe('');
    const config = path.join(folder, 'prometheus.yml');
    const tokenFile = path.join(folder, 'token');
    writeFileSync(tokenFile, token);
    writeFileSync(
      config,
      readFileSync(path.join(deploy, 'prometheus.yml'), 'utf8')
        .replace('scrape_interval: 15s', 'scrape_interval: 1s')
        .replace('prometheus-rules.yml', path.join(deploy, 'prometheus-rules.yml'))
        .replace(/# authorization: .*/, `authorization: { credentials_file: ${tokenFile} }`)
        .replace('127.0.0.1:9464', `127.0.0.1:${port}`),
    );
    await using prometheus = startPrometheus(folder, config, await freePort());
    await until(async () => (await prometheus.query('count(tidegate_worker_up{job="tidegate"} == 1)'))[0] === 2);
    expect(await prometheus.query('up{job="tidegate"}')).toEqual([1]);
  });
});
