// Origin of each number of a bill, for every kind of call: reported by the provider, counted, or estimated. A kind without a row fails by its name.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { relayEndpoints } from '#server/call/endpoints.ts';
import { everyKind, type KindOfCall, modelsOf } from '#tests/faults/every-kind.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

type Origins = readonly [prompt: string, completion: string];
const reported: Origins = ['upstream', 'upstream'];
const counted: Origins = ['counted', 'counted'];
/** What is made is known by its size or its length. */
const measured: Origins = ['counted', 'estimated'];

/** By the names of `everyKind`: if the provider reports its usage, and if it does not. */
const origins: Readonly<Record<string, { reported: Origins; untold: Origins }>> = {
  'a chat': { reported, untold: counted },
  'a streamed chat': { reported, untold: counted },
  'a message': { reported, untold: counted },
  'a response': { reported, untold: counted },
  'a completion': { reported, untold: counted },
  'an embedding': { reported, untold: counted },
  'a reranking': { reported, untold: counted },
  // Its provider reports none.
  'a moderation': { reported: counted, untold: counted },
  'a picture': { reported, untold: measured },
  // Of models that are billed by the picture.
  pictures: { reported: measured, untold: measured },
  'a streamed picture': { reported, untold: measured },
  'an edit': { reported, untold: measured },
  'a streamed edit': { reported, untold: measured },
  'a variation': { reported: measured, untold: measured },
  // Characters.
  speech: { reported: counted, untold: counted },
  'speech by tokens': { reported, untold: measured },
  'speech in events': { reported, untold: measured },
  // The length of the file; subtitles say when the sound ends.
  'a transcript': { reported: counted, untold: counted },
  subtitles: { reported, untold: reported },
  'a streamed transcript': { reported, untold: counted },
  'a translation': { reported: counted, untold: counted },
};

/** Nothing is billed by them, or by turns of their own (`realtime.test.ts`), or by one provider alone (`fim.test.ts`). */
const others = new Set(['count_tokens', 'fim', 'realtime']);
const kindAt = (path: string) => relayEndpoints.find((endpoint) => endpoint.path === path)?.kind.name;

test('every kind of call has a row', () => {
  const known = new Set([...others, ...everyKind.map(({ path }) => kindAt(path))]);
  expect(Object.keys(callKinds).filter((name) => !known.has(name))).toEqual([]);
  expect(everyKind.map(({ name }) => name).filter((name) => origins[name] === undefined)).toEqual([]);
});

describe('origins of what is billed', () => {
  let open: RelayScene | undefined;
  const scene = () => {
    if (open === undefined) throw new Error('There is no scene outside a test');
    return open;
  };
  beforeAll(async () => {
    open = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: modelsOf('').join(',') }] });
  });
  afterAll(async () => {
    await scene().checkBooks();
    await scene()[Symbol.asyncDispose]();
  });

  let calls = 0;
  async function originsOf(kind: KindOfCall): Promise<unknown> {
    const { app, key } = scene();
    const response = await fetch(`${app.origin}${kind.path}`, { method: 'POST', headers: headersOf(kind, key), body: bodyOf(kind) });
    expect([response.status, (await response.text()).includes(kind.last ?? '')]).toEqual([200, true]);
    calls += 1;
    const row = (await scene().logs(calls)).at(-1);
    return [row?.other?.prompt_source, row?.other?.completion_source];
  }

  test.each(everyKind)('$name', async (kind) => {
    scene().upstream.behave({});
    const whereReported = await originsOf(kind);
    scene().upstream.behave({ usage: 'none' });
    expect({ reported: whereReported, untold: await originsOf(kind) }).toEqual(origins[kind.name]);
  });
});

function headersOf({ files }: KindOfCall, key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...(files === undefined ? { 'content-type': 'application/json' } : {}) };
}

function bodyOf({ family, body, files }: KindOfCall): FormData | string {
  if (files === undefined) return JSON.stringify({ model: family, ...body });
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: family, ...body })) form.set(name, value);
  for (const { field, name, bytes } of files) form.set(field, new File([new Uint8Array(bytes)], name));
  return form;
}
