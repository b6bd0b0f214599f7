// Reads the Prometheus format.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export function readMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i.exec(line);
    if (match === null) return [];
    const [, name = '', labels = '', value = ''] = match;
    return [
      {
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, quoted]) => [key, quoted])),
        value: Number(value),
      },
    ];
  });
}

/** Returns the sum of the samples with that name and those labels. */
export function sumOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
