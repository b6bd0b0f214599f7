// Writes the table of `docs/metrics.md` from the catalogue of metrics; with `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { metricSpecs, prometheusName } from '#server/telemetry/catalogue.ts';
import type { MetricSpec } from '#server/telemetry/metric-spec.ts';

const file = path.resolve(import.meta.dirname, '../docs/metrics.md');
const [begin, end] = ['<!-- metrics: written by scripts/write-metrics-doc.ts -->\n', '<!-- end of metrics -->\n'];

const stored = readFileSync(file, 'utf8');
const [head, rest] = stored.split(begin);
const foot = rest?.split(end)[1];
if (head === undefined || foot === undefined) throw new Error(`${file} has no place for the table`);

const header = ['OpenTelemetry', 'Prometheus', 'Kind', 'Labels', 'Meaning'];
const specs: readonly MetricSpec[] = Object.values(metricSpecs);
const rows = specs.map((spec) => [
  `\`${spec.name}\``,
  `\`${prometheusName(spec)}\``,
  spec.kind,
  spec.labels.map((label) => `\`${label}\``).join(', '),
  spec.help,
]);
const table = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
const text = `${head}${begin}\n${table}\n${end}${foot}`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (stored !== text) {
  process.stdout.write('docs/metrics.md does not match the catalogue: run scripts/write-metrics-doc.ts\n');
  process.exit(1);
}
