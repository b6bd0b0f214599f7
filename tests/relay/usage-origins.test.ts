// Where each number of a bill comes from, for every kind of call: told by the provider, counted, or estimated. A kind without a row fails by its name.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { relayEndpoints } from '#server/call/endpoints.ts';
import { everyKind, modelsOf } from '#tests/faults/every-kind.ts';
import type { KindOfCall } from '#tests/faults/every-kind.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';

type Origins = readonly [prompt: string, completion: string];
const told: Origins = ['upstream', 'upstream'];
const counted: Origins = ['counted', 'counted'];
/** What is made is known by its size or its length. */
const measured: Origins = ['counted', 'estimated'];

/** By the names of `everyKind`: where the provider tells its usage, and where it does not. */
const origins: Readonly<Record<string, { told: Origins; untold: Origins }>> = {
  'a chat': { told, untold: counted },
  'a streamed chat': { told, untold: counted },
  'a message': { told, untold: counted },
  'a response': { told, untold: counted },
  'a completion': { told, untold: counted },
  'an embedding': { told, untold: counted },
  'a reranking': { told, untold: counted },
  // Its provider tells none.
  'a moderation': { told: counted, untold: counted },
  'a picture': { told, untold: measured },
  // Of models that are billed by the picture.
  pictures: { told: measured, untold: measured },
  'a streamed picture': { told, untold: measured },
  'an edit': { told, untold: measured },
  'a streamed edit': { told, untold: measured },
  'a variation': { told: measured, untold: measured },
  // Characters.
  speech: { told: counted, untold: counted },
  'speech by tokens': { told, untold: measured },
  'speech in events': { told, untold: measured },
  // The length of the file; subtitles say when the sound ends.
  'a transcript': { told: counted, untold: counted },
  subtitles: { told, untold: told },
  'a streamed transcript': { told, untold: counted },
  'a translation': { told: counted, untold: counted },
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
    const whereTold = await originsOf(kind);
    scene().upstream.behave({ usage: 'none' });
    expect({ told: whereTold, untold: await originsOf(kind) }).toEqual(origins[kind.name]);
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
