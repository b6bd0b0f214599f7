// The page that shows the pictures: a row for each screen, its looks and states side by side.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Picture {
  screen: string;
  state: string;
  look: string;
  file: string;
}

export function fileOf({ screen, state, look }: Omit<Picture, 'file'>): string {
  const name = screen === '/' ? 'home' : screen.slice(1).replaceAll(/[^\w-]+/g, '-');
  return `${name}--${state}--${look}.png`;
}

export async function writeAlbum(folder: string, pictures: readonly Picture[]): Promise<void> {
  const screens = [...new Set(pictures.map(({ screen }) => screen))];
  const rows = screens.map((screen) => {
    const cells = pictures
      .filter((picture) => picture.screen === screen)
      .map(
        ({ file, state, look }) => `<figure><a href="${file}"><img loading="lazy" src="${file}" alt="${state}, ${look}"></a>
        <figcaption>${state} · ${look}</figcaption></figure>`,
      );
    return `<section><h2>${screen}</h2><div>${cells.join('\n')}</div></section>`;
  });
  const style = `body{font:14px system-ui;margin:24px;background:#eef1f1}section>div{display:flex;gap:12px;overflow-x:auto;align-items:flex-start}
    figure{margin:0;flex:none}img{height:420px;border:1px solid #c2cdcd}figcaption{color:#566768}`;
  const page = `<!doctype html><meta charset="utf-8"><title>Tidegate: pictures</title><style>${style}</style>${rows.join('\n')}`;
  await writeFile(path.join(folder, 'index.html'), page);
}
