// The dashboard and the alert rules of `deploy/` use metrics and labels that exist, and the rules fire when they should.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricSpecs, prometheusName } from '#server/telemetry/catalogue.ts';
import type { MetricSpec } from '#server/telemetry/metric-spec.ts';
import { hasPrometheus, promtool } from '#tests/support/prometheus.ts';

const deploy = path.resolve(import.meta.dirname, '../../deploy');
const rules = readFileSync(path.join(deploy, 'prometheus-rules.yml'), 'utf8');
const dashboard: { panels: { id: number; targets?: { expr: string; legendFormat: string }[] }[] } = JSON.parse(
  readFileSync(path.join(deploy, 'grafana-dashboard.json'), 'utf8'),
);
const specs: readonly MetricSpec[] = Object.values(metricSpecs);
const metricNames = new Set(
  specs.flatMap((spec) => {
    const name = prometheusName(spec);
    return spec.kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
  }),
);
const labelNames = new Set(specs.flatMap(({ labels }) => labels.map((label) => label.replaceAll('.', '_'))));

/** Names that only the catalogue can explain. */
const namesIn = (text: string) => text.match(/\b(?:tidegate|gen_ai|db|nodejs|v8js|process|error)_[a-z0-9_]+/g) ?? [];
const unknownIn = (text: string) => namesIn(text).filter((name) => !metricNames.has(name) && !labelNames.has(name));

describe('files of deploy/', () => {
  it('use metrics and labels of the catalogue', () => {
    const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
    expect(namesIn(rules).length).toBeGreaterThan(0);
    expect(unknownIn(rules)).toEqual([]);
    expect(targets.flatMap(({ expr, legendFormat }) => [...unknownIn(expr), ...unknownIn(legendFormat)])).toEqual([]);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('every alert is in docs/metrics.md', () => {
    const doc = readFileSync(path.join(deploy, '../docs/metrics.md'), 'utf8');
    expect([...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name).filter((name) => !doc.includes(`\`${name}\``))).toEqual([]);
  });

  it.skipIf(!hasPrometheus)('promtool reads every expression of the dashboard', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-panels-'));
    const expressions = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
    );
    const recorded = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
    try {
      const file = path.join(folder, 'panels.yml');
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }));
      expect(promtool(['check', 'rules', file])).toContain(`${recorded.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!hasPrometheus)('alerts of keys and of work fire', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-rules-'));
    const series = (name: string, labels: object, values: string) => ({
      series: `${name}{job="tidegate",${Object.entries(labels)
        .map(([label, value]) => `${label}="${value}"`)
        .join(',')}}`,
      values,
    });
    const keys = (channel: number, state: string, count: number) =>
      series('tidegate_channel_keys', { tidegate_channel_id: channel, tidegate_key_state: state }, `${count}x40`);
    const attempts = (key: number, outcome: string, values: string) =>
      series('tidegate_key_attempts_total', { tidegate_channel_id: 1, tidegate_key_id: key, tidegate_attempt_outcome: outcome }, values);
    const ended = (kind: string, outcome: string, values: string) =>
      series('tidegate_work_ended_total', { tidegate_work_kind: kind, tidegate_work_outcome: outcome }, values);
    const oldest = (kind: string, age: number) => series('tidegate_work_oldest_age_seconds', { tidegate_work_kind: kind }, `${age}x40`);
    const fires = (alertname: string, ...labels: object[]) => ({
      alertname,
      eval_time: '30m',
      exp_alerts: labels.map((exp_labels) => ({
        exp_labels: { severity: 'warning', job: 'tidegate', ...exp_labels },
        exp_annotations: {},
      })),
    });
    try {
      // Without annotations, so that the test names no sentence twice.
      writeFileSync(path.join(folder, 'rules.yml'), rules.replaceAll(/^ {8}annotations:\n(?: {10}.*\n?)+/gm, ''));
      const test = {
        rule_files: ['rules.yml'],
        tests: [
          {
            interval: '1m',
            input_series: [
              keys(1, 'healthy', 1),
              keys(1, 'refused', 1),
              keys(1, 'disabled', 5),
              keys(2, 'healthy', 2),
              keys(2, 'no_balance', 1),
              attempts(7, 'failed', '0+6x40'),
              attempts(7, 'answered', '0+1x40'),
              attempts(8, 'failed', '0+1x40'),
              attempts(8, 'answered', '0+6x40'),
              ended('video', 'failed', '0+1x40'),
              ended('music', 'finished', '0+1x40'),
              oldest('music', 3_600),
              oldest('drawing', 30_000),
              oldest('batch', 80_000),
            ],
            alert_rule_test: [
              fires('TidegateChannelKeysLost', { tidegate_channel_id: '1' }),
              fires('TidegateKeyFails', { tidegate_channel_id: '1', tidegate_key_id: '7' }),
              fires('TidegateWorkFails', { tidegate_work_kind: 'video' }),
              fires('TidegateWorkUnfinished', { tidegate_work_kind: 'drawing' }),
            ],
          },
        ],
      };
      // JSON is YAML.
      const file = path.join(folder, 'test.yml');
      writeFileSync(file, JSON.stringify(test));
      expect(promtool(['test', 'rules', file])).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
