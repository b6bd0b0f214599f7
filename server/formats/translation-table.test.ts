import { expect, test } from 'vitest';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { knownModels as models, plainBodies } from '#tests/support/plain-bodies.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import { isRequestField } from './request-fields.ts';
import { translationTable } from './translation-table.ts';

test.each(translationTable)('$from → $to: $field is $treatment', ({ from, to, field, treatment, example, model }) => {
  const client = Object.values(clientDialects).find(({ name }) => name === from);
  const upstream = Object.values(upstreamDialects).find(({ name }) => name === to);
  const write = () => {
    const body = { ...plainBodies[from], ...example };
    const request = client?.readRequest(body);
    if (request === undefined) throw new Error(`There is no client dialect ${from}`);
    const upstreamModel = model ?? models[to] ?? '';
    return upstream?.writeRequest(request, { upstreamModel, forceUsage: false, settings: defaultSettings }).dropped;
  };
  if (treatment === 'refused') {
    expect(write).toThrow(expect.objectContaining({ code: 'untranslatable', field }));
    // The field of a rejection exists in the caller's body.
    expect({ ...plainBodies[from], ...example }).toHaveProperty(field);
  } else expect(write()).toContain(field);
});

// Includes pairs of the same format: the written value is the client's.
const carried = Object.values(clientDialects).flatMap((client) =>
  Object.values(upstreamDialects).flatMap((upstream) =>
    Object.entries(client.clientFields).flatMap(([field, said]) => {
      const write = isRequestField(field) ? upstream.carriedFields[field] : undefined;
      return write === undefined || typeof write === 'object' ? [] : [{ client, upstream, field, said, write }];
    }),
  ),
);

test.each(carried)('$client.name → $upstream.name: $field is carried', ({ client, upstream, field, said, write }) => {
  const read = (example: object) => client.readRequest({ ...plainBodies[client.name], ...example });
  const written = (example: object) => {
    const request = read(example);
    return upstream.writeRequest(request, { upstreamModel: models[upstream.name] ?? '', forceUsage: false, settings: defaultSettings });
  };
  const { body, dropped } = written(said.example);
  expect(dropped).not.toContain(said.name);
  expect(body).not.toEqual(written({}).body);
  const value = read(said.example).extras.find((extra) => extra.field === field)?.value;
  if (typeof write === 'function') expect(body).toMatchObject(write(value));
});
