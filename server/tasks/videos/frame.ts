// Video sizes as named by providers: by the shorter side, and by the aspect ratio.

interface Size {
  width: number;
  height: number;
}

const ratios: readonly (readonly [name: string, value: number])[] = [
  ['16:9', 16 / 9],
  ['9:16', 9 / 16],
  ['1:1', 1],
  ['4:3', 4 / 3],
  ['3:4', 3 / 4],
  ['21:9', 21 / 9],
];

/** Nearest named ratio: sizes are multiples of blocks, and rarely match a ratio exactly. */
export function ratioOf({ width, height }: Size, among?: readonly string[]): string {
  const requested = Math.log(width / height);
  const known = among === undefined ? ratios : ratios.filter(([name]) => among.includes(name));
  const [nearest] = known.toSorted(([, one], [, other]) => Math.abs(Math.log(one) - requested) - Math.abs(Math.log(other) - requested));
  return nearest?.[0] ?? '16:9';
}

/** `720p`. */
export function resolutionOf({ width, height }: Size): string {
  return `${Math.min(width, height)}p`;
}

/** Converts `1080p` and `16:9` to a size of even numbers; undefined if unknown. */
export function sizeNamed(resolution: string, ratio: string): Size | undefined {
  const [, lines] = /^(\d{3,4})p$/i.exec(resolution === '4k' || resolution === '4K' ? '2160p' : resolution) ?? [];
  const [, across, down] = /^(\d{1,2}):(\d{1,2})$/.exec(ratio) ?? [];
  const [short, wide, tall] = [Number(lines), Number(across), Number(down)];
  if (!(short > 0 && wide > 0 && tall > 0)) return undefined;
  const even = (length: number) => Math.round(length / 2) * 2;
  return wide >= tall
    ? { width: even((short * wide) / tall), height: even(short) }
    : { width: even(short), height: even((short * tall) / wide) };
}
