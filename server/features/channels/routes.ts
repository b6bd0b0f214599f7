import { channelApi } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { pageBounds, totalExtra } from '#server/http/paging.ts';
import { readFailingChannels } from '#server/exchange/failing-channels.ts';
import { builtInModels, ownerOf } from '#server/exchange/model-owners.ts';
import { countChannels } from './count-channels.ts';
import { createChannels } from './create-channels.ts';
import { deleteChannels, deleteDisabled } from './delete-channels.ts';
import { draftChannel } from './draft-channel.ts';
import { DraftTests } from './draft-tests.ts';
import { editChannel } from './edit-channel.ts';
import { fetchModels } from './fetch-models.ts';
import { presentChannel } from './present-channel.ts';
import { readFigures } from './read-figures.ts';
import { restoreChannels } from './restore-channels.ts';
import { listChannels, readChannel, searchChannels } from './store.ts';
import { mountChannelKeys } from './keys/key-routes.ts';
import { mountChannelRuns } from './run-routes.ts';
import { enableAfterTest } from './run-steps.ts';
import { mountChannelTags } from './tag-routes.ts';
import { listByTag, searchByTag } from './tags.ts';
import { testedKey, testKey } from './keys/test-key.ts';
import { storeTestResult, testChannel, type TestResult } from './test-channel.ts';

export function mountChannels(host: RouteHost): void {
  const draftTests = new DraftTests();
  mountChannelTags(host);
  mountChannelRuns(host);
  mountChannelKeys(host);
  mount(host, channelApi.list, async ({ context, query, facts }) => {
    // This list counts its pages from 0.
    const { skip, size } = pageBounds({ p: (query.p ?? 0) + 1, page_size: query.page_size });
    const list = query.tag_mode ? listByTag : listChannels;
    const { channels, total } = await list(context, { skip, limit: size, byId: query.id_sort });
    return respond(
      channels.map((channel) => presentChannel(channel, facts.language)),
      { extra: totalExtra(total) },
    );
  });

  mount(host, channelApi.search, async ({ context, query, facts }) => {
    const { keyword, group, model, tag, id_sort, tag_mode } = query;
    const search = tag_mode ? searchByTag : searchChannels;
    return (await search(context, { keyword, group, model, tag, byId: id_sort })).map((channel) => presentChannel(channel, facts.language));
  });

  mount(host, channelApi.failing, ({ context, facts }) => readFailingChannels(context, facts.language));
  mount(host, channelApi.figures, ({ context }) => readFigures(context));
  // Served from memory: every open console polls it.
  mount(host, channelApi.summary, ({ context }) => countChannels(context.channels.all()));
  mount(host, channelApi.modelsEnabled, ({ context }) => [...context.channels.enabledModels()]);
  mount(host, channelApi.read, async ({ context, params: { id }, facts }) =>
    presentChannel(await readChannel(context, Number(id)), facts.language),
  );
  mount(host, channelApi.create, (call) => createChannels(call.context, signedIn(call).user, { input: call.body, draftTests }));
  mount(host, channelApi.edit, async (call) => {
    const { language } = call.facts;
    return presentChannel(await editChannel({ context: call.context, actor: signedIn(call).user, language }, call.body), language);
  });
  mount(host, channelApi.removeMany, async ({ context, body }) => {
    if (body.ids.length === 0) throw new AppError('channel_arguments', {}, { field: 'ids' });
    const ids = await deleteChannels(context, body.ids);
    return respond(ids.length, { extra: { ids } });
  });
  mount(host, channelApi.removeDisabled, async ({ context }) => {
    const ids = await deleteDisabled(context);
    return respond(ids.length, { extra: { ids } });
  });
  mount(host, channelApi.restoreMany, ({ context, body }) => restoreChannels(context, body.ids));

  mount(host, channelApi.remove, async ({ context, params }) => {
    if ((await deleteChannels(context, [Number(params.id)])).length === 0) throw new AppError('channel_not_found');
    return undefined;
  });

  mount(host, channelApi.test, async (call) => {
    const { context, params, query, facts } = call;
    const channel = await readChannel(context, Number(params.id));
    const { user: actor } = signedIn(call);
    const test = { context, actor, language: facts.language };
    const keep = (result: TestResult) => storeTestResult(context, channel.id, result, { isByHand: true });
    const key = await testedKey(context, channel.id);
    const subject = { channel, model: query.model, keep };
    const time = key === null ? await testChannel(test, subject) : await testKey(test, { ...subject, key });
    await enableAfterTest(context, channel, time * 1000);
    return respond(undefined, { extra: { time } });
  });

  mount(host, channelApi.testDraft, async (call) => {
    const { context, body, facts } = call;
    const { user: actor } = signedIn(call);
    const channel = await draftChannel(context, actor, body);
    const time = await testChannel(
      { context, actor, language: facts.language },
      { channel, model: body.model, keep: (result) => draftTests.keep(actor.id, channel, result) },
    );
    return respond(undefined, { extra: { time } });
  });

  mountModels(host);
}

function mountModels(host: RouteHost): void {
  mount(host, channelApi.models, () => builtInModels().map((id) => surfaces.openai.writeModel({ id, owner: ownerOf(id) })));
  mount(host, channelApi.fetchModels, async ({ context, params }) =>
    fetchModels({ context }, await readChannel(context, Number(params.id))),
  );
  mount(host, channelApi.fetchDraftModels, async (call) => {
    const { context } = call;
    return fetchModels({ context }, await draftChannel(context, signedIn(call).user, call.body));
  });
}
