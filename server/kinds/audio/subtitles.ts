// Writes a transcript with timestamps as subtitles. https://www.w3.org/TR/webvtt1/,
// https://en.wikipedia.org/wiki/SubRip
import { isObject } from '#server/framing/loose-json.ts';

interface Segment {
  start: number;
  end: number;
  text: string;
}

/** Returns null if the transcript has no list of segments. */
export function segmentsOf({ segments }: Readonly<Record<string, unknown>>): Segment[] | null {
  if (!Array.isArray(segments)) return null;
  return segments.flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    const { start, end, text } = item;
    return typeof start === 'number' && typeof end === 'number' && typeof text === 'string' ? [{ start, end, text }] : [];
  });
}

export function asSrt(segments: readonly Segment[]): string {
  return segments.map((segment, index) => `${index + 1}\n${cue(segment, ',', true)}\n`).join('');
}

export function asVtt(segments: readonly Segment[]): string {
  return `WEBVTT\n\n${segments.map((segment) => `${cue(segment, '.', false)}\n`).join('')}`;
}

function cue({ start, end, text }: Segment, mark: string, withHours: boolean): string {
  const time = (seconds: number) => timeText(seconds, mark, withHours);
  // An arrow or an empty line would end the cue.
  const words = text
    .trim()
    .replaceAll('-->', '->')
    .replace(/\n\s*\n/g, '\n');
  return `${time(start)} --> ${time(end)}\n${words}\n`;
}

function timeText(seconds: number, mark: string, withHours: boolean): string {
  const all = Math.max(0, Math.round(seconds * 1000));
  const [milliseconds, rest] = [all % 1000, Math.floor(all / 1000)];
  const [second, minute, hour] = [rest % 60, Math.floor(rest / 60) % 60, Math.floor(rest / 3600)];
  const two = (number: number) => String(number).padStart(2, '0');
  const hours = withHours || hour > 0 ? `${two(hour)}:` : '';
  return `${hours}${two(minute)}:${two(second)}${mark}${String(milliseconds).padStart(3, '0')}`;
}
