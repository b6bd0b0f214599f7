import { type ChannelKey, channelKeyApi } from '#shared/channel-keys.ts';
import { AppError, type Language } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { readChannel } from '../store.ts';
import { storeTestResult, testChannel } from '../test-channel.ts';
import { enableAfterTest } from '../run-steps.ts';
import { addKeys, checkPasted, editKey, removeKeys, replaceKey, setStatus } from './change-keys.ts';
import { hasKeys, readKey } from './key-store.ts';
import { readKeySheet } from './present-keys.ts';
import { findPlaces, listReplacements, placesOf, replaceEverywhere, undoReplacement } from './replace-everywhere.ts';
import { testKey } from './test-key.ts';

export function mountChannelKeys(host: RouteHost): void {
  mount(host, channelKeyApi.find, ({ context, body }) => findPlaces(context, body.key));
  mount(host, channelKeyApi.replaceAll, (call) => {
    const { from, channels, key, enable = true } = call.body;
    return replaceEverywhere(call.context, signedIn(call).user, { from, channels, key, enable });
  });
  mount(host, channelKeyApi.replacements, ({ context }) => listReplacements(context));
  mount(host, channelKeyApi.undo, (call) => undoReplacement(call.context, signedIn(call).user, Number(call.params.id)));

  mount(host, channelKeyApi.list, async ({ context, params, facts }) =>
    readKeySheet(context, await readChannel(context, Number(params.id)), facts.language),
  );
  mount(host, channelKeyApi.check, async ({ context, params, body, facts }) => {
    const channel = await readChannel(context, Number(params.id));
    return (await checkPasted(context, channel, body.keys, facts.language)).intake;
  });
  mount(host, channelKeyApi.add, (call) => {
    const { context, params, body, facts } = call;
    return addKeys(context, signedIn(call).user, { id: Number(params.id), ...body, language: facts.language });
  });
  mount(host, channelKeyApi.setStatus, (call) => {
    const { context, params, body } = call;
    return setStatus(context, signedIn(call).user, { id: Number(params.id), ...body });
  });
  mount(host, channelKeyApi.remove, ({ context, params, body }) => removeKeys(context, { id: Number(params.id), ids: body.ids }));
  mount(host, channelKeyApi.edit, async (call) => {
    const { context, params, body, facts } = call;
    const place = { id: Number(params.id), key: Number(params.key) };
    await editKey(context, signedIn(call).user, { ...place, edit: body });
    return presentOne(context, place, facts.language);
  });
  mount(host, channelKeyApi.replace, async ({ context, params, body, facts }) => {
    const place = { id: Number(params.id), key: Number(params.key) };
    await replaceKey(context, { ...place, text: body.key, revision: body.revision });
    return presentOne(context, place, facts.language);
  });
  mount(host, channelKeyApi.places, ({ context, params }) =>
    placesOf(context, { channel_id: Number(params.id), key_id: Number(params.key) }),
  );
  mount(host, channelKeyApi.test, async (call) => {
    const { context, params, body, facts } = call;
    const test = { context, actor: signedIn(call).user, language: facts.language };
    const channel = await readChannel(context, Number(params.id));
    if (Number(params.key) !== 0) {
      const key = await readKey(context, channel.id, Number(params.key));
      return respond(undefined, { extra: { time: await testKey(test, { channel, key, model: body.model }) } });
    }
    if (await hasKeys(context, channel.id)) throw new AppError('channel_key_not_found');
    const keep = (result: Parameters<typeof storeTestResult>[2]) => storeTestResult(context, channel.id, result, { isByHand: true });
    const time = await testChannel(test, { channel, model: body.model, keep });
    await enableAfterTest(context, channel, time * 1000);
    return respond(undefined, { extra: { time } });
  });
}

/** The only key of a channel has a record after its first edit. */
async function presentOne(context: AppContext, { id, key }: { id: number; key: number }, language: Language): Promise<ChannelKey> {
  const { keys } = await readKeySheet(context, await readChannel(context, id), language);
  const found = keys.find((one) => one.id === key) ?? (key === 0 ? keys[0] : undefined);
  if (found === undefined) throw new AppError('channel_key_not_found');
  return found;
}
