// Fields of OpenAI's formats that say what is so anyway: nobody misses them.
const defaults: ReadonlyMap<string, unknown> = new Map([
  ['temperature', 1],
  ['top_p', 1],
  ['presence_penalty', 0],
  ['frequency_penalty', 0],
]);

export function saysNothing(field: string, value: unknown): boolean {
  return value === null || value === undefined || defaults.get(field) === value;
}
