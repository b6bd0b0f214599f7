// Image edits at providers with their own API: from files and from data URLs, and rejected.
import { expect } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type EditorName, editors, type FakeEditor, startFakeEditor } from '#tests/support/fake-editors.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { failures } from './facts.ts';
import type { Row } from './rows.ts';

/** If null, edits use the shared API. */
export function editorOf(type: number): EditorName | null {
  return editorNames.find((name) => editors[name].type === type) ?? null;
}

const editorNames = Object.keys(editors).filter((name): name is EditorName => name in editors);
const bytes = Buffer.from('not a multiple of 3 of bytes, "quoted"');
const dataUrl = `data:image/webp;base64,${bytes.toString('base64')}`;

export async function editPicture({ type }: Row): Promise<void> {
  const name = editorOf(type);
  if (name === null) throw new Error(`Nothing edits as type ${type} does`);
  let editor: FakeEditor | undefined;
  const front = async (url: string) => (editor = await startFakeEditor(name, url));
  const { model } = editors[name];
  const settings = { SelfUseModeEnabled: 'true', RetryTimes: '0' };
  await using scene = await createScene(embeddedEngine, { settings, channels: [{ type, models: model }], front });
  const send = (fields: Record<string, string>, files: readonly [name: string, type: string][]) => {
    const body = new FormData();
    for (const [field, value] of Object.entries({ model, prompt: 'a "tide"', ...fields })) body.append(field, value);
    for (const [field, mediaType] of files) body.append(field, new File([bytes], 'a', { type: mediaType }));
    return fetch(`${scene.app.origin}/v1/images/edits`, { method: 'POST', headers: { authorization: `Bearer ${scene.key}` }, body });
  };
  const made = [
    await send({}, [['image', 'image/webp']]),
    await send({}, [
      ['image[]', 'image/webp'],
      ['image[]', ''],
    ]),
    await scene.post('/v1/images/edits', { model, prompt: 'a tide', images: [{ image_url: dataUrl }] }),
  ];
  for (const response of made) {
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(text).toMatch(/"(?:url|b64_json)":"/);
  }
  const unnamed = dataUrl.replace('webp', 'png');
  expect(editor?.taken).toEqual([[dataUrl], [dataUrl, unnamed], [dataUrl]]);
  await scene.logs(3);
  const balance = await scene.balance();
  const masked = await send({}, [
    ['image', 'image/png'],
    ['mask', 'image/png'],
  ]);
  expect([masked.status, await masked.text()]).toEqual([400, expect.stringContaining('mask')]);
  const many = await scene.post('/v1/images/edits', {
    model,
    prompt: 'a tide',
    images: Array.from({ length: 15 }, () => ({ image_url: dataUrl })),
  });
  expect([many.status, await many.text()]).toEqual([400, expect.stringContaining('images')]);
  const wrong = await scene.post('/v1/images/edits', { model, prompt: 'a tide', images: [{ image_url: 'ftp://a.example/1.png' }] });
  expect(wrong.status).toBe(400);
  await wrong.text();
  expect(editor?.taken).toHaveLength(3);
  const body = { error: { code: 400, message: refusedText, status: 'INVALID_ARGUMENT' } };
  editor?.refuse({ status: 400, body, ...failures[type]?.(refusedText) });
  const refused = await send({}, [['image', 'image/webp']]);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining(refusedText) } });
  expect(await scene.balance()).toBe(balance);
  await scene.checkBooks();
}
