// What fills the screens that a new browser shows empty: pictures of drawings, and a conversation of the playground.
import { text } from './texts.ts';
import type { Visitor } from './browser.ts';
import type { Tidegate } from './tidegate.ts';

/** Where pictures and audio are: at the upstream, or fetched from there by the server, which no test lets out. */
export const mediaAddress = /^https:\/\/cdn\.example\/|\/(mj|suno)\/image\/|\/pg\/tasks\/\d+\/content/;

/** Stands in for those places. */
export async function drawPictures({ context }: Visitor): Promise<void> {
  await context.route(mediaAddress, (route) => {
    const hue = [...route.request().url()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
    const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="hsl(${hue} 40% 70%)"/><circle cx="${30 + (hue % 40)}" cy="38" r="14" fill="hsl(${hue} 60% 90%)"/><path d="M0 70 Q25 ${50 + (hue % 20)} 50 70 T100 70 V100 H0z" fill="hsl(${(hue + 40) % 360} 45% 40%)"/></svg>`;
    return route.fulfill({ contentType: 'image/svg+xml', body });
  });
}

const parser = [
  'The table lists **high and low water** for Harbour Bar. Two readings per tide, so I keep them in one record:',
  '',
  '```ts',
  "type Tide = { at: string; metres: number; kind: 'high' | 'low' };",
  '',
  'export const parse = (line: string): Tide => {',
  "  const [at, metres, kind] = line.split('\\t');",
  "  return { at, metres: Number(metres), kind: kind === 'high' ? 'high' : 'low' };",
  '};',
  '```',
  '',
  '| Row | What breaks |',
  '| --- | --- |',
  '| 3 | the height ends in a stray `m` |',
  '| 17 | the time has no zone |',
  '',
  '1. Strip the letter before `Number`.',
  '2. Read times in the zone of the harbour.',
].join('\n');

/** A question to the playground and its answer: reasoning, prose, code, a table, and what it cost. */
export async function askPlayground({ page }: Visitor, { upstream }: Tidegate, language: 'zh' | 'en'): Promise<void> {
  upstream.behave({ pieces: parser.match(/[\s\S]{1,24}/g) ?? [], reasoning: 'Columns: time, height, kind.' }, { times: 1 });
  await page.goto('/playground');
  const label = text('playground.ask.label', {}, language);
  await page.getByRole('textbox', { name: label }).fill('Write a parser for this tide table. 哪些行会出错？');
  await page.getByRole('button', { name: text('playground.ask.send', {}, language), exact: true }).click();
  await page
    .getByRole('article')
    .last()
    .getByRole('link', { name: text('playground.answer.receipt', {}, language) })
    .waitFor();
}
